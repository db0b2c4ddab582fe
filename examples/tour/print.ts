// How the tour prints: plain text, and bold headings on a terminal.
import { stat } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import type { ToolInvokedPayload } from 'weakincentives';
import { recordFile } from './record.ts';

/** A chapter prints what has happened, and throws when a guarantee does not hold. */
export interface Chapter {
  readonly title: string;
  readonly show: () => Promise<void>;
  readonly needsSqlite?: boolean;
}

/** Shows all chapters that this Node can; the exit code of the process is 1 when one does not hold. */
export async function showAll(chapters: readonly Chapter[]): Promise<void> {
  const startedAtMs = performance.now();
  console.log('WINK tour: one agent, a script in place of a model, a folder in memory.');
  let held = 0;
  let shown = 0;
  for (const [index, { title, show, needsSqlite = false }] of chapters.entries()) {
    const heading = `${index + 1}  ${title}`;
    console.log(isPlain() ? `\n${heading}` : `\n\u001b[1m${heading}\u001b[22m`);
    if (needsSqlite && !isBuiltin('node:sqlite')) {
      row('needs Node 22.13 (node:sqlite)');
      continue;
    }
    shown += 1;
    try {
      await show();
      held += 1;
    } catch (error) {
      console.log('   DOES NOT HOLD:', error);
      process.exitCode = 1;
    }
  }
  const seconds = ((performance.now() - startedAtMs) / 1000).toFixed(1);
  const size = Math.ceil((await stat(recordFile)).size / 1000);
  const look = `Look at the run:  npx wink view ${recordFile} (${size} kB)`;
  console.log(`\n${held} of ${shown} hold, ${seconds} s. ${look}`);
  console.log('Your own agent:  npx wink init my-agent');
}

function isPlain(): boolean {
  return !process.stdout.isTTY || (process.env['NO_COLOR'] ?? '') !== '';
}

/** A call, and how it ended. */
export function row(what: string, outcome = '', indent = 5): void {
  console.log(`${`${' '.repeat(indent)}${what}`.padEnd(47)}${outcome}`.trimEnd());
}

export function say(...lines: readonly string[]): void {
  for (const line of lines) console.log(`   ${line}`);
}

/** How a call ended, in the words of the tour. */
export function ending(call: ToolInvokedPayload | undefined): string {
  if (call === undefined) return 'no such call';
  const { outcome, policy, reason, attempts } = call;
  if (outcome === 'denied') return `denied by ${policy}`;
  if (outcome === 'rolled-back') return reason === 'timeout' ? 'timed out, rolled back' : 'rolled back';
  return attempts > 1 ? `${outcome}, after the first` : outcome;
}
