import { expect, test } from 'vitest';
import { type RunEvent } from 'weakincentives';
import { type ModelDelta, providerAdapter } from 'weakincentives/provider';
import { promptOf } from '../../../support/prompt-of.ts';

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
