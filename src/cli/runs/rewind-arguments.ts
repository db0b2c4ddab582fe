import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import { readCall, readRun } from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink rewind`. */
export interface RewindRequest extends CommandRequest<'rewind'> {
  readonly runId: string;
  /** The last commit whose changes stay, or with `isBefore` the first one that is undone: its number, or the id of its call. */
  readonly to: number | string;
  readonly isBefore: boolean;
  /** The folder to put back; undefined: that of the run. */
  readonly workspace: string | undefined;
  /** Whether the folder is written. */
  readonly isApplied: boolean;
  /** Whether the diff is shown in full. */
  readonly isFull: boolean;
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
}

/** Reads the arguments after `rewind`. */
export const readRewindArguments: ArgumentReader<RewindRequest> = argumentReader(
  'rewind',
  { texts: ['to', 'before', 'workspace', 'journal', 'blobs'], flags: ['apply', 'full'] },
  (values, positionals) => {
    const runId = readRun(positionals, 'rewind RUN --to CALL');
    const { before, to, workspace } = values;
    if (before !== undefined && to !== undefined) {
      throw new UsageError('--to and --before both say how far to go back: choose one.');
    }
    const mark = before ?? to;
    if (mark === undefined || mark === '') {
      throw new UsageError(
        'say how far to go back: wink rewind RUN --to CALL keeps what CALL did, --before CALL undoes it, too; CALL is the id of a call or the number of a commit.',
      );
    }
    return {
      runId,
      to: readCall(mark),
      isBefore: before !== undefined,
      workspace,
      isApplied: values.apply === true,
      isFull: values.full === true,
      journalNames: readJournalNames(values),
    };
  },
);
