import { readCommandLine } from '../options/command-line.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink rewind`. */
export interface RewindRequest {
  readonly kind: 'rewind';
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
  /** Undefined: the journal in the user's state folder. */
  readonly journalFile: string | undefined;
  readonly isVerbose: boolean;
}

/**
 * Reads the arguments after `rewind`.
 * @throws {UsageError} and what `parseArgs` throws.
 */
export function readRewindArguments(argv: readonly string[]): RewindRequest | { readonly kind: 'help' } {
  const { values, positionals } = readCommandLine(argv, {
    texts: ['to', 'before', 'workspace', 'journal'],
    flags: ['apply', 'full'],
  });
  if (values.help === true) return { kind: 'help' };
  const [runId, ...others] = positionals;
  if (runId === undefined || runId === '') {
    throw new UsageError('no run given: wink rewind RUN --to CALL; "wink runs" lists them.');
  }
  if (others.length > 0) throw new UsageError(`one run at a time, not ${positionals.length}.`);
  const { before, to, workspace, journal } = values;
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
    kind: 'rewind',
    runId,
    to: /^\d{1,9}$/.test(mark) ? Number(mark) : mark,
    isBefore: before !== undefined,
    workspace,
    isApplied: values.apply === true,
    isFull: values.full === true,
    journalFile: journal,
    isVerbose: values.verbose === true,
  };
}
