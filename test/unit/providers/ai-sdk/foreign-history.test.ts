import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import { type ConversationItem, ToolResult, tool } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { answeringModel, text } from '../../../support/ai-sdk-models.ts';
import { text as anthropicText, message } from '../../../support/anthropic-messages.ts';
import { capturingFetch } from '../../../support/captured-requests.ts';
import { message as openaiMessage, response } from '../../../support/openai-responses.ts';
import { promptOf } from '../../../support/prompt-of.ts';

const note = tool({ name: 'note', description: 'Notes.', execute: () => ToolResult.ok(null, 'Noted.') });
const prompt = promptOf({ tools: [note] });

const turn = (...callIds: readonly string[]): readonly ConversationItem[] => [
  {
    type: 'assistant',
    content: callIds.map((callId) => ({ type: 'tool-call', callId, name: 'note', arguments: '{}' })),
  },
  ...callIds.map(
    (callId): ConversationItem => ({
      type: 'tool-result',
      callId,
      toolName: 'note',
      text: `Noted ${callId}.`,
      isError: false,
    }),
  ),
];
const history: readonly ConversationItem[] = [
  { type: 'user', content: [{ type: 'text', text: 'Go' }] },
  ...turn('functions.note:0', 'functions_note_0'),
  ...turn('functions.note:0', 'x'.repeat(80)),
];

/** Ids in pairs, in the order of what was sent: a call and its result have the same, and no two calls do. */
function expectPairs(calls: readonly string[], results: readonly string[], pattern: RegExp) {
  expect(calls).toHaveLength(4);
  expect(results).toEqual(calls);
  expect(new Set(calls).size).toBe(4);
  for (const id of calls) expect(id).toMatch(pattern);
}

const idsIn = (body: unknown, key: string): readonly string[] =>
  [...JSON.stringify(body).matchAll(new RegExp(`"${key}":"([^"]*)"`, 'g'))].map(([, id]) => id ?? '');

const plain = /^[a-zA-Z0-9_-]{1,64}$/;

describe('a history of another provider', () => {
  it('goes to @ai-sdk/anthropic with ids that Anthropic takes', async () => {
    const { fetch, requests } = capturingFetch(message([anthropicText('Done.')]));
    const model = createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5');
    await aiSdk({ model }).evaluate(prompt, { history });
    const [body] = requests.map(({ body: sent }) => sent['messages']);
    expectPairs(idsIn(body, 'id'), idsIn(body, 'tool_use_id'), plain);
  });

  it('goes to Anthropic with ids that it takes', async () => {
    const { fetch, requests } = capturingFetch(message([anthropicText('Done.')]));
    await anthropic({ model: 'm', apiKey: 'key', fetch }).evaluate(prompt, { history });
    const [body] = requests.map(({ body: sent }) => sent['messages']);
    expectPairs(idsIn(body, 'id'), idsIn(body, 'tool_use_id'), plain);
  });

  it('goes to OpenAI with ids that it takes', async () => {
    const { fetch, requests } = capturingFetch(response([openaiMessage('Done.')]));
    await openai({ model: 'gpt-5', apiKey: 'key', fetch }).evaluate(prompt, { history });
    const input = Object.values(requests[0]?.body['input'] ?? {});
    const of = (type: string) => input.filter((item) => JSON.stringify(item).includes(`"${type}"`));
    expectPairs(
      idsIn(of('function_call'), 'call_id'),
      idsIn(of('function_call_output'), 'call_id'),
      /^.{1,64}$/,
    );
  });

  it.each([
    ['amazon-bedrock', 'anthropic.claude-sonnet-4', plain],
    ['somebody.chat', 'model-1', plain],
    ['mistral.chat', 'model-1', /^[a-zA-Z0-9]{9}$/],
    ['local.chat', 'devstral-small', /^[a-zA-Z0-9]{9}$/],
    ['local.chat', 'Ministral-8B', /^[a-zA-Z0-9]{9}$/],
  ])('goes to %s %s with ids that it takes', async (provider, modelId, pattern) => {
    for (const streaming of [false, true]) {
      const { model, calls } = answeringModel('v4', [{ content: [text('Done.')] }], provider);
      Object.assign(model, { modelId });
      await aiSdk({ model }).evaluate(prompt, { history, streaming });
      const sent = calls[0]?.prompt ?? [];
      const ids = (role: string) =>
        idsIn(
          sent.filter((one) => one.role === role),
          'toolCallId',
        );
      expectPairs(ids('assistant'), ids('tool'), pattern);
    }
  });
});
