import type { FileChange } from '../../../filesystem/index.ts';
import { freezeData, present } from '../../../internal/index.ts';
import { canonicalJson, type JsonValue } from '../../../schema/index.ts';
import type { OuterToolCall, ToolSuccess } from '../../../tool/index.ts';
import type { ToolCall } from '../tool-call/tool-call.ts';
import type { PolicyQuestion } from '../tool-call/verdict.ts';
import type { ObservedTransaction } from '../transaction/transaction.ts';

/** A question of a policy that waits for an answer. */
export interface PendingApproval {
  /** Identifies the question: the key of the call, attempt and policy, and `changes` for one about them. */
  readonly id: string;
  /** SHA-256 of what is asked, in hexadecimal: tool, params, changes, policy and reason. An answer names it, so that it is an answer to this very question. */
  readonly digest: string;
  readonly turn: number;
  readonly callId: string;
  readonly toolName: string;
  /** The `idempotencyKey` of the call. */
  readonly key: string;
  /** The calls that it runs inside of, outermost first; absent for a call of the run itself. */
  readonly path?: readonly OuterToolCall[];
  readonly params: JsonValue;
  readonly policy: string;
  /** Name of the prompt whose policy asks, where that is an outer one. Absent: the prompt of the call. */
  readonly policyPrompt?: string;
  readonly reason: string;
  /** The changes to files that wait for the answer; absent when the handler has not run yet. */
  readonly changes?: readonly FileChange[];
  /** Milliseconds since the Unix epoch. */
  readonly askedAtMs: number;
  /** When the question expires and its call is denied. Absent: never. */
  readonly expiresAtMs?: number;
}

/** What a call has done whose changes wait for an answer. */
export interface StagedCall {
  readonly observed: ObservedTransaction;
  readonly success: ToolSuccess<unknown>;
  readonly rendered: string;
}

/** An open question, and what its call has done. */
export interface OpenQuestion {
  readonly pending: PendingApproval;
  readonly attempt: number;
  /** Absent when the handler has not run yet. */
  readonly staged?: StagedCall;
}

/** How a question was answered; `expired`: it was not, in time. */
export interface KnownAnswer {
  readonly approved: boolean;
  readonly why?: string;
}

/** A no to a question about a call. */
export interface KnownRefusal extends PolicyQuestion {
  readonly why: string;
}

/** Finds answers that were given before the run was resumed. */
export interface KnownAnswers {
  /** The same question, as it was asked first; undefined: it is a new one. */
  earlier(pending: PendingApproval): Pick<PendingApproval, 'id' | 'askedAtMs' | 'expiresAtMs'> | undefined;
  /** Undefined: the question was not answered, and has not expired. */
  answerTo(pending: PendingApproval): KnownAnswer | undefined;
  /** A no to a question about the call, which is final. */
  refusalOf(key: string): KnownRefusal | undefined;
}

/** What a {@link RunSuspension} works with. */
export interface RunSuspensionOptions {
  /** SHA-256 in hexadecimal. */
  readonly digest: (text: string) => string;
  readonly hashOf: (change: FileChange) => string;
  readonly now: () => number;
  /** Whether a question without an answer ends the run; otherwise `approve` is asked. */
  readonly opens: boolean;
  readonly expiresMs: number | undefined;
  readonly answers: KnownAnswers | undefined;
}

/** The call that a question is about. */
export interface AskingCall {
  readonly call: ToolCall;
  /** What identifies it everywhere. */
  readonly key: string;
  /** The calls that it runs inside of, outermost first. */
  readonly path: readonly OuterToolCall[];
  readonly attempt: number;
  readonly params: JsonValue;
}

/**
 * Questions that a run ends with instead of waiting for their answers. In a turn, calls before the first question are committed, those after it are only
 * checked, so that a person gets one list.
 *
 * @see docs/spec/durable-runs.md §6
 */
export class RunSuspension {
  readonly #options: RunSuspensionOptions;
  /** The places of the calls of the turn, by their ids. */
  #places = new Map<string, number>();
  /** Questions with the calls of this evaluation that wait for their answers. */
  #open: { readonly callId: string; readonly question: OpenQuestion }[] = [];

  constructor(options: RunSuspensionOptions) {
    this.#options = options;
  }

  /** Whether a question without an answer ends the run. */
  get opens(): boolean {
    return this.#options.opens;
  }

  /** The questions without an answer, in the order of the calls. */
  get open(): readonly OpenQuestion[] {
    return this.#open
      .toSorted((left, right) => this.#placeOf(left) - this.#placeOf(right))
      .map(({ question }) => question);
  }

  /** For an evaluation inside a call: it has turns of its own. */
  inner(): RunSuspension {
    return new RunSuspension(this.#options);
  }

  /** A call waits for the answers to questions of calls inside it. */
  adopt({ callId }: ToolCall, questions: readonly OpenQuestion[]): void {
    for (const question of questions) this.#open.push({ callId, question });
  }

  /** The calls of a turn begin. */
  beginTurn(calls: readonly ToolCall[]): void {
    this.#places = new Map(calls.map(({ callId }, place) => [callId, place]));
    this.#open = [];
  }

  /** Whether an earlier call of the turn waits for an answer, so that this one must not do anything. */
  holdsBack(call: ToolCall): boolean {
    return this.#open.some((each) => this.#placeOf(each) < this.#placeOf(call));
  }

  /** Whether the call itself waits for an answer. */
  isWaiting({ callId }: ToolCall): boolean {
    return this.#open.some((each) => each.callId === callId);
  }

  /** The questions of a call were about reads that no longer hold. */
  retract({ callId }: ToolCall): void {
    this.#open = this.#open.filter((each) => each.callId !== callId);
  }

  /** A no that was given to any question about the call with this key. */
  refusalOf(key: string): KnownRefusal | undefined {
    return this.#options.answers?.refusalOf(key);
  }

  /** A question for someone who is asked while the run continues. */
  questionOf(
    asking: AskingCall,
    asked: PolicyQuestion,
    changes: readonly FileChange[] | undefined,
  ): OpenQuestion {
    return { pending: this.#pending(asking, asked, changes), attempt: asking.attempt };
  }

  /**
   * The answer to a question; without one the question is open from here on, where such a question ends the run.
   *
   * @param stagedOf what the call has done; called only for a question that is open.
   */
  ask(
    asking: AskingCall,
    asked: PolicyQuestion,
    changes: readonly FileChange[] | undefined,
    stagedOf: () => StagedCall | undefined,
  ): KnownAnswer | undefined {
    const pending = this.#pending(asking, asked, changes);
    const answer = this.#options.answers?.answerTo(pending);
    if (answer !== undefined) return answer;
    if (!this.#options.opens) return undefined;
    const { attempt, call } = asking;
    const staged = stagedOf();
    const question = { pending, attempt, ...present({ staged }) };
    this.#open.push({ callId: call.callId, question });
    return undefined;
  }

  #pending(
    { call, attempt, params, key, path }: AskingCall,
    question: PolicyQuestion,
    changes: readonly FileChange[] | undefined,
  ): PendingApproval {
    const { digest, hashOf, now, expiresMs } = this.#options;
    const { callId, toolName, turn } = call;
    const { policy, policyPrompt, reason } = question;
    const asked = {
      tool: toolName,
      params,
      policy: policyPrompt === undefined ? policy : [policyPrompt, policy],
      reason,
      changes: changes?.map((change) => outcomeOf(change, hashOf)) ?? null,
    };
    const askedAtMs = now();
    const by = policyPrompt === undefined ? policy : `${policyPrompt}.${policy}`;
    const pending: PendingApproval = {
      id: `${key}/${attempt}/${by}${changes === undefined ? '' : '/changes'}`,
      digest: digest(canonicalJson(asked)),
      turn,
      callId,
      toolName,
      key,
      params,
      ...question,
      ...present({ path: path.length === 0 ? undefined : path, changes }),
      askedAtMs,
      ...present({ expiresAtMs: expiresMs === undefined ? undefined : askedAtMs + expiresMs }),
    };
    return freezeData({ ...pending, ...this.#options.answers?.earlier(pending) });
  }

  #placeOf({ callId }: { readonly callId: string }): number {
    return this.#places.get(callId) ?? 0;
  }
}

/** What a change leaves at its path. */
function outcomeOf(change: FileChange, hashOf: (change: FileChange) => string): JsonValue {
  const { path, kind, entry, mode = null, link = null } = change;
  return [path, kind, entry, hashOf(change), mode, link];
}

/** Thrown by a loop whose run waits for answers. */
export class RunSuspended {
  readonly questions: readonly OpenQuestion[];

  constructor(questions: readonly OpenQuestion[]) {
    this.questions = questions;
  }
}
