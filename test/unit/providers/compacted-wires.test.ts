import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import {
  type ConversationItem,
  type ProviderAdapter,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { capturingFetch } from '../../support/captured-requests.ts';

const turns = 60;

/** What a server that is as strict as the provider finds wrong with a request. */
type Faults = string[];

type Items = readonly Readonly<Record<string, unknown>>[];

interface Wire {
  readonly adapter: ProviderAdapter;
  readonly faults: Faults;
  readonly requests: () => number;
}

const usageOf = (tokens: number): object => ({
  input_tokens: tokens,
  output_tokens: 20,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: tokens + 20,
});

/** The Responses API: an output follows its call, a call its reasoning. */
function responses(make: (fetch: typeof globalThis.fetch) => ProviderAdapter, reasons = true): Wire {
  const faults: Faults = [];
  let asked = 0;
  const { fetch } = capturingFetch(({ body, text }) => {
    asked += 1;
    const input = body['input'] as unknown as Items;
    let open: unknown[] = [];
    for (const [index, item] of input.entries()) {
      const [before, after] = [input[index - 1]?.['type'], input[index + 1]?.['type']];
      if (item['type'] === 'reasoning' && after !== 'function_call') faults.push(`${asked}: reasoning alone`);
      if (item['type'] === 'function_call') {
        open.push(item['call_id']);
        if (reasons && before !== 'reasoning' && before !== 'function_call')
          faults.push(`${asked}: a call without its reasoning`);
      }
      if (item['type'] !== 'function_call_output') continue;
      if (!open.includes(item['call_id'])) faults.push(`${asked}: an output without its call`);
      open = open.filter((id) => id !== item['call_id']);
    }
    if (open.length > 0) faults.push(`${asked}: a call without its output`);
    const output =
      asked > turns
        ? [
            {
              type: 'message',
              id: 'm',
              role: 'assistant',
              status: 'completed',
              content: [{ type: 'output_text', text: 'end', annotations: [] }],
            },
          ]
        : [
            ...(reasons
              ? [{ type: 'reasoning', id: `rs_${asked}`, summary: [], encrypted_content: 'E'.repeat(100) }]
              : []),
            ...[1, 2].map((number) => ({
              type: 'function_call',
              id: `fc_${asked}_${number}`,
              call_id: `call_${asked}_${number}`,
              name: 'step',
              arguments: '{}',
              status: 'completed',
            })),
          ];
    const tokens = Math.ceil(text.length / 4);
    return Response.json({
      id: `r${asked}`,
      object: 'response',
      created_at: 1,
      status: 'completed',
      model: 'm',
      output,
      usage: usageOf(tokens),
    });
  });
  return { adapter: make(fetch), faults, requests: () => asked };
}

/** The Messages API: roles alternate, results come first and answer exactly the calls before them, a call follows its thinking. */
function messages(): Wire {
  const faults: Faults = [];
  let asked = 0;
  const { fetch } = capturingFetch(({ body, text }) => {
    asked += 1;
    const sent = body['messages'] as unknown as readonly { readonly role: string; readonly content: Items }[];
    for (const [index, { role, content }] of sent.entries()) {
      // What continues a paused turn is an assistant's message after it, which the provider joins.
      const before = sent[index - 1]?.role;
      if (role === before && role === 'user') faults.push(`${asked}: two of a user at ${index}`);
      if (before === undefined && role !== 'user') faults.push(`${asked}: ${role} first`);
      const ids = content.filter(({ type }) => type === 'tool_use').map(({ id }) => id);
      if (ids.length > 0 && content[0]?.['type'] !== 'thinking')
        faults.push(`${asked}: a call without its thinking`);
      const answers = (sent[index + 1]?.content ?? []).filter(({ type }) => type === 'tool_result');
      const answered = answers.map((result) => result['tool_use_id']);
      if (ids.join() !== answered.join())
        faults.push(`${asked}: ${ids.join()} answered by ${answered.join()}`);
      const late = content.findIndex(
        ({ type }, at) => type === 'tool_result' && at > 0 && content[at - 1]?.['type'] !== 'tool_result',
      );
      if (late >= 0) faults.push(`${asked}: a text before a result`);
    }
    // Every ninth turn is paused: the next one continues it.
    const isPaused = asked % 9 === 0;
    const thinking = { type: 'thinking', thinking: 'Hm.', signature: 'S'.repeat(50) };
    const content =
      asked > turns
        ? [{ type: 'text', text: 'end' }]
        : isPaused
          ? [thinking, { type: 'text', text: 'One moment.' }]
          : [
              thinking,
              ...[1, 2].map((number) => ({
                type: 'tool_use',
                id: `t_${asked}_${number}`,
                name: 'step',
                input: {},
              })),
            ];
    const stop = asked > turns ? 'end_turn' : isPaused ? 'pause_turn' : 'tool_use';
    const usage = { input_tokens: Math.ceil(text.length / 4), output_tokens: 20 };
    return Response.json({
      id: `m${asked}`,
      type: 'message',
      role: 'assistant',
      model: 'm',
      content,
      stop_reason: stop,
      stop_sequence: null,
      usage,
    });
  });
  const client = new Anthropic({ apiKey: 'k', fetch, maxRetries: 0 });
  const settings = { thinking: { type: 'enabled', budget_tokens: 1_024 } };
  return {
    adapter: anthropic({ model: 'm', maxTokens: 4_096, client, settings }),
    faults,
    requests: () => asked,
  };
}

const wires: readonly [string, () => Wire][] = [
  [
    'openai',
    () =>
      responses((fetch) => openai({ model: 'm', client: new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 }) })),
  ],
  ['anthropic', messages],
  [
    'ai-sdk',
    () =>
      responses(
        (fetch) => aiSdk({ model: createOpenAI({ apiKey: 'k', fetch }).responses('gpt-4.1') }),
        false,
      ),
  ],
];

/** A conversation that another provider has left, with a call and what it answers. */
const foreign: readonly ConversationItem[] = [
  { type: 'user', content: [{ type: 'text', text: 'Before.' }] },
  {
    type: 'assistant',
    content: [{ type: 'tool-call', callId: 'call:1/é', name: 'step', arguments: '{}' }],
    raw: { provider: 'somebody', items: [{ type: 'reasoning' }] },
  },
  { type: 'tool-result', callId: 'call:1/é', toolName: 'step', text: 'Made. '.repeat(50), isError: false },
  { type: 'assistant', content: [{ type: 'text', text: 'Well.' }] },
];

describe.each(wires)('what %s sends after compactions', (_name, open) => {
  test.each<[string, readonly ConversationItem[]]>([
    ['of its own conversation', []],
    ['of one that another provider has begun', foreign],
  ])('is accepted by a strict server: %s', async (_what, history) => {
    const { adapter, faults, requests } = open();
    const picture = { type: 'image', mediaType: 'image/png', data: 'iVBORw0KGgo=' } as const;
    const step = tool({
      name: 'step',
      description: 'Makes a step.',
      effects: 'state',
      execute: (_params, { callId }) =>
        ToolResult.ok(
          null,
          'A long text. '.repeat(30),
          callId.endsWith('5_1') ? { attachments: [picture] } : {},
        ),
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'wires',
      sections: [section({ title: 'Task', key: 'task', template: 'Work.', tools: [step] })],
    }).bind();
    let compactions = 0;
    const { text } = await adapter.evaluate(prompt, {
      context: { compact: { atInputTokens: 4_000, toInputTokens: 2_000 } },
      history,
      input: 'Begin.',
      limits: { maxTurns: turns + 5 },
      observers: [{ onEvent: ({ type }) => void (type === 'context-compacted' && (compactions += 1)) }],
    });
    expect(text).toContain('end');
    expect(requests()).toBe(turns + 1);
    expect(compactions).toBeGreaterThan(2);
    // The call of another provider has no reasoning of this one.
    const own = faults.filter(
      (fault) => history.length === 0 || !/without its (reasoning|thinking)$/.test(fault),
    );
    expect(own).toEqual([]);
  });
});
