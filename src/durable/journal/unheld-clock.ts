import { type Clock, systemClock } from '../../core/session/index.ts';

/** The clock of the machine, but for timers: a lease that is not released does not keep the process alive. */
export const unheldClock: Clock = {
  now: systemClock.now,
  schedule: (delayMs, callback) => {
    const timer: unknown = globalThis.setTimeout(callback, delayMs);
    // Only Node has it.
    if (typeof timer === 'object' && timer !== null && 'unref' in timer && typeof timer.unref === 'function')
      timer.unref();
    return () => globalThis.clearTimeout(timer as ReturnType<typeof setTimeout>);
  },
};
