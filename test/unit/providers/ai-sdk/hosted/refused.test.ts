import { createOpenAI } from '@ai-sdk/openai';
import { describe, expect, it } from 'vitest';
import { type HostedTool, hostedTool, ToolResult, tool } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { codeInterpreterTool, hostedMcpTool, imageGenerationTool, webSearchTool } from 'weakincentives/tools';
import anthropicAnswer from '../../../../fixtures/hosted-tools/ai-sdk/anthropic.json' with { type: 'json' };
import googleAnswer from '../../../../fixtures/hosted-tools/ai-sdk/google.json' with { type: 'json' };
import openaiAnswer from '../../../../fixtures/hosted-tools/ai-sdk/openai.json' with { type: 'json' };
import { capturingFetch } from '../../../../support/captured-requests.ts';
import { add, anthropic, apiKey, type Create, google, openai, promptOf, run } from './run.ts';

describe('before any request', () => {
  const nothing = capturingFetch();
  const check = (create: Create, hosted: readonly HostedTool[], tools = [add]) =>
    aiSdk({ model: create(nothing.fetch) }).evaluate(promptOf(hosted, tools));

  it.each<[string, Create, readonly HostedTool[], string]>([
    [
      'a kind that the provider does not have',
      anthropic,
      [imageGenerationTool()],
      'Unsupported hosted tool kind "image_generation"',
    ],
    [
      'two of a kind',
      openai,
      [webSearchTool({ name: 'one' }), webSearchTool({ name: 'two' })],
      '"one" and "two"',
    ],
    ...[openai, anthropic].map((create): [string, Create, readonly HostedTool[], string] => [
      'two servers with one label',
      create,
      ['one', 'two'].map((name) =>
        hostedMcpTool({
          config: { label: 'wiki', url: `https://${name}.example/mcp`, approval: 'never' },
          name,
        }),
      ),
      'label "wiki"',
    ]),
    [
      'a model without hosted tools',
      (fetch) => createOpenAI({ apiKey, fetch }).chat('gpt-4o'),
      [webSearchTool()],
      'AI SDK (openai.chat)',
    ],
    [
      'a kind of your own',
      google,
      [hostedTool({ kind: 'maps', name: 'maps', description: 'Maps.', config: {} })],
      'hostedToolCodecs',
    ],
  ])('refuses %s', async (_name, create, hosted, message) => {
    await expect(check(create, hosted)).rejects.toMatchObject({
      phase: 'render',
      cause: { name: 'PromptValidationError', message: expect.stringContaining(message) },
    });
  });

  it.each<[string, Create, HostedTool]>([
    ['what is no function of Google’s', google, codeInterpreterTool()],
    [
      'a server of Anthropic’s, which is no tool of the request',
      anthropic,
      hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp', approval: 'never' } }),
    ],
  ])('refuses to force %s', async (_name, create, hosted) => {
    const forced = run(create, [hosted], [], { toolChoice: { tool: hosted.name } });
    await expect(forced).rejects.toMatchObject({
      phase: 'render',
      cause: { message: expect.stringContaining(`cannot be forced to use the hosted tool "${hosted.name}"`) },
    });
  });

  it.each<[string, Create, HostedTool, readonly object[], object]>([
    ['OpenAI', openai, webSearchTool({ name: 'look-up' }), [openaiAnswer], { type: 'web_search' }],
    ['OpenAI', openai, codeInterpreterTool({ name: 'python' }), [openaiAnswer], { type: 'code_interpreter' }],
    [
      'Anthropic',
      anthropic,
      webSearchTool({ name: 'look-up' }),
      [anthropicAnswer],
      { type: 'tool', name: 'web_search' },
    ],
  ])('forces what %s has a choice for, by its name there', async (_name, create, hosted, answers, choice) => {
    const { requests } = await run(create, [hosted], answers, { toolChoice: { tool: hosted.name } });
    expect(requests[0]?.body['tool_choice']).toEqual(choice);
  });

  it('refuses a tool with the name of the provider’s own', async () => {
    const own = tool({ name: 'web_search', description: 'Mine.', execute: () => ToolResult.ok(null) });
    await expect(check(anthropic, [webSearchTool({ name: 'web' })], [own])).rejects.toMatchObject({
      phase: 'render',
      cause: { details: { tool: 'web_search' } },
    });
  });

  it('takes codecs of your own, when they give what the interface takes', async () => {
    const maps = hostedTool({ kind: 'maps', name: 'maps', description: 'Maps.', config: {} });
    const codec = (tools: readonly object[], request = {}) => ({
      maps: {
        kind: 'maps',
        // Whatever a codec gives is looked at.
        serialize: () => ({ tools: tools as never, request }),
        parseOutput: () => ({ invocations: [{ status: 'completed' as const }], citations: [] }),
      },
    });
    const tools = [{ type: 'provider', id: 'google.google_maps', name: 'google_maps', args: {} }];
    const { requests, response } = await run(
      google,
      [maps],
      [googleAnswer],
      {},
      { hostedToolCodecs: codec(tools) },
    );
    expect(requests[0]?.body['tools']).toContainEqual({ googleMaps: {} });
    expect(response.hostedOutputs['maps']?.invocations).toEqual([{ turn: 1, status: 'completed' }]);
    const added = {
      providerOptions: { google: { labels: { by: 'codec', kind: 'maps' }, serviceTier: 'flex' } },
    };
    const own = { labels: { by: 'me' }, serviceTier: 'priority' };
    const { requests: asked } = await run(
      google,
      [maps],
      [googleAnswer],
      { settings: { providerOptions: { google: own } } },
      { hostedToolCodecs: codec(tools, added) },
    );
    // What the caller sets goes over what a codec adds.
    expect(asked[0]?.body).toMatchObject({ labels: { by: 'me', kind: 'maps' }, serviceTier: 'priority' });
    for (const hostedToolCodecs of [codec([{ googleMaps: {} }]), codec(tools, { generationConfig: {} })]) {
      await expect(run(google, [maps], [googleAnswer], {}, { hostedToolCodecs })).rejects.toMatchObject({
        phase: 'render',
        cause: { name: 'PromptValidationError' },
      });
    }
  });
});
