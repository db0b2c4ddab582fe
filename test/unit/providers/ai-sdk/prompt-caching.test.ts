import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import { promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { type AiSdkOptions, aiSdk } from 'weakincentives/ai-sdk';
import { webSearchTool } from 'weakincentives/tools';
import { answeringModel, call, reasoning, text } from '../../../support/ai-sdk-models.ts';
import { text as anthropicText, message, toolUse } from '../../../support/anthropic-messages.ts';
import { capturingFetch } from '../../../support/captured-requests.ts';

const look = tool({
  name: 'look',
  description: 'Looks.',
  effects: 'read',
  execute: () => ToolResult.ok(null, 'Looked.'),
});
const prompt = promptTemplate({
  ns: 'test',
  key: 'caching',
  sections: [section({ title: 'Task', key: 'task', template: 'Look.', tools: [look] })],
}).bind();
const control = { type: 'ephemeral' };

describe('requests to Claude through @ai-sdk/anthropic', () => {
  const answers = [
    message([toolUse('a', 'look', {}), toolUse('b', 'look', {})]),
    message([toolUse('c', 'look', {})]),
    message([anthropicText('Done.')]),
  ];
  const run = async (options: Partial<AiSdkOptions> = {}) => {
    const { fetch, requests } = capturingFetch(...answers);
    const model = createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5');
    await aiSdk({ model, ...options }).evaluate(prompt, { input: 'Go' });
    return requests.map(({ body }) => body);
  };
  const marksIn = (body: unknown): number => JSON.stringify(body).match(/"cache_control"/g)?.length ?? 0;

  it('mark the ends of tools, instructions, conversation, and where the conversation ended before', async () => {
    const bodies = await run();
    expect(bodies.map(marksIn)).toEqual([3, 4, 4]);
    expect(bodies[0]).toMatchObject({
      tools: [{ name: 'look', cache_control: control }],
      system: [{ cache_control: control }],
      messages: [{ role: 'user', content: [{ text: 'Go', cache_control: control }] }],
    });
    expect(bodies[1]).toMatchObject({
      messages: [
        { content: [{ text: 'Go', cache_control: control }] },
        { role: 'assistant' },
        { content: [{ tool_use_id: 'a' }, { tool_use_id: 'b', cache_control: control }] },
      ],
    });
    expect(marksIn(Object.values(bodies[1]?.['messages'] ?? {})[1])).toBe(0);
  });

  it('have a time to live when one is given, and no marks when none are wanted', async () => {
    const [kept] = await run({ promptCaching: { ttl: '1h' } });
    expect(kept).toMatchObject({ system: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }] });
    expect((await run({ promptCaching: false })).map(marksIn)).toEqual([0, 0, 0]);
  });

  it('have no marks beside the one that the caller has the provider place', async () => {
    const bodies = await run({ providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } });
    expect(bodies.map(marksIn)).toEqual([1, 1, 1]);
  });
});

describe.each(['v3', 'v4'] as const)('calls of a model of version %s', (version) => {
  const answers = [
    { content: [text('Hm.'), call('c1', 'look', {})] },
    { content: [reasoning('So.')], unified: 'stop', raw: 'pause_turn' },
    { content: [text('Done.')] },
  ];
  const run = async (provider: string, modelId: string) => {
    const { model, calls } = answeringModel(version, answers, provider);
    Object.assign(model, { modelId });
    await aiSdk({ model }).evaluate(prompt, { input: 'Go' });
    return calls;
  };

  it.each([
    ['anthropic.messages', 'claude-sonnet-4-5', ['anthropic']],
    ['vertex.anthropic.messages', 'claude-sonnet-4-5', ['anthropic']],
    ['amazon-bedrock', 'eu.anthropic.claude-sonnet-4-5-v1:0', ['anthropic', 'bedrock']],
    ['openrouter.chat', 'anthropic/claude-sonnet-4.5', ['anthropic', 'openrouter']],
  ])('of %s are marked for its package', async (provider, modelId, names) => {
    const [first, second, third] = await run(provider, modelId);
    expect(first?.prompt.map(({ providerOptions = {} }) => Object.keys(providerOptions))).toEqual([
      names,
      names,
    ]);
    expect(first?.tools).toMatchObject([
      { providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } } },
    ]);
    if (names.includes('bedrock')) {
      expect(first?.prompt[0]?.providerOptions).toMatchObject({
        bedrock: { cachePoint: { type: 'default' } },
      });
    }
    expect(second?.prompt.map(({ providerOptions }) => providerOptions !== undefined)).toEqual([
      true,
      true,
      false,
      true,
    ]);
    // Reasoning takes no mark, so the answer that is to continue has none.
    expect(third?.prompt.at(-1)).toMatchObject({ role: 'assistant' });
    expect(third?.prompt.at(-1)?.providerOptions).toBeUndefined();
  });

  it.each([
    ['openai.responses', 'gpt-5'],
    ['amazon-bedrock', 'amazon.titan-text'],
    ['somebody.chat', 'model-1'],
  ])('of %s %s are not marked', async (provider, modelId) => {
    expect(JSON.stringify(await run(provider, modelId))).not.toMatch(/cacheControl|cachePoint/);
  });

  it('are refused with a time to live that there is none of', () => {
    const { model } = answeringModel(version, answers, 'anthropic.messages');
    // @ts-expect-error Not one of the two.
    expect(() => aiSdk({ model, promptCaching: { ttl: '2h' } })).toThrow(
      /promptCaching.ttl must be '5m' or '1h'/,
    );
  });
});

it('leaves a hosted tool at the end of the tools unmarked', async () => {
  const only = promptTemplate({
    ns: 'test',
    key: 'hosted',
    sections: [section({ title: 'Task', key: 'task', template: 'Look.', hostedTools: [webSearchTool()] })],
  }).bind();
  const { model, calls } = answeringModel('v4', [{ content: [text('Done.')] }], 'anthropic.messages');
  await aiSdk({ model }).evaluate(only, { input: 'Go' });
  expect(calls[0]?.tools).toEqual([
    { type: 'provider', id: 'anthropic.web_search_20250305', name: 'web_search', args: {} },
  ]);
});
