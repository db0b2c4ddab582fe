import { resolve } from 'node:path';
import { escapeInvisible } from '../../core/internal/index.ts';
import type { ProcessEnd, startProcess } from '../../host/index.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { reasonOf } from '../process/errors.ts';
import type { QuestionRecord } from '../report/events/question-record.ts';

/** What a command is run with when a run is suspended. */
export interface SuspensionNotice {
  /** A command line for the shell, as the user has written it. */
  readonly command: string;
  readonly runId: string;
  readonly questions: readonly QuestionRecord[];
}

const timeLimitSeconds = 30;

const shellProblem: Readonly<Record<NonNullable<ProcessEnd['startFailure']>, string>> = {
  'not-found': 'it is run by the program "sh", which no folder of PATH has; install a shell of that name',
  'not-executable':
    'it is run by the program "sh", which the operating system refuses to start; check its permissions',
};

/**
 * Runs the command of `--on-suspend`: the run and its questions are on its standard input as JSON, the name of the run is in `WINK_RUN_ID`. What it prints goes to the error
 * output. Nothing of a run gets into the command line. Never rejects.
 *
 * @returns why it failed, in one line; undefined when it did not.
 */
export async function runOnSuspend(
  { command, runId, questions }: SuspensionNotice,
  { stderr, variables, signal }: Pick<CliEnvironment, 'stderr' | 'variables' | 'signal'>,
  start: typeof startProcess,
): Promise<string | undefined> {
  const failed = (why: string): string =>
    `the command of --on-suspend failed: ${why}; the run is suspended all the same.`;
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) env[name] = value;
  const decoder = new TextDecoder();
  const print = (chunk: Uint8Array): void => stderr.write(decoder.decode(chunk, { stream: true }));
  try {
    const { ended } = start(
      { command: 'sh', args: ['-c', command], cwd: resolve('.') },
      {
        env: { ...env, WINK_RUN_ID: runId },
        input: `${escapeInvisible(JSON.stringify({ runId, questions }))}\n`,
        timeoutMs: timeLimitSeconds * 1000,
        signal,
        onStdout: print,
        onStderr: print,
      },
    );
    const { exitCode, signal: killedBy, timedOut, startFailure } = await ended;
    if (startFailure !== undefined) return failed(shellProblem[startFailure]);
    if (timedOut) return failed(`it took longer than ${timeLimitSeconds} s`);
    if (killedBy !== undefined) return failed(`it was ended by ${killedBy}`);
    return exitCode === 0 ? undefined : failed(`exit code ${exitCode}`);
  } catch (error) {
    return failed(reasonOf(error));
  }
}
