import { pad } from '../process/plain-text.ts';
import { queryTables } from './tables/query-tables.ts';

/** Printed by `wink query --help`. */
export function queryHelpText(): string {
  const width = Math.max(...queryTables.map(({ name }) => name.length));
  const tables = queryTables.map(({ name, about }) => `  ${pad(name, width)}  ${about}`);
  return `Usage: wink query RUN                 lists the tables of a record, with their columns and how many rows they have
       wink query RUN "SQL" [options]
       wink query --schema            prints the tables as CREATE TABLE statements

Answers SQL over the rows of a record that "wink run --record" wrote. The tables are those of SQLite, in memory: nothing is written. One statement
that reads: SELECT, WITH … SELECT, or EXPLAIN of these. It runs in a process without permissions. Needs Node 22.16 or later.

Tables (each row is):
${tables.join('\n')}

Times are milliseconds after the start of the run (…_ms). "call" is calls.id. Nested values are JSON text, for json_extract() and ->>.

Examples:
  which calls failed, and why
    SELECT id, tool, outcome, reason, message FROM calls WHERE outcome <> 'committed'
  which calls changed a file
    SELECT seq, call, tool, kind, at_ms FROM changes WHERE path = 'notes.md' AND is_final ORDER BY seq
  tokens and cost of each turn
    SELECT run, turn, input_tokens, output_tokens, cost, model_ms FROM turns
  where time was lost
    SELECT call, tool, start_wait_ms, approval_ms, commit_wait_ms FROM attempts
      ORDER BY coalesce(start_wait_ms, 0) + approval_ms + coalesce(commit_wait_ms, 0) DESC LIMIT 10
  what conflicted, and with whose work
    SELECT c.call, c.tool, c.what, c.by_call, b.tool AS by_tool FROM conflicts c LEFT JOIN calls b ON b.id = c.by_call

Options:
  --json              Print an array of objects, one line a row; integers that a number cannot hold are texts, bytes are x'…'
  --timeout SECONDS   When the query is stopped (default 30)
  --schema            Print the CREATE TABLE statements, which say what each column holds
  --verbose           Print the stack of errors
  -h, --help          Print this help

Exit code: 0 done, 1 the query took too long or too much memory, 2 bad input, 130 interrupted.
`;
}
