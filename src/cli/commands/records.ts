import type { CommandRequest } from '../options/command-request.ts';
import { flagOption, valueOption } from '../options/make-option.ts';
import { readAge, readAmount, readSize } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { noHeading } from './help-layout.ts';
import { actionOf, refuseOthers } from './positionals.ts';

/** A request of `wink records`. */
export type RecordsRequest = CommandRequest<'records'> &
  (
    | { readonly action: 'list'; readonly isJson: boolean }
    | {
        readonly action: 'prune';
        /** Records by their names or paths; empty: those that the rest chooses. */
        readonly files: readonly string[];
        /** Only those that were written longer ago than this; undefined: of any age. */
        readonly olderThanMs: number | undefined;
        /** How many of the last records stay; undefined: none because of that. */
        readonly keep: number | undefined;
        /** How many bytes all records may have; undefined: any number. */
        readonly maxBytes: number | undefined;
        readonly isDryRun: boolean;
      }
  );

/** The options of each action. */
const optionsOf = {
  list: ['json'],
  prune: ['olderThan', 'keep', 'maxSize', 'dryRun'],
} as const satisfies Record<RecordsRequest['action'], readonly string[]>;

/** `wink records` */
export const recordsDefinition: CommandDefinition<RecordsRequest> = defineCommand<RecordsRequest>('records')(
  {
    actions: Object.keys(optionsOf),
    names: '',
    summary: 'List and remove recorded runs',
    usage: ['[list] [--json]', 'prune FILE...|--older-than TIME|--keep N|--max-size SIZE'],
    description:
      'Records that "wink run --record" and "wink serve --record" wrote without the name of a file. They are in the folder of WINK_RECORDS, or else in the state folder of the user. The next --record removes those that are older than 30 days, or than WINK_RECORDS_DAYS; 0 keeps all.',
    after: ['  wink records prune --max-size 500mb --dry-run'],
  },
  (command) =>
    command
      .argument('[ACTION]')
      .argument('[FILE...]')
      .optionsGroup('List:')
      .addOption(output.json('One object a line'))
      .optionsGroup('Prune:')
      .addOption(valueOption('--older-than <TIME>', 'Those that were written before: 30m, 12h, 30d', readAge))
      .addOption(valueOption('--keep <N>', 'All but the last N', (name, text) => readAmount(name, text, 0)))
      .addOption(valueOption('--max-size <SIZE>', 'The oldest, until the rest has it: 500mb, 2gb', readSize))
      .addOption(flagOption('--dry-run', 'Print what would be removed'))
      .optionsGroup(noHeading)
      .addOption(output.verbose()),
  ({ verbose: _verbose, ...values }, word, files) => {
    const action = actionOf(word, 'records', optionsOf);
    refuseOthers(values, optionsOf[action], `wink records ${action}`);
    if (action === 'list') {
      if (files.length > 0) throw new UsageError('wink records lists all records: leave the name out.');
      return { action, isJson: values.json === true };
    }
    const { keep, olderThan: olderThanMs, maxSize: maxBytes } = values;
    const chooses = olderThanMs !== undefined || keep !== undefined || maxBytes !== undefined;
    if (files.length > 0 && chooses) {
      throw new UsageError(
        'name records, or choose them with --older-than, --keep and --max-size, not both.',
      );
    }
    if (files.length === 0 && !chooses) {
      throw new UsageError(
        'say which records to remove: --older-than 30d, --keep N, --max-size 500mb, or their names.',
      );
    }
    if (files.includes('')) throw new UsageError('the name of a record is empty.');
    return { action, files, olderThanMs, keep, maxBytes, isDryRun: values.dryRun === true };
  },
);
