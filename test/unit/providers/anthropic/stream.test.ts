import { describe, expect, it } from 'vitest';
import type { ModelDelta } from 'weakincentives/provider';
import { readMessageStream } from '../../../../src/providers/anthropic/stream.ts';
import { message, text, thinking, toolUse } from '../../../support/anthropic-messages.ts';
import { toEvents } from '../../../support/anthropic-stream.ts';

const { signal } = new AbortController();
const body = message([thinking('Hm, so.'), text('Hello'), toolUse('c1', 'x', { a: 1 })]);

/** Events that note how far they were read, and whether they were left. */
function eventsOf(list: readonly unknown[], end?: Error) {
  const seen = { read: 0, left: false };
  const events = (async function* () {
    try {
      for (const event of list) {
        seen.read += 1;
        yield event;
      }
      if (end !== undefined) throw end;
    } finally {
      seen.left = true;
    }
  })();
  return { seen, events };
}

describe('a stream', () => {
  it('is told piece by piece, in order', async () => {
    const deltas: ModelDelta[] = [];
    const { events, seen } = eventsOf(toEvents(body));
    await readMessageStream(events, {
      signal,
      onDelta: (delta) => {
        deltas.push(delta);
        return undefined;
      },
    });
    expect(deltas).toEqual([
      { type: 'reasoning-delta', text: 'Hm,' },
      { type: 'reasoning-delta', text: ' so' },
      { type: 'reasoning-delta', text: '.' },
      { type: 'text-delta', text: 'Hel' },
      { type: 'text-delta', text: 'lo' },
    ]);
    await Promise.resolve();
    expect(seen.left).toBe(true);
  });

  it('is not read on before whoever listens is done', async () => {
    const { events, seen } = eventsOf(toEvents(body));
    const reads: (readonly [before: number, after: number])[] = [];
    await readMessageStream(events, {
      signal,
      onDelta: async () => {
        const before = seen.read;
        for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
        reads.push([before, seen.read]);
      },
    });
    expect(reads).toHaveLength(5);
    expect(reads.filter(([before, after]) => before !== after)).toEqual([]);
    expect(seen.read).toBe(toEvents(body).length);
  });

  it('skips what it does not know', async () => {
    const [start, ...rest] = toEvents(message([text('Hi')]));
    const odd = [
      start,
      null,
      { type: 'of tomorrow' },
      { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'x' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta' } },
      ...rest,
    ];
    expect(await readMessageStream(eventsOf(odd).events, { signal })).toMatchObject({
      content: [{ type: 'text', text: 'Hi' }],
    });
  });

  it.each(toEvents(message([text('Hi')])).map((_event, index) => index))(
    'that ends behind %i events broke off',
    async (count) => {
      const { events, seen } = eventsOf(toEvents(message([text('Hi')])).slice(0, count));
      await expect(readMessageStream(events, { signal })).rejects.toMatchObject({
        name: 'ThrottleError',
        kind: 'server-error',
        retrySafe: true,
      });
      expect(seen.left).toBe(true);
    },
  );

  it('with an event that was cut off broke off, too', async () => {
    const { events } = eventsOf(toEvents(body).slice(0, 3), new SyntaxError('Unexpected end of JSON input'));
    await expect(readMessageStream(events, { signal })).rejects.toMatchObject({ kind: 'server-error' });
  });

  it.each([
    ['overloaded_error', { name: 'ThrottleError', kind: 'server-error' }],
    ['rate_limit_error', { name: 'ThrottleError', kind: 'rate-limit' }],
    ['invalid_request_error', { name: 'ModelResponseError', code: 'model-response-failed' }],
  ])('with an event that tells of an %s fails by it', async (type, expected) => {
    const { events, seen } = eventsOf([
      ...toEvents(body).slice(0, 4),
      { type: 'error', error: { type, message: 'Sorry.' } },
      ...toEvents(body).slice(4),
    ]);
    await expect(readMessageStream(events, { signal })).rejects.toMatchObject({
      ...expected,
      message: 'Sorry.',
    });
    expect(seen.left).toBe(true);
  });

  it.each([
    ['No template.', { code: 'model-response-failed', message: 'No template.' }],
    ['prompt is too long: 9 tokens > 8 maximum', { code: 'model-context-exceeded' }],
  ])('with an event whose error is a text fails by it: %s', async (error, expected) => {
    const { events } = eventsOf([...toEvents(body).slice(0, 4), { type: 'error', error }]);
    await expect(readMessageStream(events, { signal })).rejects.toMatchObject(expected);
  });

  it('that is silent is left when the run is stopped', async () => {
    const controller = new AbortController();
    const silent: AsyncIterable<unknown> = {
      [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }),
    };
    const reading = readMessageStream(silent, { signal: controller.signal });
    controller.abort(new Error('Enough.'));
    await expect(reading).rejects.toThrow('Enough.');
  });
});
