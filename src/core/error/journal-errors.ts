import { hasErrorMarker, WinkError, type WinkErrorOptions } from './wink-error.ts';

/**
 * Someone who does not hold the lease of a session wanted to write to its journal: another process has taken over, or the lease was not
 * renewed in time. Nothing was written.
 *
 * Code: `journal-fenced`.
 * What to do: nothing: another process has the run. This one must stop.
 */
export class JournalFencedError extends WinkError<'journal-fenced'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('JournalFencedError', message, { code: 'journal-fenced', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is JournalFencedError {
    return hasErrorMarker(value, 'JournalFencedError');
  }
}

/**
 * Codes of {@link RunRefusedError}.
 *
 * - `run-files-differ`: the folder is not as the rows of the run left it; `details.paths` names what differs, `details.files` says what was asked for.
 *   What to do: read `details.paths`. Then `files: 'restore'` puts the folder back, `files: 'as-is'` takes it as it is.
 * - `run-cancelled`: `cancelRun` has ended it for good; `details` has `by` and `reason`, where they were given.
 *   What to do: begin another run.
 * - `run-ended`: it has its answer, so there is nothing to cancel; or it has ended, and reads nothing more that is said to it.
 *   What to do: nothing: its answer is there, and `runAgent` with its id returns it. To say something to a run that has ended, continue it by `input` of `resumeRun`, or by
 *   `wink resume RUN --input TEXT`.
 * - `run-has-no-model`: it is that of a tool runtime, whose calls come from the loop of another program.
 *   What to do: say it to the program that makes the calls.
 * - `run-inbox-full`: 100 messages wait for the run; `details.waiting` says how many.
 *   What to do: say it again when the run has taken them, which it does before its next turn.
 * - `run-interrupted-repeatedly`: its process has ended outside of calls as often as `limits.maxInterruptions` says, without a new decision; `details.interruptions` says how often
 *   in all.
 *   What to do: find what ends the process (memory, a crash of a native module), then raise `limits.maxInterruptions`.
 * - `run-rows-missing`: its folder lacks a commit of it, and the journal does not know the run: it was removed, is another one, or has lost its log.
 *   What to do: name the journal that the run was kept in, or restore its backup.
 * - `run-known-otherwise`: the journal has a run of this name that began with something else; `details.differs` names what.
 *   What to do: give the other job an id of its own, or the run what it began with.
 */
export type RunRefusedErrorCode =
  | 'run-cancelled'
  | 'run-ended'
  | 'run-files-differ'
  | 'run-has-no-model'
  | 'run-inbox-full'
  | 'run-interrupted-repeatedly'
  | 'run-known-otherwise'
  | 'run-rows-missing';

/** A run of a journal cannot continue as it was asked to. No handler was run, and no row was written but those that say that it was tried. */
export class RunRefusedError extends WinkError<RunRefusedErrorCode> {
  constructor(code: RunRefusedErrorCode, message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('RunRefusedError', message, { code, ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is RunRefusedError {
    return hasErrorMarker(value, 'RunRefusedError');
  }
}

/**
 * A run with a journal could not write a decision to the journal, or bring it to the disk: what memory holds and what is durable may differ. Session and
 * files in memory of the run cannot be used any more; resume the run from its journal.
 *
 * Code: `run-lost`.
 * What to do: resume the run from its journal.
 */
export class RunLostError extends WinkError<'run-lost'> {
  constructor(message: string, options: Omit<WinkErrorOptions, 'code'> = {}) {
    super('RunLostError', message, { code: 'run-lost', ...options });
  }

  /** Recognizes this error, including one from another loaded copy of the package. */
  static override isInstance(value: unknown): value is RunLostError {
    return hasErrorMarker(value, 'RunLostError');
  }
}
