import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CellOutcome, outcomePrefix } from './cell.ts';

/** What became of a script: an outcome, or an error of the script. */
export type CellRun = { readonly outcome: CellOutcome } | { readonly error: string };

/** A script that has not ended by then hangs. */
const killAfterMs = 600_000;

/**
 * Runs one script to its end, in an empty folder of its own and with a small environment. Never rejects.
 *
 * @param file the JavaScript file
 */
export async function runCellScript(file: string, node: string = process.execPath): Promise<CellRun> {
  const folder = await mkdtemp(join(tmpdir(), 'compare-'));
  const [work, home] = [join(folder, 'work'), join(folder, 'home')];
  await Promise.all([mkdir(work), mkdir(home)]);
  const child = spawn(node, ['--disable-warning=ExperimentalWarning', file], {
    cwd: work,
    env: environment(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    output += piece;
  });
  child.stderr.setEncoding('utf8').on('data', (piece: string) => {
    errors += piece;
  });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, killAfterMs);
  try {
    const [code, signal] = await once(child, 'close');
    if (isLate) return { error: `has not ended after ${killAfterMs / 1000} s` };
    if (code !== 0) return { error: `ended with ${code ?? signal}:\n${errors.trim()}` };
    const line = output.split('\n').findLast((each) => each.startsWith(outcomePrefix));
    if (line === undefined) return { error: 'ended without an outcome' };
    return { outcome: JSON.parse(line.slice(outcomePrefix.length)) as CellOutcome };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  } finally {
    clearTimeout(timer);
    await rm(folder, { recursive: true, force: true });
  }
}

/** No keys and no settings of the caller; nothing is sent anywhere. */
function environment(home: string): Record<string, string> {
  const off = {
    MASTRA_TELEMETRY_DISABLED: '1',
    OPENAI_AGENTS_DISABLE_TRACING: '1',
    LANGSMITH_TRACING: 'false',
  };
  return { PATH: process.env['PATH'] ?? '', HOME: home, TMPDIR: home, NO_COLOR: '1', ...off };
}
