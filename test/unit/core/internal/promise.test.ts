import { describe, expect, it } from 'vitest';
import { untilAborted } from '../../../../src/core/internal/index.ts';

const never = new Promise<never>(() => undefined);

describe('untilAborted', () => {
  it.each([undefined, new AbortController().signal])(
    'settles as the work does, with signal %s',
    async (signal) => {
      expect(await untilAborted(Promise.resolve(1), signal)).toBe(1);
      await expect(untilAborted(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    },
  );

  it('rejects with the reason when the signal is aborted first, or already', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(never, controller.signal);
    const reason = new Error('enough');
    controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    await expect(untilAborted(Promise.resolve(1), controller.signal)).rejects.toBe(reason);
    // Its own failure is ignored, not unhandled.
    await expect(untilAborted(Promise.reject(new Error('late')), controller.signal)).rejects.toBe(reason);
  });
});
