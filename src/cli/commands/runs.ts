import type { JournaledRun } from '../../core/runtime/index.ts';
import type { CommandRequest } from '../options/command-request.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { choiceOption, flagOption, textOption, valueOption } from '../options/make-option.ts';
import { readAge, readAmount } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { actionOf, refuseOthers } from './positionals.ts';

/** A request of `wink runs`. */
export type RunsRequest = CommandRequest<'runs'> & {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
} & (
    | ({ readonly action: 'list' } & ListChoice)
    | ({ readonly action: 'prune'; readonly isDryRun: boolean } & PruneChoice)
    | ({ readonly action: 'stop'; readonly runId: string } & StopChoice)
    | { readonly action: 'settle'; readonly runId: string }
    | { readonly action: 'export'; readonly runId: string; readonly out: string }
  );

/** Which runs are listed, and how. */
interface ListChoice {
  /** Runs of this folder only; undefined: of all. */
  readonly folder: string | undefined;
  /** Runs in this state only; undefined: in any. */
  readonly status: JournaledRun['status'] | undefined;
  /** How many at most, of those that were at work last. */
  readonly limit: number;
  readonly isJson: boolean;
}

const defaultLimit = 50;

const states: readonly JournaledRun['status'][] = [
  'running',
  'suspended',
  'interrupted',
  'finished',
  'failed',
  'cancelled',
];

/** How a run is stopped. */
interface StopChoice {
  /** Nothing continues it any more. */
  readonly isForGood: boolean;
  readonly by: string | undefined;
  readonly reason: string | undefined;
}

/** Which runs are removed: those that are named, else those that are older and not among the last. */
export interface PruneChoice {
  readonly runIds: readonly string[];
  /** Runs of this folder only; undefined: of all. */
  readonly folder: string | undefined;
  /** Only those that were updated longer ago than this; undefined: of any age. */
  readonly olderThanMs: number | undefined;
  /** How many of the last runs stay; undefined: none because of that. */
  readonly keep: number | undefined;
  /** Whether runs are removed; false: only what the ledger has. */
  readonly choosesRuns: boolean;
  /** Also what tools have done once longer ago than this; undefined: all of it stays. */
  readonly onceOlderThanMs: number | undefined;
  /** Also what was spent of budgets in periods that nothing has changed for longer than this; undefined: all of it stays. */
  readonly budgetsOlderThanMs: number | undefined;
}

/** The options of each action. */
const optionsOf = {
  list: ['folder', 'status', 'limit', 'json'],
  prune: ['folder', 'olderThan', 'keep', 'onceOlderThan', 'budgetsOlderThan', 'dryRun'],
  stop: ['forGood', 'by', 'reason'],
  settle: [],
  export: ['out', 'redact'],
} as const satisfies Record<RunsRequest['action'], readonly string[]>;

/** `wink runs` */
export const runsDefinition: CommandDefinition<RunsRequest> = defineCommand<RunsRequest>('runs')(
  {
    actions: Object.keys(optionsOf),
    names: '',
    summary: 'List, stop, remove, export runs of the journal',
    usage: [
      '[list] [--folder DIR] [--status STATE] [--limit N] [--json]',
      'prune RUN... | --older-than TIME | --keep N [options]',
      'stop RUN [--for-good [--by NAME] [--reason TEXT]]',
      'settle RUN',
      'export RUN --out FILE',
    ],
    description:
      'Runs of the journal. "stop" ends a run of another process, which can be resumed. "settle" brings the folder to the last commit of a run. "export" writes its record, for "wink view" and "wink replay" elsewhere.',
    after: ['  wink runs prune --older-than 30d --keep 100'],
  },
  (command) =>
    command
      .argument('[ACTION]')
      .argument('[RUN...]')
      .optionsGroup('List and prune:')
      .addOption(textOption('--folder <DIR>', 'Runs on this folder only'))
      .optionsGroup('List:')
      .addOption(
        choiceOption(
          '--status <STATE>',
          `Only those that are ${states.slice(0, -1).join(', ')} or ${states.at(-1)}`,
          states,
        ),
      )
      .addOption(valueOption('--limit <N>', `The last N (default: ${defaultLimit})`, readAmount))
      .addOption(output.json('One object a line'))
      .optionsGroup('Prune:')
      .addOption(
        valueOption('--older-than <TIME>', 'Those that were last at work before: 30m, 12h, 30d', readAge),
      )
      .addOption(valueOption('--keep <N>', 'All but the last N', (name, text) => readAmount(name, text, 0)))
      .addOption(
        valueOption(
          '--once-older-than <TIME>',
          'Also what tools did once, longer ago ("wink once")',
          readAge,
        ),
      )
      .addOption(
        valueOption(
          '--budgets-older-than <TIME>',
          'Also periods of budgets that are over ("wink budgets")',
          readAge,
        ),
      )
      .addOption(flagOption('--dry-run', 'Print what would be removed'))
      .optionsGroup('Stop:')
      .addOption(flagOption('--for-good', 'Cancelled: never resumed'))
      .addOption(textOption('--by <NAME>', 'Who cancels it (default: the user of the system)'))
      .addOption(textOption('--reason <TEXT>', 'Why'))
      .optionsGroup('Export:')
      .addOption(textOption('--out <FILE>', 'The record, a new file'))
      .addOption(output.redact())
      .optionsGroup('Where the runs are:')
      .addOption(kept.journal())
      .addOption(kept.blobs())
      .addOption(output.verbose()),
  ({ journal, blobs, verbose: _verbose, ...values }, word, runIds) => {
    const action = actionOf(word, 'runs', optionsOf);
    refuseOthers(values, optionsOf[action], `wink runs ${action}`);
    const journalNames = journalNamesOf({ journal, blobs });
    const { folder } = values;
    switch (action) {
      case 'list':
        if (runIds.length > 0) throw new UsageError('wink runs lists all runs: leave the name out.');
        return {
          journalNames,
          action,
          folder,
          status: values.status,
          limit: values.limit ?? defaultLimit,
          isJson: values.json === true,
        };
      case 'stop': {
        const { by, reason } = values;
        const isForGood = values.forGood === true;
        if (!isForGood && (by !== undefined || reason !== undefined)) {
          throw new UsageError('--by and --reason are kept with a run that is stopped --for-good.');
        }
        return { journalNames, action, runId: onlyRun(action, runIds), isForGood, by, reason };
      }
      case 'settle':
        return { journalNames, action, runId: onlyRun(action, runIds) };
      case 'export': {
        const runId = onlyRun(action, runIds);
        if (values.out === undefined) {
          throw new UsageError('say where the record is written: wink runs export RUN --out FILE.');
        }
        return { journalNames, action, runId, out: values.out };
      }
      case 'prune':
        return { journalNames, action, isDryRun: values.dryRun === true, ...pruneChoice(runIds, values) };
    }
  },
);

function pruneChoice(
  runIds: readonly string[],
  values: {
    readonly folder?: string;
    readonly olderThan?: number;
    readonly keep?: number;
    readonly onceOlderThan?: number;
    readonly budgetsOlderThan?: number;
  },
): PruneChoice {
  const { folder, keep, olderThan: olderThanMs } = values;
  const { onceOlderThan: onceOlderThanMs, budgetsOlderThan: budgetsOlderThanMs } = values;
  const choosesLedger = onceOlderThanMs !== undefined || budgetsOlderThanMs !== undefined;
  const choosesRuns = runIds.length > 0 || olderThanMs !== undefined || keep !== undefined;
  if (runIds.length > 0 && (olderThanMs !== undefined || keep !== undefined || folder !== undefined)) {
    throw new UsageError('name runs, or choose them with --folder, --older-than and --keep, not both.');
  }
  if (!choosesRuns && (!choosesLedger || folder !== undefined)) {
    throw new UsageError('say which runs to remove: --older-than 30d, --keep N, or their names.');
  }
  return { runIds, folder, olderThanMs, keep, onceOlderThanMs, budgetsOlderThanMs, choosesRuns };
}

function onlyRun(action: string, [runId, ...others]: readonly string[]): string {
  if (runId === undefined || runId === '' || others.length > 0) {
    throw new UsageError(`name one run: wink runs ${action} RUN; "wink runs" lists them.`);
  }
  return runId;
}
