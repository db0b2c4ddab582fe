import { ThrottleError } from '../../../core/error/index.ts';

/**
 * Runs `run`, whose signal is aborted with the given one or after the time limit.
 *
 * @throws {ThrottleError} `timeout` when it failed after the time limit.
 */
export async function withTimeLimit<Result>(
  timeoutMs: number,
  signal: AbortSignal,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const message = `The model did not complete its answer within ${timeoutMs} ms.`;
  const timer = setTimeout(() => limit.abort(new DOMException(message, 'TimeoutError')), timeoutMs);
  try {
    return await run(AbortSignal.any([signal, limit.signal]));
  } catch (cause) {
    if (limit.signal.aborted && !signal.aborted) throw new ThrottleError(message, { kind: 'timeout', cause });
    throw cause;
  } finally {
    clearTimeout(timer);
  }
}
