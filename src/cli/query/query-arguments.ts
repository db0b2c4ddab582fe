import { parseArgs } from 'node:util';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** A request of `wink query`. */
export interface QueryRequest {
  readonly kind: 'query';
  /** Path of a record, or the name of a run in a journal; undefined: only the tables themselves are printed. */
  readonly file: string | undefined;
  /** The journal that has the run; undefined: a file, or else the journal in the user's state folder. */
  readonly journalFile: string | undefined;
  /** Undefined: the tables of the record are listed. */
  readonly sql: string | undefined;
  /** Whether the statements that create the tables are printed. */
  readonly isSchema: boolean;
  readonly isJson: boolean;
  readonly timeoutMs: number;
  readonly isVerbose: boolean;
}

/** A request of `wink query --help`, which has the list of the tables and is loaded with the command. */
export interface QueryHelpRequest {
  readonly kind: 'query-help';
}

const defaultTimeoutMs = 30_000;
/** A day: what is longer than this is a mistake in the unit. */
const maxTimeoutMs = 86_400_000;

/**
 * Reads the arguments after `query`.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readQueryArguments(argv: readonly string[]): QueryRequest | QueryHelpRequest {
  const { values, positionals } = parseArgs({
    // SQL that begins with a comment looks like an option; a space before it does not change it.
    args: argv.map((argument) => (/^--.*\n/.test(argument) ? ` ${argument}` : argument)),
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      schema: { type: 'boolean' },
      timeout: { type: 'string' },
      journal: { type: 'string' },
      verbose: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help === true) return { kind: 'query-help' };
  const [file, sql, ...others] = positionals;
  const isSchema = values.schema === true;
  if ((file === undefined && !isSchema) || file === '') {
    throw new UsageError(
      'no record given: wink query RUN "SQL", with a file that wink run --record wrote, or a run of the journal.',
    );
  }
  if (others.length > 0)
    throw new UsageError(
      `one record and one statement at a time, not ${positionals.length} arguments: put the SQL in quotes.`,
    );
  if (values.journal === '') throw new UsageError('the name of the journal is empty.');
  if (isSchema && sql !== undefined)
    throw new UsageError('--schema prints the tables and runs nothing: leave it or the SQL out.');
  if (isSchema && values.json === true)
    throw new UsageError('--schema prints SQL; without it --json lists the tables as JSON.');
  return {
    kind: 'query',
    file,
    journalFile: values.journal,
    sql,
    isSchema,
    isJson: values.json === true,
    timeoutMs: readTimeout(values.timeout),
    isVerbose: values.verbose === true,
  };
}

function readTimeout(given: string | undefined): number {
  if (given === undefined) return defaultTimeoutMs;
  const timeoutMs = /^\d+(\.\d+)?$/.test(given) ? Math.ceil(Number(given) * 1000) : 0;
  if (timeoutMs >= 1 && timeoutMs <= maxTimeoutMs) return timeoutMs;
  throw new UsageError(
    `--timeout ${printable(given)} is not possible: give seconds, above 0 and up to ${maxTimeoutMs / 1000}.`,
  );
}
