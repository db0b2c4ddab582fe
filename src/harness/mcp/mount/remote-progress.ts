import type { Progress } from '@modelcontextprotocol/client';
import { present } from '../../../core/internal/index.ts';
import type { JsonObject } from '../../../core/schema/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import type { ToolContext } from '../../../core/tool/index.ts';
import { visibleText } from './untrusted-text.ts';

/** Least milliseconds between two reports that become events: a server may send any number. */
const intervalMs = 100;
const maxMessageCharacters = 500;

/** Passes the progress that a server reports on to the call. Each report counts as activity, and at most ten a second become events. */
export function remoteProgress(
  context: Pick<ToolContext, 'beat' | 'progress'>,
  clock: Clock,
): (progress: Progress) => void {
  let nextMs = -Infinity;
  return (progress) => {
    const nowMs = clock.now();
    if (nowMs < nextMs) {
      context.beat();
      return;
    }
    nextMs = nowMs + intervalMs;
    context.progress(readProgress(progress));
  };
}

function readProgress({ message, progress, total }: Progress): JsonObject {
  return {
    progress,
    ...present({
      total,
      message: message === undefined ? undefined : visibleText(message, maxMessageCharacters),
    }),
  };
}
