import type { ToolRuntimeOutput } from '../../evaluation/index.ts';
import type { ApprovalAnswer, ApprovalRequest } from '../../runtime/index.ts';

/** A question about a call, which its client has to answer. */
export interface CallQuestion {
  readonly request: ApprovalRequest;
  answer(answer: ApprovalAnswer): void;
}

/** What a client gets next of its call: a question, or the end. */
export type CallStep =
  | { readonly kind: 'question'; readonly question: CallQuestion }
  | { readonly kind: 'output'; readonly output: ToolRuntimeOutput };

/** A call that may take several requests of its client: one for each question that it has to answer, in their order. */
export class OpenCall {
  readonly callId: string;
  /** Tool and arguments; the requests of one call all have the same. */
  readonly key: string;
  readonly #abort = new AbortController();
  readonly #questions: CallQuestion[] = [];
  readonly #end: Promise<CallStep>;
  #wake: (() => void) | undefined;
  #unfollow: (() => void) | undefined;

  /** @param run runs the call; its signal aborts it. */
  constructor(
    { callId, key }: { readonly callId: string; readonly key: string },
    run: (signal: AbortSignal) => Promise<ToolRuntimeOutput>,
  ) {
    this.callId = callId;
    this.key = key;
    this.#end = run(this.#abort.signal).then((output) => ({ kind: 'output', output }));
    // Whoever asks for the next step gets the error.
    this.#end.catch(() => undefined);
  }

  /** The question that waits for its answer. */
  get question(): CallQuestion | undefined {
    return this.#questions[0];
  }

  /** Aborts the call with the signal of the request that waits for it now; that of an earlier request has no effect any more. */
  follow(signal: AbortSignal): void {
    this.#unfollow?.();
    const abort = (): void => this.#abort.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    this.#unfollow = () => signal.removeEventListener('abort', abort);
  }

  /** No request waits for the call until the next one follows it. */
  release(): void {
    this.#unfollow?.();
    this.#unfollow = undefined;
  }

  abort(reason: unknown): void {
    this.#abort.abort(reason);
  }

  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer> {
    return new Promise((resolve) => {
      const question: CallQuestion = {
        request,
        answer: (answer) => {
          const index = this.#questions.indexOf(question);
          if (index >= 0) this.#questions.splice(index, 1);
          resolve(answer);
        },
      };
      this.#questions.push(question);
      signal.addEventListener('abort', () => question.answer(false), { once: true });
      this.#wake?.();
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
}
