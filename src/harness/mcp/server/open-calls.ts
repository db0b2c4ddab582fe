import type { ApprovalHandler, ApprovalRequest, UserAsker } from '../../../core/runtime/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import { toApproval, toUserAnswer } from './elicitation.ts';
import {
  type AskedOfClient,
  type CallQuestion,
  type CallRunner,
  type ClientAnswer,
  OpenCall,
} from './open-call.ts';

/** What {@link OpenCalls} works with. */
export interface OpenCallsOptions {
  readonly clock: Clock;
  /** Makes a name that a client cannot guess. */
  readonly randomId: () => string;
  /** How long the client may take to answer a question, in milliseconds. */
  readonly answerTimeoutMs: number;
  /** Calls that may run at a time. Those that wait for an answer are among them, and one place is kept for others. */
  readonly maxConcurrentCalls: number;
}

/** A question that its client has got, and has not answered. */
interface KeptQuestion {
  readonly call: OpenCall;
  readonly question: CallQuestion;
  readonly cancelTimeout: () => void;
}

/** Why a question ends without an answer. */
const notInTime: ClientAnswer = { kind: 'none', reason: 'The question was not answered in time.' };
const tooMany: ClientAnswer = {
  kind: 'none',
  reason: 'The question was withdrawn: too many questions of this session wait for an answer.',
};

/**
 * The calls of a session that continue, and the questions in them. Where a question ends a request, the call stays open until the next one: the client names it by a
 * state that it cannot guess, and that counts once, for this question, and for the same tool and arguments.
 */
export class OpenCalls {
  readonly #options: OpenCallsOptions;
  readonly #running = new Map<string, OpenCall>();
  readonly #kept = new Map<string, KeptQuestion>();

  constructor(options: OpenCallsOptions) {
    this.#options = options;
  }

  /** Asks the client of the call whether it may continue. */
  readonly approve: ApprovalHandler = async (request, { signal }) =>
    toApproval(await this.#ask({ kind: 'approval', request }, request, signal));

  /** Asks the client of the call for its handler. */
  readonly askUser: UserAsker = async (question, { signal, ...call }) =>
    toUserAnswer(await this.#ask({ kind: 'user', toolName: call.toolName, question }, call, signal));

  /** Asks the client of the call; of the outermost one for a call inside others. */
  async #ask(
    asked: AskedOfClient,
    { callId, path }: Pick<ApprovalRequest, 'callId' | 'path'>,
    signal: AbortSignal,
  ): Promise<ClientAnswer> {
    const call = this.#running.get(path[0]?.callId ?? callId);
    return (
      call?.ask(asked, signal) ?? { kind: 'none', reason: 'The client that made the call cannot be asked.' }
    );
  }

  begin(name: { readonly callId: string; readonly key: string }, run: CallRunner): OpenCall {
    const { callId } = name;
    const call = new OpenCall(name, async (signal, onProgress) => {
      try {
        return await run(signal, onProgress);
      } finally {
        this.#running.delete(callId);
      }
    });
    this.#running.set(callId, call);
    return call;
  }

  /** Keeps a call until its client answers the question in another request. @returns the state that names both. */
  keep(call: OpenCall, question: CallQuestion): string {
    const { maxConcurrentCalls, randomId } = this.#options;
    const state = randomId();
    if (this.#kept.size >= Math.max(1, maxConcurrentCalls - 1)) this.#withdrawOldest();
    const cancelTimeout = this.limit(question, () => this.#kept.delete(state));
    this.#kept.set(state, { call, question, cancelTimeout });
    return state;
  }

  /**
   * The call and the question that a state names; undefined for a state that is unknown, has been used, or names a call of another tool or with
   * other arguments.
   */
  take(state: string, key: string): Omit<KeptQuestion, 'cancelTimeout'> | undefined {
    const kept = this.#kept.get(state);
    if (kept === undefined || kept.call.key !== key) return undefined;
    this.#kept.delete(state);
    kept.cancelTimeout();
    return kept;
  }

  /** Ends the question without an answer when the client takes too long. @returns ends the limit. */
  limit(question: CallQuestion, onTimeout: () => void): () => void {
    const { answerTimeoutMs, clock } = this.#options;
    return clock.schedule(answerTimeoutMs, () => {
      onTimeout();
      question.answer(notInTime);
    });
  }

  /** A client that leaves its questions unanswered would take all places from the other calls. */
  #withdrawOldest(): void {
    for (const [state, { cancelTimeout, question }] of this.#kept) {
      this.#kept.delete(state);
      cancelTimeout();
      question.answer(tooMany);
      return;
    }
  }

  /** Aborts the calls that continue. */
  dispose(): void {
    for (const { cancelTimeout } of this.#kept.values()) cancelTimeout();
    this.#kept.clear();
    for (const call of this.#running.values()) call.abort(new Error('The session was closed.'));
  }
}
