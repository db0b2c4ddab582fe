import { JournalError } from '../../../core/error/index.ts';
import { quoteText } from '../../../core/internal/index.ts';

/** The schema that tables are in when no other one is named. */
export const defaultSchema = 'wink';

/**
 * Checks the name of a schema, so that it can be part of a statement.
 *
 * @throws {JournalError} `journal-invalid` for one that is not 1 to 63 lower-case letters, digits and `_`, or begins with a digit or `pg_`.
 */
export function assertSchema(name: string, caller: string): void {
  if (/^(?!pg_)[a-z_][a-z0-9_]{0,62}$/.test(name)) return;
  throw new JournalError(
    'journal-invalid',
    `${caller}: the option schema must be 1 to 63 lower-case letters, digits and "_", without a digit or "pg_" at the beginning; it is ${quoteText(name)}.`,
  );
}

/** A name that was checked as it is written in statements, where it may be a word of the language. */
export const quoted = (name: string): string => `"${name}"`;
