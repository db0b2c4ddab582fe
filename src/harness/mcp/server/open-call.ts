import type { ToolRuntimeOutput } from '../../../core/evaluation/index.ts';
import type { ApprovalRequest } from '../../../core/runtime/index.ts';
import type { UserQuestion } from '../../../core/tool/index.ts';
import type { CallProgress } from './call-events.ts';

/** What a client is asked: by a policy whether the call may continue, or by a handler. */
export type AskedOfClient =
  | { readonly kind: 'approval'; readonly request: ApprovalRequest }
  | { readonly kind: 'user'; readonly toolName: string; readonly question: UserQuestion };

/** What came of a question: what the client sent, unchecked, or why there is no answer. */
export type ClientAnswer =
  | { readonly kind: 'response'; readonly response: unknown }
  | { readonly kind: 'none'; readonly reason: string };

/** A question in a call, which its client has to answer. */
export interface CallQuestion {
  readonly asked: AskedOfClient;
  /** Aborted when no answer is wanted any more: the call has ended without one. */
  readonly signal: AbortSignal;
  /** Only the first answer counts. */
  answer(answer: ClientAnswer): void;
}

/** What a client gets next of its call: a question, or the end. */
export type CallStep =
  | { readonly kind: 'question'; readonly question: CallQuestion }
  | { readonly kind: 'output'; readonly output: ToolRuntimeOutput };

/** A request that waits for a call. */
export interface CallWaiter {
  /** Aborted when the request is cancelled, or its connection is closed. */
  readonly signal: AbortSignal;
  readonly onProgress: ((progress: CallProgress) => void) | undefined;
}

/** How the calls of a session are run. `onProgress` gets what shows that the call is alive. */
export type CallRunner = (
  signal: AbortSignal,
  onProgress: (progress: CallProgress) => void,
) => Promise<ToolRuntimeOutput>;

/** A call that may take several requests of its client: one for each question that it has to answer, in their order. */
export class OpenCall {
  readonly callId: string;
  /** Tool and arguments; the requests of one call all have the same. */
  readonly key: string;
  readonly #abort = new AbortController();
  readonly #questions: CallQuestion[] = [];
  readonly #end: Promise<CallStep>;
  #wake: (() => void) | undefined;
  #waiter: CallWaiter | undefined;

  constructor({ callId, key }: { readonly callId: string; readonly key: string }, run: CallRunner) {
    this.callId = callId;
    this.key = key;
    const onProgress = (progress: CallProgress): void => this.#waiter?.onProgress?.(progress);
    this.#end = run(this.#abort.signal, onProgress).then((output) => ({ kind: 'output', output }));
    // The caller that asks for the next step gets the error.
    this.#end.catch(() => undefined);
  }

  /** From now on this request waits for the call: its end aborts the call, and it gets the progress. That of an earlier one has no effect any more. */
  follow(waiter: CallWaiter): void {
    this.release();
    this.#waiter = waiter;
    const { signal } = waiter;
    signal.addEventListener('abort', this.#giveUp, { once: true });
    if (signal.aborted) this.#giveUp();
  }

  /** No request waits for the call until the next one follows it. */
  release(): void {
    this.#waiter?.signal.removeEventListener('abort', this.#giveUp);
    this.#waiter = undefined;
  }

  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  /** Puts a question to the client. Resolves without an answer when `signal` is aborted. */
  ask(asked: AskedOfClient, signal: AbortSignal): Promise<ClientAnswer> {
    return new Promise((resolve) => {
      const withdraw = (): void => question.answer({ kind: 'none', reason: 'No answer is wanted any more.' });
      const question: CallQuestion = {
        asked,
        signal,
        answer: (answer) => {
          signal.removeEventListener('abort', withdraw);
          const index = this.#questions.indexOf(question);
          if (index >= 0) this.#questions.splice(index, 1);
          resolve(answer);
        },
      };
      this.#questions.push(question);
      signal.addEventListener('abort', withdraw, { once: true });
      if (signal.aborted) withdraw();
      else this.#wake?.();
    });
  }

  /**
   * Resolves with what comes next.
   *
   * @throws what running the call throws.
   */
  async next(): Promise<CallStep> {
    const [question] = this.#questions;
    if (question !== undefined) return { kind: 'question', question };
    const asked = new Promise<CallStep>((resolve) => {
      this.#wake = () => {
        const [first] = this.#questions;
        if (first !== undefined) resolve({ kind: 'question', question: first });
      };
    });
    try {
      return await Promise.race([this.#end, asked]);
    } finally {
      this.#wake = undefined;
    }
  }

  readonly #giveUp = (): void => this.#abort.abort(this.#waiter?.signal.reason);
}
