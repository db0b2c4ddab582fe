import { resolve } from 'node:path';
import { PromptValidationError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { systemClock } from '../../core/session/index.ts';
import { submitRun } from '../../durable/queue/index.ts';
import type { SubmitRequest, SubmittedStart } from '../commands/submit.ts';
import { type CliEnvironment, exitCodes } from '../process/environment.ts';
import { orUsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { databaseAddress, openQueue } from './open-queue.ts';

/**
 * Sends the job of a run to its workers, and prints the name of the run.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a database or a job that cannot be used.
 */
export async function submitCommand(
  request: SubmitRequest,
  { stdout, variables }: Pick<CliEnvironment, 'stdout' | 'variables'>,
  open: typeof openQueue = openQueue,
): Promise<number> {
  const { agent, input, journalName, params, priority, runId, start, version } = request;
  const address = databaseAddress(journalName, variables);
  const onError = (): void => undefined;
  await using opened = await open({ address, folder: resolve('.'), isForWork: false, onError });
  const startAfter = start === undefined ? undefined : dateOf(start);
  const job = { agent, ...present({ runId, input, params, version, priority, startAfter }) };
  const name = await orUsageError(
    () => submitRun({ queue: opened.queue, job }),
    ({ message }) => printable(message),
    PromptValidationError,
  );
  stdout.write(`${name}\n`);
  return exitCodes.done;
}

function dateOf(start: SubmittedStart): string {
  return 'at' in start ? start.at : new Date(systemClock.now() + start.afterMs).toISOString();
}
