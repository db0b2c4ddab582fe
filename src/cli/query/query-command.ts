import { MissingPeerError } from '../../core/error/index.ts';
import { counted, formatNumber } from '../../core/internal/index.ts';
import type { RunRecord } from '../../record/index.ts';
import type { QueryRequest } from '../commands/query.ts';
import { readRecordOf } from '../journal/journaled-record.ts';
import { type Journals, journalsOf } from '../journal/open-journal.ts';
import {
  type CliEnvironment,
  exitCodes,
  unlessAborted,
  widthOf,
  writeLines,
} from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { printable, wrapColumns } from '../process/plain-text.ts';
import { createTextStyle } from '../process/text-style.ts';
import { type QueryEnding, readQueryProgram, runQuery } from './query-process.ts';
import { jsonArray, resultJson, resultLines } from './result-text.ts';
import { checkStatement } from './sql-statement.ts';
import { createStatement, queryTables } from './tables/query-tables.ts';

/** What the command takes from outside, so that tests can replace it. */
export interface QueryParts {
  /** Version of Node, such as `22.16.0`. */
  readonly nodeVersion: string;
  /** The program that runs the query. */
  readonly readProgram: () => Promise<string>;
  readonly journals: Journals;
}

/**
 * Answers a query over a record, or lists its tables.
 * @returns the exit code of the process: 1 for a query that took too much.
 * @throws {UsageError} for a file that is not a record, SQL that is refused or wrong, and a version of Node without SQLite.
 */
export async function queryCommand(
  request: QueryRequest,
  environment: CliEnvironment,
  {
    nodeVersion = process.versions.node,
    readProgram = readQueryProgram,
    journals = journalsOf(environment),
  }: Partial<QueryParts> = {},
): Promise<number> {
  const { stdout, signal } = environment;
  const { file, journalNames, sql } = request;
  if (request.isSchema || file === undefined) {
    stdout.write(`${queryTables.map(createStatement).join('\n\n')}\n`);
    return exitCodes.done;
  }
  // What can be said without the record is said before it is read.
  const checked = sql === undefined ? undefined : checkStatement(sql);
  if (checked !== undefined && 'refused' in checked)
    throw new UsageError(`the SQL is refused: ${printable(checked.refused)}.`);
  if (checked !== undefined) checkVersion(nodeVersion);
  const record = await unlessAborted(
    readRecordOf({ file, journalNames, isShown: true }, 'queried', environment, journals),
    signal,
  );
  if (checked === undefined) {
    writeLines(stdout, request.isJson ? tablesJson(record) : tablesText(record, environment));
    return exitCodes.done;
  }
  const { timeoutMs } = request;
  const program = await readProgram();
  const query = { record, sql: checked.statement, timeoutMs, after: environment.after, signal, program };
  return print(await runQuery(query), request, environment);
}

function print(ending: QueryEnding, request: QueryRequest, environment: CliEnvironment): number {
  const { stdout, stderr, variables } = environment;
  const fail = (problem: string): number => {
    stderr.write(`wink: ${problem}.\n`);
    return exitCodes.failed;
  };
  switch (ending.kind) {
    case 'sql-error':
      throw new UsageError(
        `the SQL is wrong: ${printable(ending.message)}. wink query RUN lists the tables.`,
      );
    case 'timeout':
      return fail(
        `the query was stopped after ${counted(request.timeoutMs / 1000, 'second')}; --timeout allows more`,
      );
    case 'too-large':
      return fail('the query needs more memory than it may have: select fewer rows or shorter values');
    case 'crashed':
      return fail(`the process of the query ended ${ending.how}: select fewer rows or shorter values`);
    case 'result': {
      const { result } = ending;
      const width = widthOf(stdout);
      const style = createTextStyle(stdout, variables);
      const lines = request.isJson ? resultJson(result) : resultLines(result, { width, style });
      writeLines(stdout, lines);
      if (result.leftOut > 0)
        stderr.write(
          `wink: ${formatNumber(result.leftOut)} more rows are not shown: LIMIT and OFFSET select others.\n`,
        );
      return exitCodes.done;
    }
  }
}

/** @throws {UsageError} for a version of Node whose SQLite cannot do what the process of a query needs. */
function checkVersion(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major >= 24 || (major === 23 && minor >= 11) || (major === 22 && minor >= 16)) return;
  const error = new MissingPeerError(
    `wink query needs SQLite, which Node ${version} does not have: run it with Node 22.16 or later. wink query RUN without SQL works here, too.`,
  );
  throw new UsageError(error.message, { cause: error });
}

function tablesText(record: RunRecord, { stdout, variables }: CliEnvironment): readonly string[] {
  const width = widthOf(stdout);
  const style = createTextStyle(stdout, variables);
  return queryTables.flatMap((table) => [
    `${style('heading', table.name)}  ${counted(countRows(table.rows(record)), 'row')}`,
    ...wrapColumns(table.columns.map(({ name }) => name).join(', '), width - 4).map((line) => `    ${line}`),
  ]);
}

function tablesJson(record: RunRecord): Iterable<string> {
  return jsonArray(
    queryTables.map((table) => {
      const { name, about, columns } = table;
      return { table: name, about, rows: countRows(table.rows(record)), columns };
    }),
  );
}

function countRows(rows: Iterable<unknown>): number {
  let count = 0;
  for (const _row of rows) count += 1;
  return count;
}
