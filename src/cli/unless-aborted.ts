import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * What `work` comes to, unless the signal is aborted first: then this rejects with its reason, and what comes of the work is dropped.
 * The work ends a turn of the event loop later: a rejection that it leaves unhandled is told by then.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    if (signal.aborted) stop();
    const result = await Promise.race([aborted, work]);
    await Promise.race([aborted, nextTurn()]);
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
