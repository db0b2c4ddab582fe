import { ThrottleError, type ThrottleErrorCode } from '../../error/index.ts';
import type { Clock } from '../../session/index.ts';
import type { Deadline } from './deadline.ts';
import { type RunStop, RunStoppedSignal } from './run-stop.ts';
import type { ThrottlePolicy } from './throttle-policy.ts';

/**
 * How long to wait after attempt number `attempt`, from 1: a random time below the doubling limit or, if that is
 * longer, below what the provider asked for, but never shorter than the base or than what the provider asked for.
 */
export function throttleDelayMs(policy: ThrottlePolicy, attempt: number, retryAfterMs = 0): number {
  const { baseDelayMs, maxDelayMs, random } = policy;
  const limit = Math.max(Math.min(maxDelayMs, baseDelayMs * 2 ** (attempt - 1)), retryAfterMs);
  return Math.max(random() * limit, baseDelayMs, retryAfterMs);
}

/** What a retry depends on. */
export interface ThrottleContext {
  /** Undefined: never asked again. */
  readonly policy: ThrottlePolicy | undefined;
  readonly clock: Clock;
  readonly stop: Pick<RunStop, 'onStop' | 'reason'>;
  readonly deadline: Deadline | undefined;
  /** Called before each wait. `attempt` is the number of the attempt after it, from 2. */
  onRetry(retry: { readonly attempt: number; readonly delayMs: number; readonly error: ThrottleError }): void;
}

/**
 * The result of `ask`; called again after a delay while it throws a {@link ThrottleError} that is safe to retry.
 *
 * @throws {ThrottleError} `throttle-attempts-exhausted`, `throttle-deadline-exceeded` or `throttle-delay-exceeded` when it is
 *   exhausted, checked in this order. An error that is not safe to retry is thrown unchanged.
 * @throws {RunStoppedSignal} when the run stops during a wait.
 */
export async function askThrottled<T>(ask: () => T | Promise<T>, context: ThrottleContext): Promise<T> {
  const { policy } = context;
  let waitedMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await ask();
    } catch (error) {
      if (policy === undefined || !ThrottleError.isInstance(error) || !error.retrySafe) throw error;
      if (context.stop.reason !== undefined) throw error;
      const delayMs = nextDelayMs(error, attempt, waitedMs, { policy, deadline: context.deadline });
      waitedMs += delayMs;
      context.onRetry({ attempt: attempt + 1, delayMs, error });
      await wait(delayMs, context);
    }
  }
}

function nextDelayMs(
  error: ThrottleError,
  attempt: number,
  waitedMs: number,
  { policy, deadline }: { readonly policy: ThrottlePolicy; readonly deadline: Deadline | undefined },
): number {
  if (attempt >= policy.maxAttempts) {
    throw exhausted('throttle-attempts-exhausted', 'no attempt is left', error, attempt);
  }
  const delayMs = throttleDelayMs(policy, attempt, error.retryAfterMs);
  if (deadline !== undefined && delayMs >= deadline.remainingMs()) {
    const why = `the next attempt in ${Math.ceil(delayMs)} ms would come after the deadline`;
    throw exhausted('throttle-deadline-exceeded', why, error, attempt);
  }
  if (waitedMs + delayMs > policy.maxTotalDelayMs) {
    const why = `waiting ${Math.ceil(delayMs)} ms more would exceed maxTotalDelayMs, ${policy.maxTotalDelayMs}`;
    throw exhausted('throttle-delay-exceeded', why, error, attempt);
  }
  return delayMs;
}

function exhausted(
  code: ThrottleErrorCode,
  why: string,
  cause: ThrottleError,
  attempts: number,
): ThrottleError {
  const { kind, retryAfterMs } = cause;
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  const message = `The model call failed after ${times} (${kind}): ${why}. The last answer: ${cause.message}`;
  return new ThrottleError(message, { code, kind, attempts, retryAfterMs, cause });
}

function wait(delayMs: number, { clock, stop }: ThrottleContext): Promise<void> {
  return new Promise((resolve, reject) => {
    const listener: { remove?: () => void } = {};
    const cancel = clock.schedule(delayMs, () => {
      listener.remove?.();
      resolve();
    });
    listener.remove = stop.onStop((reason) => {
      cancel();
      reject(new RunStoppedSignal(reason));
    });
  });
}
