import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import { type ProcessEnd, startProcess } from '../../host/index.ts';
import type { RunRecord } from '../../record/index.ts';
import type { CliEnvironment } from '../process/environment.ts';
import { linesOf } from '../process/lines-of.ts';
import type { EndOfRows, QueryInput, QueryOutput, QueryValue, SentRow } from './protocol.ts';
import { createStatement, queryTables } from './tables/query-tables.ts';
import type { Cell } from './tables/table.ts';

/** Where the build puts the program, seen from the file that this module becomes a part of. */
const built = new URL('../cli/query/program.js', import.meta.url);

/** Rows that are printed at most. */
const maxRows = 10_000;
const defaultResultBytes = 64 * 1024 * 1024;
/** For the tables, what a query needs beside them, and Node itself, which takes up to half a GiB. */
const defaultMemoryBytes = 3 * 1024 * 1024 * 1024;
/** For one value as text; what is larger ends the process. */
const heapMib = 1024;

const chunkCharacters = 64 * 1024;

/** What a query found. */
export interface QueryResult {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly QueryValue[])[];
  /** How many more rows there are. */
  readonly leftOut: number;
}

/** How a query ended: with a result, with an error in the SQL, or because it took too much. */
export type QueryEnding =
  | { readonly kind: 'result'; readonly result: QueryResult }
  | { readonly kind: 'sql-error'; readonly message: string }
  | { readonly kind: 'timeout' }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'crashed'; readonly how: string };

/** What a query is run with. */
export interface QueryOptions {
  readonly record: RunRecord;
  /** One statement. It is not checked here. */
  readonly sql: string;
  readonly timeoutMs: number;
  /** What the process may use, but for Windows; by default 3 GiB. */
  readonly maxMemoryBytes?: number;
  /** What the rows that are printed may have together, in characters of JSON; by default 64 MiB. The last one may go beyond. */
  readonly maxResultBytes?: number;
  readonly after: CliEnvironment['after'];
  readonly signal: AbortSignal;
  /** The text of the program; by default that of the build. */
  readonly program?: string;
}

/** The program of the process, as the build made it. */
export function readQueryProgram(file: URL = built): Promise<string> {
  return readFile(file, 'utf8');
}

/**
 * Runs one statement over the tables of a record in a process of its own, which may do nothing else (see program.ts), and ends the process.
 * @throws the reason of the signal.
 */
export async function runQuery(options: QueryOptions): Promise<QueryEnding> {
  const { timeoutMs, after, signal } = options;
  const program = options.program ?? (await readQueryProgram());
  signal.throwIfAborted();
  const line = limited(options, [
    '--permission',
    '--no-warnings',
    `--max-old-space-size=${heapMib}`,
    '--input-type=module',
    '--eval',
    program,
  ]);
  const stdout = new PassThrough();
  const { ended, stop } = startProcess(
    { ...line, cwd: dirname(process.execPath) },
    {
      env: {},
      input: chunksOf(linesFor(options)),
      onStdout: (chunk) => void stdout.write(chunk),
      signal,
      timeoutMs,
      clock: { schedule: after },
    },
  );
  try {
    const closed = ended.finally(() => stdout.end());
    const [end, outputs] = await Promise.all([closed, outputsOf(stdout)]);
    return end.timedOut ? { kind: 'timeout' } : endingOf(outputs, howOf(end));
  } finally {
    stop(undefined);
  }
}

function howOf({ exitCode, signal, startFailure }: ProcessEnd): string {
  if (startFailure !== undefined) return `before it began, because its program is ${startFailure}`;
  return signal === undefined ? `with code ${exitCode}` : `by the signal ${signal}`;
}

/**
 * Node with these arguments, under limits of the system: no file may grow, so much memory, and so much time of a processor, for the case that this
 * process is killed and cannot end the other one. A limit that is lower already stays.
 */
function limited(
  { timeoutMs, maxMemoryBytes = defaultMemoryBytes }: QueryOptions,
  args: readonly string[],
): { readonly command: string; readonly args: readonly string[] } {
  if (process.platform === 'win32') return { command: process.execPath, args };
  // Several threads of Node count.
  const seconds = 10 + 2 * Math.ceil(timeoutMs / 1000);
  const limits = `ulimit -f 0; ulimit -c 0; ulimit -t ${seconds}; ulimit -d ${Math.ceil(maxMemoryBytes / 1024)}`;
  return { command: '/bin/sh', args: ['-c', `${limits}; exec "$0" "$@"`, process.execPath, ...args] };
}

function* linesFor({ record, sql, maxResultBytes = defaultResultBytes }: QueryOptions): Generator<string> {
  const input: QueryInput = {
    sql,
    tables: queryTables.map((table) => ({
      name: table.name,
      create: createStatement(table),
      columns: table.columns.length,
    })),
    maxRows,
    maxBytes: maxResultBytes,
  };
  yield `${JSON.stringify(input)}\n`;
  for (const [index, table] of queryTables.entries()) {
    for (const values of table.rows(record)) {
      const row: SentRow = [index, ...values.map(storable)];
      yield `${JSON.stringify(row)}\n`;
    }
  }
  const end: EndOfRows = [];
  yield `${JSON.stringify(end)}\n`;
}

/** Joins lines, because every piece of a stream costs time. */
function* chunksOf(lines: Iterable<string>): Generator<string> {
  let chunk = '';
  for (const line of lines) {
    chunk += line;
    if (chunk.length < chunkCharacters) continue;
    yield chunk;
    chunk = '';
  }
  yield chunk;
}

/** SQLite ends texts at NUL in most of its functions; its picture takes its place. */
function storable(value: Cell): Cell {
  return typeof value === 'string' ? value.replaceAll('\u0000', '\u2400') : value;
}

async function outputsOf(stdout: Readable): Promise<readonly QueryOutput[]> {
  stdout.setEncoding('utf8');
  const outputs: QueryOutput[] = [];
  let last: string | undefined;
  for await (const line of linesOf(stdout)) {
    // Only the program writes there, and a query has no way to.
    if (last !== undefined) outputs.push(JSON.parse(last) as QueryOutput);
    last = line;
  }
  // What follows the last line feed is empty, or was cut off when the process was ended.
  return outputs;
}

function endingOf(outputs: readonly QueryOutput[], how: string): QueryEnding {
  let columns: readonly string[] = [];
  const rows: (readonly QueryValue[])[] = [];
  for (const output of outputs) {
    if ('columns' in output) columns = output.columns;
    else if ('row' in output) rows.push(output.row);
    else if ('leftOut' in output)
      return { kind: 'result', result: { columns, rows, leftOut: output.leftOut } };
    else if (output.isTooLarge) return { kind: 'too-large' };
    else return { kind: 'sql-error', message: output.error };
  }
  return { kind: 'crashed', how };
}
