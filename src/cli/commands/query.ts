import type { CommandRequest } from '../options/command-request.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { flagOption, valueOption } from '../options/make-option.ts';
import { readDuration } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { oneRecord } from './positionals.ts';

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

const defaultTimeoutMs = 30_000;
/** A day: what is longer than this is a mistake in the unit. */
const maxTimeoutHours = 24;

/** `wink query` */
export const queryDefinition: CommandDefinition<QueryRequest> = defineCommand<QueryRequest>('query')(
  {
    names: 'RUN ["SQL"]',
    summary: 'Ask its calls, changes, turns, conflicts',
    usage: ['RUN ["SQL"] [options]'],
    tooMany: 'Put the SQL in quotes.',
    description:
      'Answers SQL over the rows of a run; without SQL it lists the tables. One statement that reads: SELECT, WITH ... SELECT, or EXPLAIN of these. It needs Node 22.16 or later.',
    after: [
      'Tables: record, runs, turns, events, problems, calls, attempts, conflicts, commits, policies, approvals, changes, writes, reads, session_events, contents.',
      'Times are milliseconds after the start of the run (..._ms). "call" is calls.id. Nested values are JSON text, for json_extract() and ->>.',
      '',
      'Questions:',
      '  Which calls failed, and why',
      '    SELECT id, tool, outcome, reason, message FROM calls',
      "      WHERE outcome <> 'committed'",
      '  Which calls changed a file',
      '    SELECT seq, call, tool, kind, at_ms FROM changes',
      "      WHERE path = 'notes.md' AND is_final ORDER BY seq",
      '  Tokens and cost of each turn',
      '    SELECT run, turn, input_tokens, output_tokens, cost, model_ms FROM turns',
      '  Where time was lost',
      '    SELECT call, tool, start_wait_ms, approval_ms, commit_wait_ms FROM attempts',
      '      ORDER BY coalesce(start_wait_ms, 0) + approval_ms',
      '        + coalesce(commit_wait_ms, 0) DESC LIMIT 10',
      '  What conflicted, and with whose work',
      '    SELECT c.call, c.tool, c.what, c.by_call, b.tool AS by_tool',
      '      FROM conflicts c LEFT JOIN calls b ON b.id = c.by_call',
      '',
      '  wink query last "SELECT tool, count(*) FROM calls GROUP BY tool"',
    ],
  },
  (command) =>
    command
      .argument('[RUN]')
      .argument('[SQL]')
      .optionsGroup('Query:')
      .addOption(valueOption('--timeout <SECONDS>', 'Stop it after this time (default: 30)', readTimeout))
      .addOption(flagOption('--schema', 'Print the tables with what each column holds'))
      .addOption(output.json('An array of objects, one a line'))
      .optionsGroup('Where the run is:')
      .addOption(kept.journal())
      .addOption(kept.blobs())
      .addOption(output.redact())
      .addOption(output.verbose()),
  (values, name, sql) => {
    const isSchema = values.schema === true;
    const isJson = values.json === true;
    const file = name === undefined && isSchema ? undefined : oneRecord(name, 'query RUN "SQL"');
    if (isSchema && sql !== undefined)
      throw new UsageError('--schema prints the tables and runs nothing: leave it or the SQL out.');
    if (isSchema && isJson)
      throw new UsageError('--schema prints SQL; without it --json lists the tables as JSON.');
    const timeoutMs = values.timeout ?? defaultTimeoutMs;
    return { file, journalNames: journalNamesOf(values), sql, isSchema, isJson, timeoutMs };
  },
);

/** A number without a unit has seconds. */
function readTimeout(name: string, given: string): number {
  return readDuration(name, /^[\d.]+$/.test(given) ? `${given}s` : given, maxTimeoutHours);
}
