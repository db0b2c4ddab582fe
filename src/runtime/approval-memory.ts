import type { FileChange } from '../filesystem/index.ts';
import type { RecordedApproval } from './tool-invoked.ts';
import type { PolicyQuestion } from './verdict.ts';

interface GivenApproval extends PolicyQuestion {
  readonly changes: readonly FileChange[] | undefined;
}

/**
 * What was approved for one call. A call that runs again because of a conflict does not ask the same question twice;
 * when what it would change has become something else, it does. Keeps the record of all questions, too.
 */
export class ApprovalMemory {
  readonly #given: GivenApproval[] = [];
  readonly #records: RecordedApproval[] = [];

  /** Every question that was put, with its answer. */
  get records(): readonly RecordedApproval[] {
    return this.#records;
  }

  /** Takes down for the record of the call how a question was answered. */
  record(approval: RecordedApproval): void {
    this.#records.push(approval);
  }

  /** Takes down that the question was answered with yes. */
  add(question: PolicyQuestion, changes: readonly FileChange[] | undefined): void {
    this.#given.push({ ...question, changes });
  }

  /** True when this very question, about these very changes, was answered with yes. */
  covers(question: PolicyQuestion, changes: readonly FileChange[] | undefined): boolean {
    return this.#given.some(
      (given) =>
        given.policy === question.policy &&
        given.reason === question.reason &&
        areSameChanges(given.changes, changes),
    );
  }
}

/** Compares what would be written; what stood there before is no part of what was approved. */
function areSameChanges(
  left: readonly FileChange[] | undefined,
  right: readonly FileChange[] | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.length === right.length && left.every((change, index) => isSameChange(change, right[index]));
}

function isSameChange(left: FileChange, right: FileChange | undefined): boolean {
  if (left.path !== right?.path || left.kind !== right.kind || left.entry !== right.entry) return false;
  if (left.after === undefined || right.after === undefined) return left.after === right.after;
  if (left.after.bytes !== right.after.bytes) return false;
  const bytes = right.after.data();
  return left.after.data().every((byte, index) => byte === bytes[index]);
}
