import { UsageError } from '../process/errors.ts';
import { readAge } from './option-values.ts';

/** What happens to questions without an answer during a run that is kept in a journal. */
export interface SuspensionChoice {
  /** Whether the run is suspended also where someone could answer: at a terminal, or a function of the agent. */
  readonly isForced: boolean;
  /** How long a question can be answered; undefined: at any time. */
  readonly expiresMs: number | undefined;
  /** A command line for the shell, which is run when the run is suspended; undefined: none. */
  readonly command: string | undefined;
}

/**
 * Reads `--suspend`, `--expires` and `--on-suspend`.
 * @throws {UsageError} for an invalid value, and for a run without a journal.
 */
export function readSuspension(values: {
  readonly suspend?: boolean | undefined;
  readonly expires?: string | undefined;
  readonly 'on-suspend'?: string | undefined;
  readonly durable?: boolean | undefined;
  readonly journal?: string | undefined;
}): SuspensionChoice {
  const { suspend = false, expires, 'on-suspend': command } = values;
  const given = suspend ? '--suspend' : expires === undefined ? '--on-suspend' : '--expires';
  const isGiven = suspend || expires !== undefined || command !== undefined;
  if (isGiven && values.durable !== true && values.journal === undefined) {
    throw new UsageError(`${given} requires --durable or --journal FILE.`);
  }
  if (command?.trim() === '') throw new UsageError('the command of --on-suspend is empty.');
  const expiresMs = readAge('--expires', expires);
  if (expiresMs === 0) throw new UsageError('--expires must be at least 1m.');
  return { isForced: suspend, expiresMs, command };
}
