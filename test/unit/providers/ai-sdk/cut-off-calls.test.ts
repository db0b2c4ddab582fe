import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, test } from 'vitest';
import { Session, ToolCallLog, ToolResult, tool } from 'weakincentives';
import { type AiSdkModel, aiSdk } from 'weakincentives/ai-sdk';
import { z } from 'zod';
import { promptOf } from '../../../support/prompt-of.ts';

type Body = Readonly<Record<string, unknown>>;

/** What a provider sends for a call that the limit on the length of an answer cut off behind `written`, and then for an answer. */
interface Wire {
  readonly modelOf: (fetch: typeof globalThis.fetch) => AiSdkModel;
  readonly cut: (written: string, isStreaming: boolean) => readonly Body[];
  readonly done: (isStreaming: boolean) => readonly Body[];
  /** Behind the pieces of a stream. */
  readonly end?: string;
}

const usage = { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 };

function chatAnswer(message: Body, finishReason: string, isStreaming: boolean): readonly Body[] {
  const base = { id: 'chat_1', created: 1, model: 'm' };
  const choice = (more: Body) => ({ choices: [{ index: 0, ...more }] });
  if (!isStreaming) return [{ ...base, ...choice({ message, finish_reason: finishReason }), usage }];
  return [
    { ...base, object: 'chat.completion.chunk', ...choice({ delta: message, finish_reason: null }) },
    {
      ...base,
      object: 'chat.completion.chunk',
      ...choice({ delta: {}, finish_reason: finishReason }),
      usage,
    },
  ];
}

const chat: Omit<Wire, 'modelOf'> = {
  cut: (written, isStreaming) => {
    const call = { index: 0, id: 'c1', type: 'function', function: { name: 'wipe', arguments: written } };
    return chatAnswer({ role: 'assistant', content: null, tool_calls: [call] }, 'length', isStreaming);
  },
  done: (isStreaming) => chatAnswer({ role: 'assistant', content: 'Done.' }, 'stop', isStreaming),
  end: 'data: [DONE]\n\n',
};

function geminiAnswer(part: Body, finishReason: string): readonly Body[] {
  return [
    {
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason }],
      usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 },
    },
  ];
}

const apiKey = 'none';
const wires: Readonly<Record<string, Wire>> = {
  '@ai-sdk/openai, chat': { ...chat, modelOf: (fetch) => createOpenAI({ apiKey, fetch }).chat('gpt-4o') },
  '@ai-sdk/openai-compatible': {
    ...chat,
    modelOf: (fetch) =>
      createOpenAICompatible({ name: 'local', baseURL: 'http://localhost/v1', fetch })('llama'),
  },
  '@ai-sdk/google': {
    modelOf: (fetch) => createGoogleGenerativeAI({ apiKey, fetch })('gemini-2.5-flash'),
    cut: () => geminiAnswer({ functionCall: { name: 'wipe', args: {} } }, 'MAX_TOKENS'),
    done: () => geminiAnswer({ text: 'Done.' }, 'STOP'),
  },
  '@ai-sdk/anthropic': {
    modelOf: (fetch) => createAnthropic({ apiKey, fetch })('claude-sonnet-4-5'),
    cut: (written, isStreaming) => {
      const message = { id: 'm', type: 'message', role: 'assistant', model: 'm' };
      const counts = { input_tokens: 9, output_tokens: 3 };
      const use = { type: 'tool_use', id: 'c1', name: 'wipe', input: {} };
      if (!isStreaming) return [{ ...message, content: [use], stop_reason: 'max_tokens', usage: counts }];
      const delta = { type: 'input_json_delta', partial_json: written };
      return [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: counts } },
        { type: 'content_block_start', index: 0, content_block: use },
        ...(written === '' ? [] : [{ type: 'content_block_delta', index: 0, delta }]),
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage: counts },
        { type: 'message_stop' },
      ];
    },
    done: (isStreaming) => {
      const message = { id: 'm', type: 'message', role: 'assistant', model: 'm' };
      const counts = { input_tokens: 9, output_tokens: 3 };
      const text = { type: 'text', text: 'Done.' };
      if (!isStreaming) return [{ ...message, content: [text], stop_reason: 'end_turn', usage: counts }];
      return [
        { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage: counts } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Done.' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: counts },
        { type: 'message_stop' },
      ];
    },
  },
};

describe.each(Object.entries(wires))('%s', (_name, { modelOf, cut, done, end = '' }) => {
  test.each([
    ['before its first argument', '', false],
    ['before its first argument, streamed', '', true],
    ['within its arguments', '{"what":"al', false],
    ['within its arguments, streamed', '{"what":"al', true],
  ])('a call that was cut off %s is answered and not run', async (_where, written, isStreaming) => {
    const wiped: unknown[] = [];
    const wipe = tool({
      name: 'wipe',
      description: 'Removes one thing, or everything.',
      inputSchema: z.object({ what: z.string().optional() }),
      execute: ({ what }) => {
        wiped.push(what);
        return ToolResult.ok(null);
      },
    });
    const prompt = promptOf({ tools: [wipe] });
    const requests: string[] = [];
    const fetch = async (_url: unknown, init?: { readonly body?: unknown }): Promise<Response> => {
      requests.push(String(init?.body));
      const bodies = requests.length === 1 ? cut(written, isStreaming) : done(isStreaming);
      if (!isStreaming) return Response.json(bodies[0]);
      const pieces = bodies.map((body) => {
        const type = typeof body['type'] === 'string' ? `event: ${body['type']}\n` : '';
        return `${type}data: ${JSON.stringify(body)}\n\n`;
      });
      return new Response(`${pieces.join('')}${end}`, { headers: { 'content-type': 'text/event-stream' } });
    };
    await using session = new Session();
    const adapter = aiSdk({ model: modelOf(fetch) });
    const { text } = await adapter.evaluate(prompt, { session, streaming: isStreaming, retry: false });
    expect(text).toBe('Done.');
    expect(wiped).toEqual([]);
    expect(session.slice(ToolCallLog).all()).toMatchObject([
      { toolName: 'wipe', outcome: 'rejected', reason: 'cut-off' },
    ]);
    expect(requests[1]).toContain('cut off before the call was known to be complete');
  });
});
