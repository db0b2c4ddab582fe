import { expect, test } from 'vitest';
import type { Clock, RunEvent } from 'weakincentives';
import { type ModelDelta, providerAdapter, ThrottleError } from 'weakincentives/provider';
import { promptOf } from '../../../../support/prompt-of.ts';

const prompt = promptOf();

test('what a provider tells that is no piece of an answer is not told', async () => {
  // A provider may be written without types.
  const odd = [
    { type: 'text-delta', text: 5 },
    { type: 'text-delta' },
    { type: 'odd', text: 'x' },
  ] as unknown;
  const model = {
    name: 'odd',
    generate: async (_request: unknown, { onDelta }: { onDelta?: (delta: ModelDelta) => unknown }) => {
      for (const delta of odd as ModelDelta[]) await onDelta?.(delta);
      await onDelta?.({ type: 'text-delta', text: 'Yes.' });
      return { content: [{ type: 'text', text: 'Yes.' }], finishReason: 'stop' } as const;
    },
  };
  const told: RunEvent[] = [];
  await providerAdapter({ model }).evaluate(prompt, {
    streaming: true,
    observers: [{ onEvent: (event) => told.push(event) }],
  });
  expect(told.slice(3, 5)).toMatchObject([{ type: 'text-delta', text: 'Yes.' }, { type: 'model-call-end' }]);
});

test('the time to the first piece counts from the request that was answered', async () => {
  let nowMs = 0;
  const clock: Clock = {
    now: () => nowMs,
    schedule: (_delayMs, callback) => {
      queueMicrotask(callback);
      return () => undefined;
    },
  };
  const ends: RunEvent[] = [];
  let requests = 0;
  const adapter = providerAdapter({
    model: {
      name: 'slow model',
      generate: async (_request, { onDelta }) => {
        requests += 1;
        nowMs += 10;
        if (requests === 1) throw new ThrottleError('Busy.', { kind: 'rate-limit', retryAfterMs: 0 });
        await onDelta?.({ type: 'reasoning-delta', text: 'Hm' });
        nowMs += 5;
        await onDelta?.({ type: 'text-delta', text: 'So.' });
        return { content: [{ type: 'text', text: 'So.' }], finishReason: 'stop' };
      },
    },
  });
  const options = { clock, observers: [{ onEvent: (event: RunEvent) => ends.push(event) }] };
  await adapter.evaluate(prompt, { ...options, streaming: true });
  await adapter.evaluate(prompt, options);
  expect(ends.filter(({ type }) => type === 'model-call-end')).toMatchObject([
    { timeToFirstPieceMs: 10, durationMs: 25 },
    { durationMs: 15 },
  ]);
  expect(ends.findLast(({ type }) => type === 'model-call-end')).not.toHaveProperty('timeToFirstPieceMs');
});
