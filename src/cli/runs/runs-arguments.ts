import {
  type ArgumentReader,
  argumentReader,
  type CommandRequest,
  refuseOthers,
} from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import { readAge, readAmount } from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink runs`. */
export type RunsRequest = CommandRequest<'runs'> & {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
} & (
    | { readonly action: 'list'; readonly folder: string | undefined; readonly isJson: boolean }
    | ({ readonly action: 'prune'; readonly isDryRun: boolean } & PruneChoice)
    | ({ readonly action: 'stop'; readonly runId: string } & StopChoice)
    | { readonly action: 'settle'; readonly runId: string }
    | { readonly action: 'export'; readonly runId: string; readonly out: string }
  );

/** How a run is stopped. */
interface StopChoice {
  /** Nothing goes on with it any more. */
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
const optionsOf: Readonly<Record<RunsRequest['action'], readonly string[]>> = {
  list: ['folder', 'json'],
  prune: ['folder', 'older-than', 'keep', 'once-older-than', 'budgets-older-than', 'dry-run'],
  stop: ['for-good', 'by', 'reason'],
  settle: [],
  export: ['out', 'redact'],
};

/** Reads the arguments after `runs`. */
export const readRunsArguments: ArgumentReader<RunsRequest> = argumentReader(
  'runs',
  {
    texts: [
      ...([
        'journal',
        'blobs',
        'folder',
        'older-than',
        'keep',
        'once-older-than',
        'budgets-older-than',
      ] as const),
      ...(['out', 'by', 'reason'] as const),
    ],
    flags: ['json', 'dry-run', 'for-good'],
    lists: ['redact'],
  },
  (values, [action = 'list', ...runIds]) => {
    if (!isAction(action)) {
      throw new UsageError(
        `"${action}" is not known: use wink runs, or wink runs prune, stop RUN, settle RUN or export RUN.`,
      );
    }
    refuseOthers(values, optionsOf[action], `wink runs${action === 'list' ? '' : ` ${action}`}`);
    const { folder } = values;
    const journalNames = readJournalNames(values);
    switch (action) {
      case 'list':
        if (runIds.length > 0) throw new UsageError('wink runs lists all runs: leave the name out.');
        return { journalNames, action, folder, isJson: values.json === true };
      case 'stop': {
        const { by, reason } = values;
        const isForGood = values['for-good'] === true;
        if (!isForGood && (by !== undefined || reason !== undefined)) {
          throw new UsageError('--by and --reason are kept with a run that is stopped --for-good.');
        }
        return { journalNames, action, runId: oneRun(action, runIds), isForGood, by, reason };
      }
      case 'settle':
        return { journalNames, action, runId: oneRun(action, runIds) };
      case 'export': {
        const runId = oneRun(action, runIds);
        if (values.out === undefined || values.out === '') {
          throw new UsageError('say where the record is written: wink runs export RUN --out FILE.');
        }
        return { journalNames, action, runId, out: values.out };
      }
      case 'prune': {
        const olderThanMs = readAge('--older-than', values['older-than']);
        const keep = readAmount('--keep', values.keep, 0);
        const onceOlderThanMs = readAge('--once-older-than', values['once-older-than']);
        const budgetsOlderThanMs = readAge('--budgets-older-than', values['budgets-older-than']);
        const choosesLedger = onceOlderThanMs !== undefined || budgetsOlderThanMs !== undefined;
        const choosesRuns = runIds.length > 0 || olderThanMs !== undefined || keep !== undefined;
        if (runIds.length > 0 && (olderThanMs !== undefined || keep !== undefined || folder !== undefined)) {
          throw new UsageError('name runs, or choose them with --folder, --older-than and --keep, not both.');
        }
        if (!choosesRuns && (!choosesLedger || folder !== undefined)) {
          throw new UsageError('say which runs to remove: --older-than 30d, --keep N, or their names.');
        }
        return {
          journalNames,
          action,
          runIds,
          folder,
          olderThanMs,
          keep,
          onceOlderThanMs,
          budgetsOlderThanMs,
          choosesRuns,
          isDryRun: values['dry-run'] === true,
        };
      }
    }
  },
);

function isAction(word: string): word is RunsRequest['action'] {
  return Object.hasOwn(optionsOf, word);
}

function oneRun(action: string, [runId, ...others]: readonly string[]): string {
  if (runId === undefined || runId === '' || others.length > 0) {
    throw new UsageError(`name one run: wink runs ${action} RUN; "wink runs" lists them.`);
  }
  return runId;
}
