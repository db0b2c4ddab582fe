import { type ApprovalHandler, type RunEventListener, type RunStop, Watchdog } from '../../runtime/index.ts';
import type { Clock } from '../../session/index.ts';
import type { EvaluateOptions } from './evaluate-options.ts';

/** A run that is watched. */
export interface WatchedRun {
  /** The caller's listener and decider, as the watchdog hears of what they are told and asked. */
  readonly listener: RunEventListener | undefined;
  readonly approve: ApprovalHandler | undefined;
  /** Silence does not count until the returned function is called. */
  hold(): () => void;
  /** Ends the watch. */
  end(): void;
}

const ignore = (): void => undefined;

/**
 * Stops a run without activity for longer than `limits.idleTimeoutMs`; evaluations inside its calls are part of it.
 *
 * @param listener the caller's, guarded.
 */
export function watchRun(
  { limits: { idleTimeoutMs } = {}, approve }: EvaluateOptions,
  listener: RunEventListener | undefined,
  stop: RunStop,
  clock: Clock,
): WatchedRun {
  if (idleTimeoutMs === undefined) return { listener, approve, hold: () => ignore, end: ignore };
  const watchdog = new Watchdog({
    clock,
    limitMs: idleTimeoutMs,
    onSilence: (message) => stop.stop({ kind: 'idle', cause: new DOMException(message, 'TimeoutError') }),
  });
  return {
    listener: (event) => {
      watchdog.hear(event);
      listener?.(event);
    },
    approve: approve && holding(watchdog, approve),
    hold: () => watchdog.hold(),
    end: () => watchdog.end(),
  };
}

/** A person may think for as long as they like; only until the question is taken back, for one that is never answered. */
function holding(watchdog: Watchdog, approve: ApprovalHandler): ApprovalHandler {
  return async (request, asking) => {
    const release = watchdog.hold();
    asking.signal.addEventListener('abort', release, { once: true });
    try {
      return await approve(request, asking);
    } finally {
      asking.signal.removeEventListener('abort', release);
      release();
    }
  };
}
