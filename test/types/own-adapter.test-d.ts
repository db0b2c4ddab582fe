import { expectTypeOf, test } from 'vitest';
import type { ProviderAdapter } from 'weakincentives';
import { type LanguageModel, providerAdapter, ThrottleError } from 'weakincentives/provider';

function acme({ model, url }: { readonly model: string; readonly url: string }): ProviderAdapter {
  const language: LanguageModel = {
    name: 'acme',
    async generate({ instructions, conversation, tools }, { signal, onDelta }) {
      const answer = await fetch(url, {
        method: 'POST',
        signal,
        body: JSON.stringify({
          model,
          instructions,
          conversation,
          tools: tools.map(({ name, inputSchema }) => ({ name, inputSchema })),
        }),
      });
      if (answer.status === 429)
        throw new ThrottleError('Acme is busy.', { kind: 'rate-limit', retryAfterMs: 1_000 });
      // The server is Acme's own.
      const { text } = (await answer.json()) as { text: string };
      await onDelta?.({ type: 'text-delta', text });
      return { content: [{ type: 'text', text }], finishReason: 'stop' };
    },
  };
  return providerAdapter({ model: language });
}

test('an adapter is a function of its options that a model makes', () => {
  expectTypeOf(acme).returns.toEqualTypeOf<ProviderAdapter>();
  // @ts-expect-error A turn needs the reason why it ended.
  const unfinished: LanguageModel = { name: 'a', generate: () => ({ content: [] }) };
  expectTypeOf(unfinished).toExtend<LanguageModel>();
});
