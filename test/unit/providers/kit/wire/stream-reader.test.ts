import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ModelDelta } from 'weakincentives/provider';
import { SilenceLimit } from '../../../../../src/providers/kit/wire/silence-limit.ts';
import { readEvents } from '../../../../../src/providers/kit/wire/stream-reader.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';

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

  it('may take as long as a listener needs, and no longer between two of them', async () => {
    const clock = createManualClock();
    const silence = new SilenceLimit(1_000, clock);
    const held = gate();
    const left = gate();
    const source = (async function* (): AsyncGenerator {
      try {
        yield { type: 'tick' };
        await new Promise(() => undefined);
      } finally {
        left.open();
      }
    })();
    const reading = readEvents(
      source,
      { signal: silence.signal, silence, clock, onDelta: () => held.pass() },
      (): ModelDelta => ({ type: 'text-delta', text: 'x' }),
      (error) => error,
    );
    const failed = expect(reading).rejects.toMatchObject({ name: 'ThrottleError', kind: 'timeout' });
    await held.reached;
    clock.advance(10_000);
    expect(silence.signal.aborted).toBe(false);
    held.open();
    await setImmediate();
    clock.advance(999);
    expect(silence.signal.aborted).toBe(false);
    silence.onSign();
    clock.advance(999);
    expect(silence.signal.aborted).toBe(false);
    clock.advance(1);
    await failed;
  });
});
