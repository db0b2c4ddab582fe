import { setImmediate } from 'node:timers/promises';

/**
 * Resolves when the answers to requests that have ended by now are written to their connections: what the SDK does with them takes only promises, which
 * all settle before this one.
 */
export async function answersSent(): Promise<void> {
  await setImmediate();
}
