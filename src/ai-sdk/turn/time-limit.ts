import { ThrottleError } from '../../error/index.ts';

/**
 * What `run` comes to, which is told to stop when the signal is aborted or the time is over.
 *
 * @throws {ThrottleError} `timeout` when it failed after the time was over.
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
