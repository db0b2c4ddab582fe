import { argumentReader, type CommandRequest } from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import { readDuration, readRecordName } from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink query`. */
export interface QueryRequest extends CommandRequest<'query'> {
  /** Path of a record, or the name of a run in a journal; undefined: only the tables themselves are printed. */
  readonly file: string | undefined;
  /** The journal that has the run; undefined: a file, or else the journal in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Undefined: the tables of the record are listed. */
  readonly sql: string | undefined;
  /** Whether the statements that create the tables are printed. */
  readonly isSchema: boolean;
  readonly isJson: boolean;
  readonly timeoutMs: number;
}

/** A request of `wink query --help`, which has the list of the tables and is loaded with the command. */
export interface QueryHelpRequest {
  readonly kind: 'query-help';
}

const defaultTimeoutMs = 30_000;
/** A day: what is longer than this is a mistake in the unit. */
const maxTimeoutHours = 24;

const read = argumentReader<QueryRequest, 'timeout' | 'journal' | 'blobs', 'json' | 'schema'>(
  'query',
  { texts: ['timeout', 'journal', 'blobs'], flags: ['json', 'schema'], lists: ['redact'] },
  (values, [name, sql, ...others]) => {
    const isSchema = values.schema === true;
    const isJson = values.json === true;
    const file = name === undefined && isSchema ? undefined : readRecordName(name, 'query RUN "SQL"');
    if (others.length > 0)
      throw new UsageError(
        `one record and one statement at a time, not ${2 + others.length} arguments: put the SQL in quotes.`,
      );
    if (isSchema && sql !== undefined)
      throw new UsageError('--schema prints the tables and runs nothing: leave it or the SQL out.');
    if (isSchema && isJson)
      throw new UsageError('--schema prints SQL; without it --json lists the tables as JSON.');
    return {
      file,
      journalNames: readJournalNames(values),
      sql,
      isSchema,
      isJson,
      timeoutMs: readTimeout(values.timeout),
    };
  },
);

/**
 * Reads the arguments after `query`.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readQueryArguments(argv: readonly string[]): QueryRequest | QueryHelpRequest {
  // SQL that begins with a comment looks like an option; a space before it does not change it.
  const request = read(argv.map((argument) => (/^--.*\n/.test(argument) ? ` ${argument}` : argument)));
  return request.kind === 'help' ? { kind: 'query-help' } : request;
}

/** A number without a unit has seconds. */
function readTimeout(given: string | undefined): number {
  const text = given !== undefined && /^[\d.]+$/.test(given) ? `${given}s` : given;
  return readDuration('--timeout', text, maxTimeoutHours) ?? defaultTimeoutMs;
}
