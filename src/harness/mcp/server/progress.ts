import type { ServerContext } from '@modelcontextprotocol/server';
import { isRecord, present } from '../../../core/internal/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { CallProgress } from './call-events.ts';

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
