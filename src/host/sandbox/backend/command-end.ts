import type { Clock } from '../../../core/session/index.ts';
import type { CheckedCommand } from './command.ts';

/** Ends a command that runs too long, or is aborted; disposed when it has ended. */
export interface CommandEnd extends Disposable {
  /** Whether it was ended because it timed out. */
  readonly timedOut: boolean;
}

/** @param end kills the command, when its time is over or the signal aborts. Must not throw. */
export function endInTime(
  { timeoutMs }: CheckedCommand,
  signal: AbortSignal | undefined,
  clock: Clock,
  end: () => void,
): CommandEnd {
  let timedOut = false;
  const onTimeout = (): void => {
    timedOut = true;
    end();
  };
  signal?.addEventListener('abort', end);
  const cancelTimer = timeoutMs === undefined ? undefined : clock.schedule(timeoutMs, onTimeout);
  return {
    get timedOut(): boolean {
      return timedOut;
    },
    [Symbol.dispose]: () => {
      cancelTimer?.();
      signal?.removeEventListener('abort', end);
    },
  };
}
