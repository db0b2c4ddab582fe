import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CellOutcome, fails, holds } from '../harness/cell.ts';
import { type ToolFiles, textOf } from '../harness/files.ts';
import { Script } from '../harness/script.ts';

/*
 * Asserted: a tool with a time limit of 100 ms takes longer and does not look at its signal. Its call fails, and what it writes
 * afterwards does not arrive.
 */
const file = 'export.csv';
export const timeoutMs = 100;

let ended: () => void = () => undefined;
/** When the handler has ended, long after its call. */
const handlerEnd = new Promise<void>((resolve) => {
  ended = resolve;
});
const run = new AbortController();

export const script = new Script([[{ name: 'export', arguments: {} }], 'Done.']);

/** What the tool does, whichever system runs it: it writes once the run has ended without it. */
export async function exportInvoices(files: ToolFiles): Promise<string> {
  // A run that waits for the handler instead of its limit gets a result, and the check says so.
  await Promise.race([once(run.signal, 'abort'), sleep(2_000)]);
  try {
    await files.write(file, 'invoice,cents\n');
  } catch {
    // It is refused.
  } finally {
    ended();
  }
  return 'Exported.';
}

/** @param apply writes to the disk what the system holds back, when it does */
export async function check(apply: () => void | Promise<void> = () => undefined): Promise<CellOutcome> {
  const isTimedOut = script.seen.every(({ text }) => !text.includes('Exported.'));
  run.abort();
  await handlerEnd;
  await apply();
  if (!isTimedOut) return fails('The call ended when its handler did, not after its time.');
  if ((await textOf(file)) !== undefined)
    return fails('The call timed out, and its file was written afterwards.');
  return holds('The call timed out, and its late write was refused.');
}
