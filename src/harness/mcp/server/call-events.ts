import type { ServerContext } from '@modelcontextprotocol/server';
import { isRecord, present } from '../../../core/internal/index.ts';
import type { RunEvent, RunObserver } from '../../../core/runtime/index.ts';
import type { Clock } from '../../../core/session/index.ts';

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

/** Signs of life say nothing; more of them than this only cost. */
const minHeartbeatMs = 1_000;

/**
 * Passes the progress of a call on to its client; undefined for a client that did not ask for it. Notifications that the connection
 * cannot take are dropped: they carry nothing that a client needs.
 */
export function progressNotifier(
  { mcpReq }: ServerContext,
  clock: Clock,
): ((progress: CallProgress) => void) | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return undefined;
  let count = 0;
  let lastMs = Number.NEGATIVE_INFINITY;
  return (reported) => {
    const nowMs = clock.now();
    if (reported.type === 'tool-call-heartbeat' && nowMs - lastMs < minHeartbeatMs) return;
    lastMs = nowMs;
    count += 1;
    const message = messageOf(reported);
    mcpReq
      .notify({
        method: 'notifications/progress',
        params: { progressToken, progress: count, ...present({ message }) },
      })
      .catch(() => undefined);
  };
}

/** What a handler reported, as text: the protocol has no place for more. */
function messageOf(progress: CallProgress): string | undefined {
  if (progress.type === 'tool-call-heartbeat') return undefined;
  const { update } = progress;
  if (typeof update === 'string') return update;
  const message = isRecord(update) ? update['message'] : undefined;
  return typeof message === 'string' ? message : JSON.stringify(update);
}
