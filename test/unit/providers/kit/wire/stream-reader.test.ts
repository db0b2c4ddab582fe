import { describe, expect, it } from 'vitest';
import type { ModelDelta } from 'weakincentives/provider';
import { readEvents } from '../../../../../src/providers/kit/wire/stream-reader.ts';
import { gate } from '../../../../support/gate.ts';

/** Events that come one by one, until the reader leaves. */
async function* ticking(left: () => void): AsyncGenerator {
  try {
    for (;;) yield { type: 'tick' };
  } finally {
    left();
  }
}

describe('the events of an answer', () => {
  it('are left with the reason of the signal, also while a listener of deltas never settles', async () => {
    const run = new AbortController();
    const left = gate();
    const told = gate();
    const reading = readEvents(
      ticking(left.open),
      {
        signal: run.signal,
        onDelta: () => {
          told.open();
          return new Promise<void>(() => undefined);
        },
      },
      (): ModelDelta => ({ type: 'text-delta', text: 'x' }),
      (error) => error,
    );
    await told.pass();
    const reason = new Error('The run has ended.');
    run.abort(reason);
    await expect(reading).rejects.toBe(reason);
    await left.pass();
  });
});
