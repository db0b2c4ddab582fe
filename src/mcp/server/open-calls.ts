import type { ToolRuntimeOutput } from '../../evaluation/index.ts';
import type { ApprovalHandler } from '../../runtime/index.ts';
import type { Clock } from '../../session/index.ts';
import { OpenCall } from './open-call.ts';

/** What {@link OpenCalls} works with. */
export interface OpenCallsOptions {
  readonly clock: Clock;
  /** Makes a name that a client cannot guess. */
  readonly randomId: () => string;
  /** How long the client may take to answer a question, in milliseconds. */
  readonly answerTimeoutMs: number;
}

/**
 * The calls of a session that go on, and the questions in them. A call that waits for an answer stays open between two requests: the client names it by a
 * state that it cannot guess, and that counts once, for the same tool and arguments.
 */
export class OpenCalls {
  readonly #options: OpenCallsOptions;
  readonly #running = new Map<string, OpenCall>();
  readonly #waiting = new Map<string, { readonly call: OpenCall; readonly cancelTimeout: () => void }>();

  constructor(options: OpenCallsOptions) {
    this.#options = options;
  }

  /** Asks the client of the call; of the outermost one for a call inside others. */
  readonly approve: ApprovalHandler = (request, { signal }) => {
    const call = this.#running.get(request.path[0]?.callId ?? request.callId);
    return call === undefined
      ? { approved: false, reason: 'The client that made the call cannot be asked.' }
      : call.ask(request, signal);
  };

  begin(
    name: { readonly callId: string; readonly key: string },
    run: (signal: AbortSignal) => Promise<ToolRuntimeOutput>,
  ): OpenCall {
    const { callId } = name;
    const call = new OpenCall(name, async (signal) => {
      try {
        return await run(signal);
      } finally {
        this.#running.delete(callId);
      }
    });
    this.#running.set(callId, call);
    return call;
  }

  /** Keeps a call until its client answers. @returns the state that names it. */
  keep(call: OpenCall): string {
    const { answerTimeoutMs, clock, randomId } = this.#options;
    const state = randomId();
    call.release();
    const cancelTimeout = clock.schedule(answerTimeoutMs, () => {
      this.#waiting.delete(state);
      // What comes of it is recorded; no request waits for it.
      call.question?.answer({ approved: false, reason: 'The question was not answered in time.' });
    });
    this.#waiting.set(state, { call, cancelTimeout });
    return state;
  }

  /** The call that a state names; undefined for a state that is unknown, has been used, or names a call of another tool or with other arguments. */
  take(state: string, key: string): OpenCall | undefined {
    const waiting = this.#waiting.get(state);
    if (waiting === undefined || waiting.call.key !== key) return undefined;
    this.#waiting.delete(state);
    waiting.cancelTimeout();
    return waiting.call;
  }

  /** Ends the calls that wait for an answer. */
  dispose(): void {
    for (const { call, cancelTimeout } of this.#waiting.values()) {
      cancelTimeout();
      call.abort(new Error('The session was closed.'));
    }
    this.#waiting.clear();
  }
}
