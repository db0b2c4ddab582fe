import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import type { JsonObject } from 'weakincentives';
import type { ProgramPlan } from './program.ts';
import { type ChildOutcome, readReport } from './read-report.ts';

export interface ChildOptions {
  /** The Node that runs it. Default: the one of this process. */
  readonly node?: string;
  /** The JavaScript file. */
  readonly file: string;
  readonly settings: JsonObject;
  readonly plan: ProgramPlan;
  /** When a program that does not end by itself is killed. */
  readonly killAfterMs: number;
  readonly signal: AbortSignal;
}

/** What is kept of the end of what a child writes. */
const keptCharacters = 1_000_000;

/** Runs one program to its end, alone with a small environment. Never rejects. */
export async function runChild(options: ChildOptions): Promise<ChildOutcome> {
  const { node = process.execPath, file, settings, plan, killAfterMs, signal } = options;
  if (signal.aborted) return { ok: false, reason: 'stopped' };
  const child = spawn(node, ['--expose-gc', file, JSON.stringify({ plan, settings })], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment(),
  });
  const output = keepEnd(child.stdout);
  const errors = keepEnd(child.stderr);
  let killedFor: string | undefined;
  const kill = (reason: string) => {
    killedFor ??= reason;
    child.kill('SIGKILL');
  };
  const stop = () => kill('stopped');
  const timer = setTimeout(() => kill(`killed after ${killAfterMs / 1000} s`), killAfterMs);
  signal.addEventListener('abort', stop, { once: true });
  try {
    const [code, killedBy] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
    if (killedFor !== undefined) return { ok: false, reason: killedFor };
    if (code === 0) return readReport(output());
    const reason = `ended with ${code ?? killedBy}: ${firstError(errors())}`;
    return { ok: false, reason: reason.replaceAll(`${process.cwd()}/`, '') };
  } catch (error) {
    return { ok: false, reason: `did not start: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
}

function keepEnd(stream: Readable): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (piece: string) => {
    text = (text + piece).slice(-keptCharacters);
  });
  return () => text;
}

/** Neither settings of npm nor keys of providers reach what is measured. */
function environment(): Record<string, string> {
  const { PATH: path, TMPDIR: temporary } = process.env;
  return {
    NODE_ENV: 'production',
    ...(path === undefined ? {} : { PATH: path }),
    ...(temporary === undefined ? {} : { TMPDIR: temporary }),
  };
}

/** The line that says what went wrong, among those of a stack. */
function firstError(errors: string): string {
  const lines = errors.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.find((line) => /^\w*(Error|Exception)\b/.test(line.trim())) ??
    lines.at(-1) ??
    'no error was written'
  );
}
