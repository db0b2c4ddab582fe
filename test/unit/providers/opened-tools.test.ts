import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import Anthropic from '@anthropic-ai/sdk';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import {
  type EvaluateOptions,
  PolicyDecision,
  type Prompt,
  type ProviderAdapter,
  promptTemplate,
  resumeRun,
  Session,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { memoryJournal } from 'weakincentives/testing';
import { type CapturedRequest, capturingFetch } from '../../support/captured-requests.ts';

type Where = 'append' | 'in-place' | 'tool-search';

/** Calls of one answer: names with arguments. */
type Calls = readonly (readonly [name: string, args: object])[];

interface Vendor {
  /** How it is asked to place them in the conversation. */
  readonly placed: 'in-place' | 'tool-search';
  /** An adapter that answers with these calls, turn by turn, and then with a text. */
  open(
    turns: readonly Calls[],
    openedTools?: Where,
  ): { readonly adapter: ProviderAdapter; readonly requests: readonly CapturedRequest[] };
  /** Names of the tools that the provider has for the model from the start. */
  front(request: CapturedRequest | undefined): readonly unknown[];
  /** What stands before the conversation, and the conversation, as texts. */
  parts(request: CapturedRequest | undefined): readonly [head: string, items: readonly string[]];
  /** Names of the tools that come in the conversation. */
  inPlace(request: CapturedRequest | undefined): readonly unknown[];
}

/** A list of the body of a request. */
function listOf(request: CapturedRequest | undefined, name: string): Items {
  // What the clients of the vendors send.
  return (request?.body[name] ?? []) as unknown as Items;
}

type Items = readonly { readonly [name: string]: unknown; readonly type?: string }[];

/** Makes an adapter over a `fetch`. */
type Make<Choice extends Where> = (
  fetch: typeof globalThis.fetch,
  options: { readonly openedTools?: Choice },
) => ProviderAdapter;

const usageOf = (tokens: number): object => ({
  input_tokens: tokens,
  output_tokens: 1,
  input_tokens_details: { cached_tokens: 0 },
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: tokens + 1,
});

/** The Responses API. */
function responses<Choice extends Where>(make: Make<Choice>, placed: Vendor['placed'] = 'in-place'): Vendor {
  return {
    placed,
    open: (turns, openedTools) => {
      let asked = 0;
      const { fetch, requests } = capturingFetch(({ text }) => {
        const calls = turns[asked];
        asked += 1;
        const output =
          calls === undefined
            ? [
                {
                  type: 'message',
                  id: 'm',
                  role: 'assistant',
                  status: 'completed',
                  content: [{ type: 'output_text', text: 'end', annotations: [] }],
                },
              ]
            : calls.map(([name, args], index) => ({
                id: `fc_${asked}_${index}`,
                call_id: `call_${asked}_${index}`,
                status: 'completed',
                ...(name === 'open_sections' && openedTools === 'tool-search'
                  ? { type: 'tool_search_call', execution: 'client', arguments: args }
                  : {
                      type: 'function_call',
                      name,
                      arguments: JSON.stringify(args),
                      ...(openedTools === 'tool-search' && name.includes('_')
                        ? { namespace: name.replace(/_.*/, '') }
                        : {}),
                    }),
              }));
        return Response.json({
          id: `r${asked}`,
          object: 'response',
          created_at: 1,
          status: 'completed',
          model: 'm',
          output,
          usage: usageOf(Math.ceil(text.length / 4)),
        });
      });
      // Which of them an adapter takes is a matter of the list of vendors.
      const options = (openedTools === undefined ? {} : { openedTools }) as { readonly openedTools?: never };
      return { adapter: make(fetch, options), requests };
    },
    front: (request) =>
      listOf(request, 'tools').map(({ execution, name, type }) =>
        type === 'tool_search' && execution === 'client' ? 'open_sections' : name,
      ),
    parts: (request) => [
      JSON.stringify([request?.body['tools'], request?.body['instructions']]),
      listOf(request, 'input').map((item) => JSON.stringify(item)),
    ],
    inPlace: (request) =>
      listOf(request, 'input').flatMap((item) =>
        item.type === 'additional_tools' || item.type === 'tool_search_output'
          ? (item['tools'] as Items).flatMap(({ name, tools, type }) =>
              type === 'namespace' ? (tools as Items).map((each) => each['name']) : [name],
            )
          : [],
      ),
  };
}

/** The Messages API. */
function messages(make: Make<'append' | 'in-place'>): Vendor {
  return {
    placed: 'in-place',
    open: (turns, openedTools) => {
      let asked = 0;
      const { fetch, requests } = capturingFetch(({ text }) => {
        const calls = turns[asked];
        asked += 1;
        const content =
          calls === undefined
            ? [{ type: 'text', text: 'end' }]
            : calls.map(([name, input], index) => ({
                type: 'tool_use',
                id: `t_${asked}_${index}`,
                name,
                input,
              }));
        const stop = calls === undefined ? 'end_turn' : 'tool_use';
        return Response.json({
          id: `m${asked}`,
          type: 'message',
          role: 'assistant',
          model: 'm',
          content,
          stop_reason: stop,
          stop_sequence: null,
          usage: { input_tokens: Math.ceil(text.length / 4), output_tokens: 1 },
        });
      });
      // Which of them an adapter takes is a matter of the list of vendors.
      const options = (openedTools === undefined ? {} : { openedTools }) as { readonly openedTools?: never };
      return { adapter: make(fetch, options), requests };
    },
    front: (request) =>
      listOf(request, 'tools')
        .filter((each) => each['defer_loading'] !== true)
        .map(({ name }) => name),
    parts: (request) => [
      JSON.stringify([request?.body['tools'], request?.body['system']]),
      listOf(request, 'messages').map((item) => JSON.stringify(item)),
    ],
    inPlace: (request) =>
      listOf(request, 'messages').flatMap(({ content }) =>
        (content as Items).flatMap((block) =>
          block.type === 'tool_result' && Array.isArray(block['content'])
            ? (block['content'] as Items).flatMap((part) =>
                part.type === 'tool_reference' ? [part['tool_name']] : [],
              )
            : [],
        ),
      ),
  };
}

const vendors: Readonly<Record<string, Vendor>> = {
  openai: responses((fetch, options) =>
    openai({ model: 'm', client: new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 }), ...options }),
  ),
  anthropic: messages((fetch, options) => {
    const client = new Anthropic({ apiKey: 'k', fetch, maxRetries: 0 });
    return anthropic({ model: 'm', client, promptCaching: false, ...options });
  }),
  'the AI SDK, with OpenAI': responses((fetch, options) =>
    aiSdk({ model: createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.4'), ...options }),
  ),
  'openai, by a search': responses(
    (fetch, options) =>
      openai({ model: 'm', client: new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 }), ...options }),
    'tool-search',
  ),
  'the AI SDK, with OpenAI, by a search': responses(
    (fetch, options) =>
      aiSdk({ model: createOpenAI({ apiKey: 'k', fetch }).responses('gpt-5.4'), ...options }),
    'tool-search',
  ),
  'AI SDK 6, with OpenAI, by a search': responses(
    (fetch, options) =>
      aiSdk({ model: createOpenAIV3({ apiKey: 'k', fetch }).responses('gpt-5.4'), ...options }),
    'tool-search',
  ),
  'the AI SDK, with Anthropic': messages((fetch, options) => {
    const model = createAnthropic({ apiKey: 'k', fetch })('claude-sonnet-5-5');
    return aiSdk({ model, promptCaching: false, ...options });
  }),
};

function promptOf(policies: readonly ToolPolicy[] = []): Prompt {
  const make = (name: string) =>
    tool({
      name,
      description: `Does ${name}. `.repeat(10),
      effects: 'read',
      execute: () => ToolResult.ok(null, `Did ${name}. `.repeat(20)),
    });
  const hidden = ['disk', 'mail'].map((key) =>
    section({
      title: key,
      key,
      template: `All of ${key}.`,
      summary: `Some of ${key}.`,
      visibility: 'summary',
      tools: [make(`${key}_read`), make(`${key}_write`)],
    }),
  );
  return promptTemplate({
    ns: 'test',
    key: 'opened',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Work. '.repeat(200), tools: [make('look')] }),
      ...hidden,
    ],
    policies,
  }).bind();
}

const opening = (...keys: readonly string[]) =>
  ['open_sections', { section_keys: keys, reason: 'Needed.' }] as const;

async function run(
  vendor: Vendor,
  turns: readonly Calls[],
  {
    openedTools = vendor.placed,
    prompt = promptOf(),
    ...options
  }: EvaluateOptions & { openedTools?: Where | undefined; prompt?: Prompt } = {},
): Promise<readonly CapturedRequest[]> {
  const { adapter, requests } = vendor.open(turns, openedTools);
  await adapter.evaluate(prompt, { input: 'Begin.', ...options });
  return requests;
}

describe.each(Object.entries(vendors))('tools of opened sections on %s', (_name, vendor) => {
  test('come with the result that opens them: what is before the conversation stays, and the conversation grows at its end', async () => {
    const turns = [
      [['look', {}]],
      [opening('disk')],
      [['disk_read', {}]],
      [opening('mail')],
      [
        ['mail_read', {}],
        ['disk_write', {}],
      ],
    ] as const;
    const requests = await run(vendor, turns);
    expect(requests).toHaveLength(6);
    const [head] = vendor.parts(requests[0]);
    for (const [index, request] of requests.entries()) {
      const [own, items] = vendor.parts(request);
      expect(own).toBe(head);
      const before = index === 0 ? [] : vendor.parts(requests[index - 1])[1];
      expect(items.slice(0, before.length)).toEqual(before);
    }
    expect(requests.map((request) => vendor.inPlace(request))).toEqual([
      [],
      [],
      ['disk_read', 'disk_write'],
      ['disk_read', 'disk_write'],
      ['disk_read', 'disk_write', 'mail_read', 'mail_write'],
      ['disk_read', 'disk_write', 'mail_read', 'mail_write'],
    ]);
    expect(new Set(vendor.front(requests[0]))).toEqual(new Set(['look', 'open_sections']));
    expect(requests.at(-1)?.text).toContain('Did mail_read.');
  });

  test('leave much less to be read anew than when they are appended', async () => {
    const looks = Array.from({ length: 6 }, (): Calls => [['look', {}]]);
    const turns: readonly Calls[] = [...looks, [opening('disk')], ...looks, [opening('mail')], ...looks];
    const uncached = async (openedTools: Where): Promise<number> => {
      const bodies = (await run(vendor, turns, { openedTools })).map((request) => {
        const [head, items] = vendor.parts(request);
        return [head, ...items].join();
      });
      return bodies.reduce((sum, body, index) => {
        const before = bodies[index - 1] ?? '';
        let same = 0;
        while (same < before.length && before[same] === body[same]) same += 1;
        return sum + body.length - same;
      }, 0);
    };
    expect(await uncached(vendor.placed)).toBeLessThan(0.7 * (await uncached('append')));
  });

  test('of two sections in one turn come with their results', async () => {
    const requests = await run(vendor, [[opening('disk'), opening('mail')], [['mail_read', {}]]]);
    expect(vendor.inPlace(requests[1])).toEqual(['disk_read', 'disk_write', 'mail_read', 'mail_write']);
    expect(requests[2]?.text).toContain('Did mail_read.');
  });

  test('are not there when the opening is denied, and cannot be called before it', async () => {
    const closed: ToolPolicy = {
      name: 'closed',
      check: ({ tool: { name } }) =>
        name === 'open_sections' ? PolicyDecision.deny('Not today.') : PolicyDecision.allow(),
    };
    const requests = await run(vendor, [[['disk_read', {}]], [opening('disk')]], {
      prompt: promptOf([closed]),
    });
    expect(vendor.inPlace(requests.at(-1))).toEqual([]);
    expect(requests[1]?.text).toContain('There is no tool');
  });

  test('of another evaluation, in a history, bring nothing', async () => {
    const { adapter } = vendor.open([[opening('disk')]], vendor.placed);
    const { conversation: history } = await adapter.evaluate(promptOf(), { input: 'Begin.' });
    expect(JSON.stringify(history)).toContain('"loadedTools":["disk_read","disk_write"]');
    const [request] = await run(vendor, [], { history });
    expect(vendor.inPlace(request)).toEqual([]);
    expect(new Set(vendor.front(request))).toEqual(new Set(['look', 'open_sections']));
  });

  test('are appended without the option, as ever', async () => {
    const turns = [[opening('disk')], [['disk_read', {}]]] as const;
    const plain = vendor.open(turns);
    await plain.adapter.evaluate(promptOf(), { input: 'Begin.' });
    for (const requests of [plain.requests, await run(vendor, turns, { openedTools: 'append' })]) {
      expect(new Set(vendor.front(requests[0]))).toEqual(new Set(['look', 'open_sections']));
      expect(new Set(vendor.front(requests[2]))).toEqual(
        new Set(['look', 'open_sections', 'disk_read', 'disk_write']),
      );
      expect(
        requests.every(({ text }) => !/additional_tools|tool_reference|defer_loading|tool_search/.test(text)),
      ).toBe(true);
    }
  });

  test('are there again when the run is resumed', async () => {
    const turns = [[opening('disk')], [['disk_read', {}]], [opening('mail')]] as const;
    const whole = await run(vendor, turns);
    const journal = memoryJournal();
    const dying = vendor.open(turns, vendor.placed);
    const ending = new AbortController();
    await expect(
      dying.adapter.evaluate(promptOf(), {
        input: 'Begin.',
        journal,
        runId: 'run',
        session: new Session({ id: 'session' }),
        signal: ending.signal,
        observers: [
          { onEvent: (event) => void (event.type === 'turn-end' && event.turn === 2 && ending.abort()) },
        ],
      }),
    ).rejects.toMatchObject({ code: 'evaluation-aborted' });
    const living = vendor.open(turns.slice(2), vendor.placed);
    await resumeRun({ journal, runId: 'run', adapter: living.adapter, prompt: promptOf() });
    const bodyOf = ({ text }: CapturedRequest): string => text.replaceAll(/(call|fc|t)_\d/g, '$1_N');
    expect(living.requests.map(bodyOf)).toEqual(whole.slice(2).map(bodyOf));
  });

  test('are in front once a compaction has left out the result that brought them', async () => {
    const turns: readonly Calls[] = [
      [opening('disk')],
      ...Array.from(
        { length: 12 },
        (): Calls => [
          ['look', {}],
          ['disk_read', {}],
        ],
      ),
    ];
    const prompt = promptOf();
    const requests = await run(vendor, turns, {
      prompt,
      context: { compact: { atInputTokens: 1_800, toInputTokens: 1_200 } },
    });
    const last = requests.at(-1);
    expect(last?.text).toContain('wink-state');
    expect(vendor.inPlace(last)).toEqual([]);
    expect(new Set(vendor.front(last))).toEqual(
      new Set(['look', 'open_sections', 'disk_read', 'disk_write']),
    );
    expect(last?.text).toContain('All of disk.');
  });
});

test('a model of the AI SDK that cannot take them in place refuses that', () => {
  const model = createGoogleGenerativeAI({ apiKey: 'k' })('gemini-2.5-pro');
  expect(() => aiSdk({ model, openedTools: 'in-place' })).toThrow(
    /"google\.generative-ai", version v4\. Leave it out/,
  );
});

test('a search is answered with a namespace for each section, and with its text', async () => {
  const vendor = vendors['openai, by a search'];
  if (vendor === undefined) throw new Error('The vendor is not in the list.');
  const requests = await run(vendor, [[opening('disk')], [['disk_read', {}]]]);
  expect(listOf(requests[0], 'tools')[0]).toEqual({
    type: 'tool_search',
    execution: 'client',
    description: expect.stringMatching(
      /^What the instructions call open_sections is a search with this tool\. /,
    ),
    parameters: expect.objectContaining({ required: expect.arrayContaining(['section_keys']) }),
  });
  const [call, output, said] = listOf(requests[1], 'input').slice(1);
  expect(call).toMatchObject({ type: 'tool_search_call', call_id: 'call_1_0' });
  const functionOf = (name: string) => ({
    type: 'function',
    name,
    description: expect.any(String),
    parameters: expect.any(Object),
    strict: true,
    defer_loading: true,
  });
  expect(output).toEqual({
    type: 'tool_search_output',
    call_id: 'call_1_0',
    execution: 'client',
    status: 'completed',
    tools: [
      {
        type: 'namespace',
        name: 'disk',
        description: 'disk',
        tools: [functionOf('disk_read'), functionOf('disk_write')],
      },
    ],
  });
  expect(said).toMatchObject({
    type: 'message',
    role: 'developer',
    content: [{ type: 'input_text', text: expect.stringContaining('All of disk.') }],
  });
  expect(listOf(requests[2], 'input').slice(4)).toMatchObject([
    { type: 'function_call', name: 'disk_read', namespace: 'disk' },
    { type: 'function_call_output', call_id: 'call_2_0' },
  ]);
});

test('the model cannot be forced to a search', async () => {
  const adapter = openai({ model: 'gpt-5.4', apiKey: 'k', openedTools: 'tool-search' });
  await expect(
    adapter.evaluate(promptOf(), { input: 'Begin.', toolChoice: { tool: 'open_sections' } }),
  ).rejects.toThrow(/cannot name "open_sections" here: it is offered as "openai\.tool_search"/);
});
