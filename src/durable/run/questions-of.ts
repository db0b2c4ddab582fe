import { type Approver, isSuspension, RunSuspension } from '../../core/runtime/index.ts';
import { sha256 } from '../../record/index.ts';
import { RecordedAnswers } from '../rows/recorded-answers.ts';
import type { RunRows } from '../rows/run-rows.ts';

/** What decides on the questions of policies. */
interface Questions {
  readonly approve: Approver | undefined;
  /** The rows of a run that is resumed; undefined for a new one. */
  readonly rows: RunRows | undefined;
}

/** Where the questions of policies go, and where answers from before are found. */
export function questionsOf({ approve, rows }: Questions, now: () => number): RunSuspension {
  const wasSuspended = rows !== undefined && rows.pending.length > 0;
  return new RunSuspension({
    digest: sha256,
    hashOf: ({ after }) => (after === undefined ? '' : sha256(after.data())),
    now,
    // A run that waited waits again, unless someone is there to answer.
    opens: isSuspension(approve) || (approve === undefined && wasSuspended),
    expiresMs: isSuspension(approve) ? approve.expiresMs : undefined,
    answers: rows === undefined ? undefined : new RecordedAnswers(rows, now),
  });
}
