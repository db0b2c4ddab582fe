import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * What `work` leaves rejected without anyone listening, also after it has ended. Node tells of such a rejection when
 * the microtasks are done, so one turn of the event loop is awaited.
 */
export async function unheardRejections(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const unheard: unknown[] = [];
  const listen = (reason: unknown): void => {
    unheard.push(reason);
  };
  process.on('unhandledRejection', listen);
  try {
    await work();
    await nextTurn();
    return unheard;
  } finally {
    process.off('unhandledRejection', listen);
  }
}
