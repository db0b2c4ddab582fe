import {
  type ApprovalHandler,
  type Approver,
  isSuspension,
  type RunEventListener,
  type RunStop,
  Watchdog,
} from '../../runtime/index.ts';
import type { Clock } from '../../session/index.ts';
import type { EvaluateOptions } from './evaluate-options.ts';

/** A run that is watched. */
export interface WatchedRun {
  /** The caller's observer and approver, wrapped so that the watchdog sees their activity. */
  readonly listener: RunEventListener | undefined;
  readonly approve: ApprovalHandler | undefined;
  /** Silence does not count until the returned function is called. */
  hold(): () => void;
  /** Ends the watch. */
  dispose(): void;
}

const ignore = (): void => undefined;

/** What asks outside of the calls of the run itself, such as a call inside another one, cannot wait for an answer. */
const denyInner: ApprovalHandler = () => ({
  approved: false,
  reason: 'the run suspends approvals, and only calls of the run itself can wait for an answer.',
});

/**
 * Stops a run without activity for longer than `limits.idleTimeoutMs`; evaluations inside its calls are part of it.
 *
 * @param listener the caller's, guarded.
 */
export function watchRun(
  { limits: { idleTimeoutMs } = {}, approve: given }: EvaluateOptions<Approver>,
  listener: RunEventListener | undefined,
  stop: RunStop,
  clock: Clock,
): WatchedRun {
  const approve = isSuspension(given) ? denyInner : given;
  if (idleTimeoutMs === undefined) return { listener, approve, hold: () => ignore, dispose: ignore };
  const watchdog = new Watchdog({
    clock,
    limitMs: idleTimeoutMs,
    onSilence: (message) => stop.stop({ kind: 'idle', cause: new DOMException(message, 'TimeoutError') }),
  });
  return {
    listener: (event) => {
      watchdog.onEvent(event);
      listener?.(event);
    },
    approve: approve && holding(watchdog, approve),
    hold: () => watchdog.hold(),
    dispose: () => watchdog.dispose(),
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
