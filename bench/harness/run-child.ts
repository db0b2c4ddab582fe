import { spawn } from 'node:child_process';
import type { JsonObject } from 'weakincentives';
import type { ProgramPlan } from './program.ts';
import { readReport } from './read-report.ts';
import type { Report } from './row.ts';

export interface ChildOptions {
  /** The JavaScript file. */
  readonly file: string;
  readonly settings: JsonObject;
  readonly plan: ProgramPlan;
  /** When a program that does not end by itself is killed. */
  readonly killAfterMs: number;
  readonly signal: AbortSignal;
}

/** What a child came to: its report, or why there is none. */
export type ChildOutcome =
  | { readonly ok: true; readonly report: Report }
  | { readonly ok: false; readonly reason: string };

/** What is kept of the end of what a child writes. */
const keptCharacters = 1_000_000;

/** Runs one program to its end, alone with a small environment. Never rejects. */
export function runChild({ file, settings, plan, killAfterMs, signal }: ChildOptions): Promise<ChildOutcome> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve({ ok: false, reason: 'stopped' });
    const child = spawn(process.execPath, ['--expose-gc', file, JSON.stringify({ plan, settings })], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: environment(),
    });
    let output = '';
    let errors = '';
    let killedFor: string | undefined;
    const kill = (reason: string) => {
      killedFor ??= reason;
      child.kill('SIGKILL');
    };
    const stop = () => kill('stopped');
    const timer = setTimeout(() => kill(`killed after ${killAfterMs / 1000} s`), killAfterMs);
    signal.addEventListener('abort', stop, { once: true });
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-keptCharacters);
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-keptCharacters);
    });
    const end = (outcome: ChildOutcome) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      resolve(outcome);
    };
    child.on('error', (error) => end({ ok: false, reason: `did not start: ${error.message}` }));
    child.on('close', (code, killedBy) => {
      if (killedFor !== undefined) return end({ ok: false, reason: killedFor });
      if (code !== 0) {
        return end({ ok: false, reason: `ended with ${code ?? killedBy}: ${firstError(errors)}` });
      }
      end(readReport(output));
    });
  });
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
  return lines.find((line) => /^\w*(Error|Exception)\b/.test(line.trim())) ?? lines.at(-1) ?? 'no error was written';
}
