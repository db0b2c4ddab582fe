import { UsageError } from '../process/errors.ts';
import {
  type FlagOption,
  flagOption,
  shownAs,
  textOption,
  type ValueOption,
  valueOption,
} from './make-option.ts';
import { readExpiry, readRunName } from './option-values.ts';
import type { SuspensionChoice } from './run-task.ts';

// Where a run is kept, and what becomes of its questions.

export const durable = (description: string): FlagOption<'--durable'> => flagOption('--durable', description);

/** In help it represents {@link noDurable}, too. */
export const durableOrNot = (description: string): FlagOption<'--durable'> =>
  shownAs(durable(description), '--durable, --no-durable');

export const noDurable = (): FlagOption<'--no-durable'> => flagOption('--no-durable', 'In no journal');

export const journal = (
  description = 'The journal (WINK_JOURNAL)',
): ValueOption<'--journal <FILE>', string> => textOption('--journal <FILE>', description);

/** For commands that need a journal in a database. */
export const database = (): ValueOption<'--journal <postgres://...>', string> =>
  textOption('--journal <postgres://...>', 'The database (WINK_JOURNAL)');

export const blobs = (): ValueOption<'--blobs <PLACE>', string> =>
  textOption('--blobs <PLACE>', 'Where its long rows are: a folder or a module (WINK_BLOBS)');

export const runId = (
  description = 'Its name (default: a new one)',
): ValueOption<'--run-id <NAME>', string> => valueOption('--run-id <NAME>', description, readRunName);

export const suspend = (): FlagOption<'--suspend'> =>
  flagOption('--suspend', 'Wait for "wink approvals", also at a terminal');

export const expires = (): ValueOption<'--expires <TIME>', number> =>
  valueOption('--expires <TIME>', 'Then the answer is no: 30m, 12h, 7d', readExpiry);

export const onSuspend = (): ValueOption<'--on-suspend <CMD>', string> =>
  valueOption('--on-suspend <CMD>', 'Run CMD with the questions as JSON on its input', (name, text) => {
    if (text.trim() === '') throw new UsageError(`the command of ${name} is empty.`);
    return text;
  });

/** Values of the options that make no sense without a journal. */
interface JournalValues {
  readonly durable?: boolean | undefined;
  readonly journal?: string | undefined;
  readonly blobs?: string | undefined;
  readonly runId?: string | undefined;
  readonly suspend?: boolean | undefined;
  readonly expires?: number | undefined;
  readonly onSuspend?: string | undefined;
}

/** @throws {UsageError} for options that say something of a journal where there is none. */
export function refuseWithoutJournal(values: JournalValues): void {
  if (values.durable === true || values.journal !== undefined) return;
  const needing = {
    '--run-id': values.runId,
    '--blobs': values.blobs,
    '--suspend': values.suspend,
    '--expires': values.expires,
    '--on-suspend': values.onSuspend,
  };
  const given = Object.entries(needing).find(([, value]) => value !== undefined);
  if (given !== undefined) throw new UsageError(`${given[0]} requires --durable or --journal.`);
}

/** What becomes of questions. */
export function suspensionOf(values: JournalValues): SuspensionChoice {
  return { isForced: values.suspend === true, expiresMs: values.expires, command: values.onSuspend };
}
