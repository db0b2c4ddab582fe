import { JournalError } from '../../../core/error/index.ts';
import { quoteText } from '../../../core/internal/index.ts';

/** The schema that tables are in when no other one is named. */
export const defaultSchema = 'wink';

/**
 * The name of a schema as it is written in statements.
 *
 * @throws {JournalError} `journal-invalid` for one that is not 1 to 63 lower-case letters, digits and `_`, or begins with a digit or `pg_`.
 */
export function quotedSchema(name: string, caller: string): string {
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(name)) return `"${name}"`;
  throw new JournalError(
    'journal-invalid',
    `${caller}: the option schema must be 1 to 63 lower-case letters, digits and "_", without a digit or "pg_" at the beginning; it is ${quoteText(name)}.`,
  );
}
