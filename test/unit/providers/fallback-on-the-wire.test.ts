import { describe, expect, it } from 'vitest';
import { type RunEvent, ToolResult, tool } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { fallbackAdapter } from 'weakincentives/provider';
import {
  type AnthropicMessage,
  message as claudeSays,
  text,
  thinking,
  toolUse,
} from '../../support/anthropic-messages.ts';
import { thinkingFault } from '../../support/anthropic-thinking.ts';
import { eventStream, json, openWireServer, type WireReply } from '../../support/conformance/wire-server.ts';
import { eventsOf } from '../../support/fallback-models.ts';
import { functionCall, message, reasoning, response } from '../../support/openai-responses.ts';
import { promptOf } from '../../support/prompt-of.ts';
import { recordingLogger } from '../../support/recording-logger.ts';

type Body = Readonly<Record<string, unknown>>;

const ran: string[] = [];
const step = tool({
  name: 'step',
  description: 'Does a step.',
  effects: 'state',
  execute: (_params, { callId }) => {
    ran.push(callId);
    return ToolResult.ok(null, `Did ${callId}.`);
  },
});
const prompt = promptOf({ tools: [step] });
const down: WireReply = json({ error: { type: 'server_error', message: 'down' } }, { status: 503 });
/** An id that is none at Anthropic. */
const longId = `call:1/é${'x'.repeat(80)}`;

/** A server that answers each request in turn, the last answer again and again. */
async function serve(...replies: readonly WireReply[]) {
  const bodies: Body[] = [];
  const server = await openWireServer((body) => {
    const reply = replies[Math.min(bodies.push(body), replies.length) - 1];
    return reply ?? down;
  });
  return { url: server.url, bodies, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const atOpenAI = (url: string) =>
  openai({ model: 'gpt-x', apiKey: 'none', baseURL: `${url}/v1`, encryptedReasoning: true });
const atAnthropic = (url: string, settings: Body = {}) =>
  anthropic({ model: 'claude-x', maxTokens: 4_096, apiKey: 'none', baseURL: url, settings } as Parameters<
    typeof anthropic
  >[0]);
const thinks = { thinking: { type: 'enabled', budget_tokens: 1_024 } };

const gptCalls = json(
  response([
    reasoning('rs_1', 'I think.'),
    functionCall('call_1', 'step', {}),
    functionCall(longId, 'step', {}),
  ]),
);
const claudeTurns: readonly AnthropicMessage[] = [
  claudeSays([text('I take over.'), toolUse('toolu_1', 'step', {})]),
  claudeSays([text('Done by Claude.')]),
];

describe('a run that goes from OpenAI to Anthropic in the middle of its calls', () => {
  const go = async () => {
    ran.length = 0;
    await using first = await serve(gptCalls, down);
    await using second = await serve(...claudeTurns.map((turn) => json(turn)));
    const logger = recordingLogger();
    const events: RunEvent[] = [];
    const adapter = fallbackAdapter({ adapters: [atOpenAI(first.url), atAnthropic(second.url, thinks)] });
    const run = await adapter.evaluate(prompt, {
      input: 'Go',
      retry: false,
      logger,
      observers: [{ onEvent: (event) => void events.push(event) }],
    });
    return { run, logger, events, first: first.bodies, second: second.bodies };
  };

  it('asks the second with valid ids and the results of the calls, which do not run again', async () => {
    const { run, events, first, second } = await go();
    expect(run).toMatchObject({ text: 'Done by Claude.', models: ['openai/gpt-x', 'anthropic/claude-x'] });
    expect(eventsOf(events, 'model-changed')).toMatchObject([
      { turn: 2, from: 'openai/gpt-x', to: 'anthropic/claude-x', reason: 'server-error' },
    ]);
    expect([first.length, second.length]).toEqual([2, 2]);
    expect(ran).toEqual(['call_1', longId, 'toolu_1']);

    const [begun] = second;
    const messages = begun?.['messages'] as readonly {
      readonly role: string;
      readonly content: readonly Body[];
    }[];
    expect(messages.map(({ role, content }) => [role, content.map(({ type }) => type)])).toEqual([
      ['user', ['text']],
      ['assistant', ['tool_use', 'tool_use']],
      ['user', ['tool_result', 'tool_result']],
    ]);
    const [, calls, results] = messages;
    const ids = calls?.content.map(({ id }) => String(id)) ?? [];
    expect(ids.every((id) => /^[a-zA-Z0-9_-]{1,64}$/.test(id))).toBe(true);
    expect(new Set(ids).size).toBe(2);
    expect(results?.content.map((result) => result['tool_use_id'])).toEqual(ids);
    expect(JSON.stringify(begun)).not.toContain('secret of');
  });

  it('asks the second without thinking until a turn of its own can continue, and warns of it', async () => {
    const { logger, second } = await go();
    expect(second.map(({ thinking: asked }) => (asked as Body | undefined)?.['type'])).toEqual([
      'disabled',
      'disabled',
    ]);
    expect(second.map(thinkingFault)).toEqual([undefined, undefined]);
    expect(
      logger.lines.filter(({ level, message: line }) => level === 'warn' && line.includes('thinking')),
    ).toHaveLength(1);
  });

  it('can be continued by the first, with its own items unchanged', async () => {
    const { run } = await go();
    await using back = await serve(json(response([message('Here again.')])));
    const again = await atOpenAI(back.url).evaluate(prompt, { input: 'And now?', history: run.conversation });
    expect(again.text).toBe('Here again.');
    const input = back.bodies[0]?.['input'] as readonly Body[];
    expect(input.map(({ type, role }) => role ?? type)).toEqual([
      'user',
      'reasoning',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
      'assistant',
      'function_call',
      'function_call_output',
      'assistant',
      'user',
    ]);
    const ids = (type: string): readonly unknown[] =>
      input.flatMap((item) => (item['type'] === type ? [item['call_id']] : []));
    expect(ids('function_call')).toEqual(['call_1', longId, 'toolu_1']);
    expect(ids('function_call_output')).toEqual(ids('function_call'));
    expect(input[1]).toMatchObject({ encrypted_content: 'secret of rs_1' });
  });
});

describe('a run that goes from Anthropic to OpenAI', () => {
  it('leaves the thinking out, and keeps text and calls', async () => {
    ran.length = 0;
    await using first = await serve(
      json(claudeSays([thinking('Hm.'), toolUse('toolu_1', 'step', {})])),
      down,
    );
    await using second = await serve(json(response([message('Done by GPT.')])));
    const adapter = fallbackAdapter({ adapters: [atAnthropic(first.url, thinks), atOpenAI(second.url)] });
    const run = await adapter.evaluate(prompt, { input: 'Go', retry: false });
    expect(run).toMatchObject({ text: 'Done by GPT.', models: ['anthropic/claude-x', 'openai/gpt-x'] });
    expect(ran).toEqual(['toolu_1']);
    expect(second.bodies[0]?.['input']).toMatchObject([
      { role: 'user' },
      { type: 'function_call', call_id: 'toolu_1' },
      { type: 'function_call_output', call_id: 'toolu_1', output: 'Did toolu_1.' },
    ]);
    expect(JSON.stringify(second.bodies)).not.toContain('Hm.');
  });

  it('shows the answer of the second alone, when the stream of the first breaks off', async () => {
    const half = [
      { type: 'message_start', message: { ...claudeSays([]), stop_reason: null } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '', citations: null } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half an' } },
    ];
    const body = half.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    await using first = await serve(eventStream(body, 'broken'));
    const whole = response([message('By GPT.')]);
    const done = [
      {
        type: 'response.output_text.delta',
        item_id: 'msg_1',
        output_index: 0,
        content_index: 0,
        delta: 'By GPT.',
      },
      { type: 'response.completed', response: whole },
    ];
    const stream = done.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
    await using second = await serve(eventStream(stream));
    const adapter = fallbackAdapter({ adapters: [atAnthropic(first.url), atOpenAI(second.url)] });
    let shown = '';
    for await (const event of adapter.stream(prompt, { input: 'Go', retry: false })) {
      if (event.type === 'text-delta') shown += event.text;
      if (event.type === 'model-call-retry' || event.type === 'model-changed')
        shown = shown.slice(0, shown.length - (event.voidCharacters?.text ?? 0));
      if (event.type === 'run-result') expect(event.response.text).toBe('By GPT.');
    }
    expect(shown).toBe('By GPT.');
    expect(first.bodies).toHaveLength(1);
  });
});

describe('the settings of an evaluation', () => {
  it('are refused before the first request where one of the providers has none of the kind', async () => {
    await using first = await serve(json(response([message('Hi.')])));
    const adapter = fallbackAdapter({ adapters: [atOpenAI(first.url), atAnthropic(first.url)] });
    await expect(adapter.evaluate(prompt, { settings: { temperature: 0.5 } })).rejects.toMatchObject({
      code: 'evaluation-render-failed',
    });
    expect(first.bodies).toEqual([]);
  });
});
