import assert from 'node:assert/strict';
import { type ProviderAdapter, promptTemplate, section } from 'weakincentives';
import { type LanguageModel, providerAdapter, ThrottleError } from 'weakincentives/provider';

/** An adapter for a server that answers in text alone. */
function acme(fetchTurn: typeof fetch): ProviderAdapter {
  const model: LanguageModel = {
    name: 'acme',
    async generate({ instructions, conversation, tools }, { signal, onDelta }) {
      const body = JSON.stringify({ instructions, conversation, tools: tools.map(({ name }) => name) });
      const answer = await fetchTurn('https://acme.example/', { method: 'POST', signal, body });
      if (answer.status === 429) {
        throw new ThrottleError('Acme is busy.', { kind: 'rate-limit', retryAfterMs: 1_000 });
      }
      const text = await answer.text();
      await onDelta?.({ type: 'text-delta', text });
      return { content: [{ type: 'text', text }], finishReason: 'stop' };
    },
  };
  return providerAdapter({ model });
}

const template = promptTemplate({
  ns: 'examples',
  key: 'own-adapter',
  sections: [section({ title: 'Task', key: 'task', template: 'Say hello.' })],
});
const response = await acme(async () => new Response('Hello.')).evaluate(template.bind());
assert.equal(response.text, 'Hello.');
