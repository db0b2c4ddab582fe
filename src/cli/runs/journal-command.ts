import type { JournalRequest } from '../commands/journal.ts';
import { printedName } from '../journal/journal-name.ts';
import { migrateJournal } from '../journal/open-journal.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';

/**
 * Makes the tables of a journal, or brings those of an earlier version to this one.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a journal that cannot be used.
 */
export async function journalCommand(
  { journalName }: JournalRequest,
  { stdout, variables }: Pick<CliEnvironment, 'stdout' | 'variables'>,
  { migrate = migrateJournal }: { readonly migrate?: typeof migrateJournal } = {},
): Promise<number> {
  await migrate(journalName, variables);
  writeLines(stdout, [`${printedName(journalName, variables)} has the tables of this version.`]);
  return exitCodes.done;
}
