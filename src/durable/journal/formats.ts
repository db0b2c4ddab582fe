import { JournalError } from '../../core/error/index.ts';

/** How the tables of a journal become those of the next format. */
export interface FormatStep {
  /** The format that it begins with; it leads to the one after it. */
  readonly from: number;
}

/** The tables of a journal, and how those of earlier formats become them. */
export interface Formats<Step extends FormatStep> {
  readonly format: number;
  /** One for each format that can be migrated, the oldest first, without gaps. */
  readonly migrations: readonly Step[];
}

/**
 * What leads from a format to the present one.
 *
 * @param place what has the tables, as messages call it.
 * @throws {JournalError} `journal-version-unsupported` for a format that this version does not know, or does not know any more.
 */
export function migrationsFrom<Step extends FormatStep>(
  format: number,
  { format: present, migrations }: Formats<Step>,
  place = 'file',
): readonly Step[] {
  const steps = migrations.filter(({ from }) => from >= format);
  if (format <= present && steps.length === present - format) return steps;
  const oldest = migrations[0]?.from ?? present;
  const known = oldest === present ? `format ${present}` : `formats ${oldest} to ${present}`;
  const remedy =
    format > present
      ? `A later version has written it: update weakincentives, or use another ${place}.`
      : `Use the version that made the journal, or another ${place}.`;
  throw new JournalError(
    'journal-version-unsupported',
    `The journal has format ${format}, and this version of weakincentives knows ${known}. ${remedy}`,
    { details: { version: format } },
  );
}

/** What an operation rejects with once another version has migrated the journal. */
export function migrated(from: number, version: number): JournalError {
  return new JournalError(
    'journal-version-unsupported',
    `Another version of weakincentives has brought the journal from format ${from} to ${version} since it was opened. Open it again, with that version.`,
    { details: { version } },
  );
}
