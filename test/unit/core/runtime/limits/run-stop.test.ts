import { expect, test, vi } from 'vitest';
import {
  RunStop,
  RunStoppedSignal,
  type StopReason,
} from '../../../../../src/core/runtime/limits/run-stop.ts';

const reason: StopReason = { kind: 'aborted', cause: new Error('enough') };

test('work that has ended, one way or the other, does not hear of the stop', async () => {
  const stop = new RunStop();
  for (let call = 0; call < 10; call += 1) {
    await expect(stop.race(Promise.resolve(call))).resolves.toBe(call);
    await expect(stop.race(Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  }
  // Whoever hears of it waits a microtask for work that is done by then.
  const queued = vi.spyOn(globalThis, 'queueMicrotask');
  try {
    stop.stop(reason);
    expect(queued).not.toHaveBeenCalled();
  } finally {
    queued.mockRestore();
  }
});

test('work that continues is left behind when the run stops', async () => {
  const stop = new RunStop();
  const raced = stop.race(new Promise(() => undefined));
  stop.stop(reason);
  await expect(raced).rejects.toBeInstanceOf(RunStoppedSignal);
  await expect(stop.race(new Promise(() => undefined))).rejects.toMatchObject({ reason });
});
