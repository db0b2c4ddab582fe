import type { FileChange } from '../../../filesystem/index.ts';
import { type JsonObject, sameJson } from '../../../schema/index.ts';
import type { RecordedApproval, UserAnswer, UserQuestion } from '../../../tool/index.ts';
import type { PolicyQuestion } from './verdict.ts';

interface GivenApproval extends PolicyQuestion {
  readonly changes: readonly FileChange[] | undefined;
}

/** What a call is, for telling it apart from others. */
export interface ApprovedCall {
  readonly toolName: string;
  readonly params: JsonObject;
}

/** What the user answered the handler of the call. */
interface GivenAnswer extends ApprovedCall {
  readonly question: UserQuestion;
  readonly answer: UserAnswer;
}

/** An approval of a call inside another one. */
interface InnerApproval extends GivenApproval, ApprovedCall {}

/**
 * What was approved for one call. A call that runs again because of a conflict does not ask the same question twice;
 * when what it would change has become something else, it does. Keeps the record of all questions, too.
 *
 * What is approved for calls inside counts as well. A policy that asks the same about the changes of the call as it asked about those inside has
 * its answer, as far as all of these changes were approved there. And when the call runs again, each approval inside the attempt before
 * answers the same question about the same call inside once more, so that nothing is asked twice and nothing is done twice on one approval.
 *
 * The same holds for what the user answered the handler, and those of calls inside: each answer is given again once, in another attempt.
 */
export class ApprovalMemory {
  readonly #call: ApprovedCall | undefined;
  /** Of the outer call; undefined outside of calls. */
  readonly #outer: ApprovalMemory | undefined;
  readonly #given: GivenApproval[] = [];
  readonly #records: RecordedApproval[] = [];
  /** Given inside, in this attempt. */
  #inner: InnerApproval[] = [];
  /** Given inside, in earlier attempts, and not made use of since. */
  #before: InnerApproval[] = [];
  /** Of the user, in this attempt, also inside. */
  #answers: GivenAnswer[] = [];
  /** Of the user, in earlier attempts, and not given again since. */
  #answersBefore: GivenAnswer[] = [];

  /** @param call what is approved; needed inside of another call. */
  constructor(call?: ApprovedCall, outer?: ApprovalMemory) {
    this.#call = call;
    this.#outer = outer;
  }

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
    const given = { ...question, changes };
    this.#given.push(given);
    if (this.#call !== undefined) this.#outer?.addInner({ ...given, ...this.#call });
  }

  /** Takes down that a question about a call inside was answered with yes. */
  addInner(approval: InnerApproval): void {
    this.#inner.push(approval);
    this.#outer?.addInner(approval);
  }

  /** The call is run again: what was approved inside was approved for calls that are gone. */
  beginAgain(): void {
    this.#before = [...this.#before, ...this.#inner];
    this.#inner = [];
    this.#answersBefore = [...this.#answersBefore, ...this.#answers];
    this.#answers = [];
  }

  /** Takes down what the user answered the handler. */
  addAnswer(question: UserQuestion, answer: UserAnswer): void {
    this.keepAnswer({ question, answer, ...this.#asking });
  }

  /** What the user answered an equal question of this call in an earlier attempt, at it or at one around it. Each answer is given again once. */
  answerAgain(question: UserQuestion): UserAnswer | undefined {
    return this.takeAnswer(question, this.#asking)?.answer;
  }

  get #asking(): ApprovedCall {
    return this.#call ?? { toolName: '', params: {} };
  }

  /** Takes down an answer that was given in the call, or inside. */
  keepAnswer(given: GivenAnswer): void {
    this.#answers.push(given);
    this.#outer?.keepAnswer(given);
  }

  /** Takes an answer of an earlier attempt, at this call or one around it; at most once for each. */
  takeAnswer(question: UserQuestion, asking: ApprovedCall): GivenAnswer | undefined {
    const place = this.#answersBefore.findIndex(
      (given) =>
        given.toolName === asking.toolName &&
        sameJson(given.params, asking.params) &&
        sameJson(given.question, question),
    );
    const found =
      place >= 0 ? this.#answersBefore.splice(place, 1)[0] : this.#outer?.takeAnswer(question, asking);
    if (found !== undefined) this.#answers.push(found);
    return found;
  }

  /**
   * True when the question, about these changes, was answered with yes: in this call, inside it, or in the same call inside
   * an earlier attempt at the outer call, whose approval is used up by that.
   */
  covers(question: PolicyQuestion, changes: readonly FileChange[] | undefined): boolean {
    const isSame = isSameQuestion(question);
    if (this.#given.some((given) => isSame(given) && areSameChanges(given.changes, changes))) return true;
    if (changes !== undefined && this.#isInnerApproved(changes, isSame)) return true;
    if (this.#call === undefined) return false;
    const { toolName, params } = this.#call;
    if (this.#outer?.takeAgain({ ...question, changes, toolName, params }) !== true) return false;
    this.#given.push({ ...question, changes });
    this.record({ ...question, about: changes === undefined ? 'call' : 'changes', approved: true });
    return true;
  }

  /** Whether this was approved inside an earlier attempt, at this call or one around it; at most once for each approval. */
  takeAgain(approval: InnerApproval): boolean {
    const isSame = isSameQuestion(approval);
    const place = this.#before.findIndex(
      (given) =>
        isSame(given) &&
        given.toolName === approval.toolName &&
        sameJson(given.params, approval.params) &&
        areSameChanges(given.changes, approval.changes),
    );
    if (place >= 0) this.#before.splice(place, 1);
    else if (this.#outer?.takeAgain(approval) !== true) return false;
    this.#inner.push(approval);
    return true;
  }

  #isInnerApproved(changes: readonly FileChange[], isSame: (given: PolicyQuestion) => boolean): boolean {
    const approved = this.#inner.flatMap((given) => (isSame(given) ? (given.changes ?? []) : []));
    return (
      approved.length > 0 &&
      changes.every((change) => approved.some((given) => hasSameOutcome(given, change)))
    );
  }
}

function isSameQuestion({ policy, reason }: PolicyQuestion): (given: PolicyQuestion) => boolean {
  return (given) => given.policy === policy && given.reason === reason;
}

/** Compares what would be written; the earlier content is not part of what was approved. */
function areSameChanges(
  left: readonly FileChange[] | undefined,
  right: readonly FileChange[] | undefined,
): boolean {
  if (left === undefined || right === undefined) return left === right;
  return left.length === right.length && left.every((change, index) => isSameChange(change, right[index]));
}

function isSameChange(left: FileChange, right: FileChange | undefined): boolean {
  return left.kind === right?.kind && hasSameOutcome(left, right);
}

/** Whether both leave the same at the path, whichever of them made a file and which changed one. */
function hasSameOutcome(left: FileChange, right: FileChange): boolean {
  if (left.path !== right.path || left.entry !== right.entry) return false;
  if (left.mode !== right.mode || left.link !== right.link) return false;
  if ((left.kind === 'removed') !== (right.kind === 'removed')) return false;
  if (left.after === undefined || right.after === undefined) return left.after === right.after;
  if (left.after.bytes !== right.after.bytes) return false;
  const bytes = right.after.data();
  return left.after.data().every((byte, index) => byte === bytes[index]);
}
