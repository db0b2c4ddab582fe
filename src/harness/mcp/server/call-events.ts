import type { RunEvent, RunObserver } from '../../../core/runtime/index.ts';

/** The event of a call that shows that it is alive. */
export type CallProgress =
  | Pick<Extract<RunEvent, { readonly type: 'tool-call-heartbeat' }>, 'type'>
  | Pick<Extract<RunEvent, { readonly type: 'tool-call-progress' }>, 'type' | 'update'>;

/** The calls of one runtime, however many connections make them: their ids, and what they report. */
export class CallEvents implements RunObserver {
  #lastCall = 0;
  readonly #listeners = new Map<string, (progress: CallProgress) => void>();

  /** An id for the next call; no other call of the runtime has it. */
  nextCallId(): string {
    this.#lastCall += 1;
    return `mcp-${this.#lastCall}`;
  }

  /** Passes on what a call reports. @returns ends it. */
  follow(callId: string, listener: (progress: CallProgress) => void): () => void {
    this.#listeners.set(callId, listener);
    return () => this.#listeners.delete(callId);
  }

  onEvent = (event: RunEvent): void => {
    const [outer] = event.path;
    // What happens inside of a call shows that the call is alive.
    if (outer !== undefined) this.#listeners.get(outer.callId)?.({ type: 'tool-call-heartbeat' });
    else if (event.type === 'tool-call-heartbeat' || event.type === 'tool-call-progress')
      this.#listeners.get(event.callId)?.(event);
  };
}
