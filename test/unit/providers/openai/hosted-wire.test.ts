import { describe, expect, it } from 'vitest';
import { type AnyTool, type HostedTool, hostedTool, ToolResult, tool } from 'weakincentives';
import { openaiHostedToolCodecs } from 'weakincentives/openai';
import type { HostedToolCodec } from 'weakincentives/provider';
import {
  codeInterpreterTool,
  fileSearchTool,
  hostedMcpTool,
  imageGenerationTool,
  webFetchTool,
  webSearchTool,
} from 'weakincentives/tools';
import { functionCall, message, response } from '../../../support/openai-responses.ts';
import { promptOf, runOpenAI } from '../../../support/openai-runs.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

const answer = response([message('Done.')]);
const reasoned = ['reasoning.encrypted_content'];
const note = tool({
  name: 'note',
  description: 'Notes.',
  effects: 'read',
  execute: () => ToolResult.ok(null),
});
const wiki = hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp' } });

const bodyWith = async (hostedTools: readonly HostedTool[], tools: readonly AnyTool[] = []) => {
  const { bodies } = await runOpenAI(promptOf({ hostedTools, tools }), [answer], { input: 'Go' });
  return bodies[0];
};

describe('a hosted tool on the wire', () => {
  it.each<[string, HostedTool, object, readonly string[]]>([
    ['web search', webSearchTool(), { type: 'web_search' }, ['web_search_call.action.sources']],
    [
      'web search with all that can be told',
      webSearchTool({
        config: {
          domainFilter: { allowed: ['cdc.gov', 'who.int'], blocked: ['blog.cdc.gov'] },
          geoHint: { countryCode: 'GB', city: 'London', region: 'Greater London', timezone: 'Europe/London' },
          allowLiveAccess: false,
          contextSize: 'high',
        },
      }),
      {
        type: 'web_search',
        filters: { allowed_domains: ['cdc.gov', 'who.int'], blocked_domains: ['blog.cdc.gov'] },
        user_location: {
          type: 'approximate',
          country: 'GB',
          city: 'London',
          region: 'Greater London',
          timezone: 'Europe/London',
        },
        external_web_access: false,
        search_context_size: 'high',
      },
      ['web_search_call.action.sources'],
    ],
    [
      'web search that leaves domains out',
      webSearchTool({ config: { domainFilter: { blocked: ['a.example', 'b.example'] } } }),
      { type: 'web_search', filters: { blocked_domains: ['a.example', 'b.example'] } },
      ['web_search_call.action.sources'],
    ],
    [
      'web search that leaves no domain out',
      webSearchTool({ config: { domainFilter: { blocked: [] } } }),
      { type: 'web_search' },
      ['web_search_call.action.sources'],
    ],
    [
      'web search from nowhere in particular, which keeps the provider from guessing',
      webSearchTool({ config: { geoHint: {}, allowLiveAccess: true } }),
      { type: 'web_search', user_location: { type: 'approximate' } },
      ['web_search_call.action.sources'],
    ],
    [
      'code in a container of its own',
      codeInterpreterTool(),
      { type: 'code_interpreter', container: { type: 'auto' } },
      ['code_interpreter_call.outputs'],
    ],
    [
      'code with files, memory and a network',
      codeInterpreterTool({
        config: {
          fileIds: ['file_1'],
          memoryLimit: '4g',
          network: { allowedDomains: ['pypi.org'] },
        },
      }),
      {
        type: 'code_interpreter',
        container: {
          type: 'auto',
          file_ids: ['file_1'],
          memory_limit: '4g',
          network_policy: { type: 'allowlist', allowed_domains: ['pypi.org'] },
        },
      },
      ['code_interpreter_call.outputs'],
    ],
    [
      'code without a network',
      codeInterpreterTool({ config: { network: 'disabled' } }),
      { type: 'code_interpreter', container: { type: 'auto', network_policy: { type: 'disabled' } } },
      ['code_interpreter_call.outputs'],
    ],
    [
      'code in a container that exists',
      codeInterpreterTool({ config: { containerId: 'cntr_1' } }),
      { type: 'code_interpreter', container: 'cntr_1' },
      ['code_interpreter_call.outputs'],
    ],
    [
      'file search',
      fileSearchTool({ config: { storeIds: ['vs_1', 'vs_2'] } }),
      { type: 'file_search', vector_store_ids: ['vs_1', 'vs_2'] },
      ['file_search_call.results'],
    ],
    [
      'file search with limits',
      fileSearchTool({
        config: {
          storeIds: ['vs_1'],
          maxResults: 5,
          scoreThreshold: 0.5,
          filter: { type: 'eq', key: 'year', value: 2026 },
        },
      }),
      {
        type: 'file_search',
        vector_store_ids: ['vs_1'],
        max_num_results: 5,
        ranking_options: { score_threshold: 0.5 },
        filters: { type: 'eq', key: 'year', value: 2026 },
      },
      ['file_search_call.results'],
    ],
    ['image generation', imageGenerationTool(), { type: 'image_generation' }, []],
    [
      'image generation in all its detail',
      imageGenerationTool({
        config: {
          format: 'webp',
          size: '1024x1024',
          quality: 'low',
          background: 'opaque',
          model: 'gpt-image-1',
        },
      }),
      {
        type: 'image_generation',
        output_format: 'webp',
        size: '1024x1024',
        quality: 'low',
        background: 'opaque',
        model: 'gpt-image-1',
      },
      [],
    ],
    [
      'a moving image, drawn with the most effort',
      imageGenerationTool({ config: { format: 'gif', quality: 'max' } }),
      { type: 'image_generation', output_format: 'gif', quality: 'max' },
      [],
    ],
    [
      'a drawing',
      imageGenerationTool({ config: { format: 'svg', quality: 'xhigh' } }),
      { type: 'image_generation', output_format: 'svg', quality: 'xhigh' },
      [],
    ],
    [
      'a search whose results no code filters',
      webSearchTool({ config: { filterByCode: false } }),
      { type: 'web_search' },
      ['web_search_call.action.sources'],
    ],
    [
      'a remote server',
      wiki,
      {
        type: 'mcp',
        server_label: 'wiki',
        server_url: 'https://wiki.example/mcp',
        require_approval: 'always',
      },
      [],
    ],
    [
      'a remote server with secrets and a choice of tools',
      hostedMcpTool({
        config: {
          label: 'crm',
          url: 'https://crm.example/mcp',
          authorization: 'token-1',
          headers: { 'x-tenant': 'a' },
          allowedTools: ['find'],
          approval: 'never',
        },
      }),
      {
        type: 'mcp',
        server_label: 'crm',
        server_url: 'https://crm.example/mcp',
        authorization: 'token-1',
        headers: { 'x-tenant': 'a' },
        allowed_tools: ['find'],
        require_approval: 'never',
      },
      [],
    ],
  ])('%s', async (_name, hosted, expected, include) => {
    const body = await bodyWith([hosted]);
    expect(body).toEqual({
      model: 'gpt-5',
      instructions: '## 1. Task (task)\n\nDo it.',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Go' }] }],
      store: false,
      include: [...reasoned, ...include],
      tools: [expected],
      tool_choice: 'auto',
    });
  });

  it('stands before the tools that are called back here', async () => {
    const body = await bodyWith([webSearchTool(), codeInterpreterTool()], [note]);
    expect(body).toMatchObject({
      tools: [{ type: 'web_search' }, { type: 'code_interpreter' }, { type: 'function', name: 'note' }],
      include: [...reasoned, 'web_search_call.action.sources', 'code_interpreter_call.outputs'],
      parallel_tool_calls: true,
    });
  });

  it('is there in every turn, and what it did goes back as it came', async () => {
    const did = {
      id: 'ws_1',
      type: 'web_search_call',
      status: 'completed',
      action: { type: 'search', queries: ['boats'] },
    };
    const { bodies } = await runOpenAI(
      promptOf({ hostedTools: [webSearchTool()], tools: [note] }),
      [response([did, functionCall('c1', 'note', {})]), answer],
      { input: 'Go' },
    );
    expect(bodies[1]?.['tools']).toEqual(bodies[0]?.['tools']);
    expect(bodies[1]?.['input']).toContainEqual(did);
  });
});

describe('what the provider cannot be told', () => {
  const partly: readonly [HostedTool, readonly string[]][] = [
    [
      webSearchTool({ config: { domainFilter: { blocked: [] }, maxUses: 2, filterByCode: true } }),
      ['maxUses', 'filterByCode'],
    ],
    [
      codeInterpreterTool({
        config: {
          containerId: 'cntr_1',
          fileIds: ['file_1'],
          memoryLimit: '1g',
          network: 'disabled',
        },
      }),
      ['fileIds', 'memoryLimit', 'network'],
    ],
  ];

  it.each(partly)('ends the run before any request: %j', async (hosted, unsupported) => {
    const failed = runOpenAI(promptOf({ hostedTools: [hosted] }), [
      () => {
        throw new Error('There was a request.');
      },
    ]);
    await expect(failed).rejects.toMatchObject({
      phase: 'render',
      cause: { name: 'PromptValidationError', details: { tool: hosted.name, unsupported } },
    });
  });

  it.each(partly)(
    'is left out with one warning, where that is asked for: %j',
    async (hosted, unsupported) => {
      const logger = recordingLogger();
      const { bodies } = await runOpenAI(
        promptOf({ hostedTools: [hosted], tools: [note] }),
        [response([functionCall('c1', 'note', {})]), answer],
        { logger },
        { unsupportedConfig: 'warn' },
      );
      expect(JSON.stringify(bodies)).not.toMatch(/max_uses|file_ids/);
      expect(logger.lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields)).toEqual([
        { tool: hosted.name, kind: hosted.kind, unsupported },
      ]);
    },
  );

  it.each<[readonly HostedTool[], RegExp]>([
    [[webFetchTool()], /Unsupported hosted tool kind "web_fetch" for the OpenAI adapter.*"web_search"/],
    [
      [hostedTool({ kind: 'constructor', name: 'odd', description: 'Odd.', config: {} })],
      /Unsupported hosted tool kind "constructor"/,
    ],
    [
      [webSearchTool(), webSearchTool({ name: 'other' })],
      /cannot tell the hosted tools "web_search" and "other" apart/,
    ],
    [
      [wiki, hostedMcpTool({ config: { label: 'wiki', url: 'https://b.example/mcp' }, name: 'b' })],
      /hosted tools "wiki" and "b" apart, both of the kind "mcp" with the label "wiki"/,
    ],
  ])('ends the run in phase render: %j', async (hostedTools, expected) => {
    await expect(runOpenAI(promptOf({ hostedTools }), [answer])).rejects.toMatchObject({
      phase: 'render',
      cause: { name: 'PromptValidationError', message: expect.stringMatching(expected) },
    });
  });
});

describe('the choice of a hosted tool', () => {
  it.each<[HostedTool, object]>([
    [webSearchTool({ name: 'look-up' }), { type: 'web_search' }],
    [fileSearchTool({ config: { storeIds: ['vs_1'] } }), { type: 'file_search' }],
    [codeInterpreterTool({ name: 'python' }), { type: 'code_interpreter' }],
    [imageGenerationTool(), { type: 'image_generation' }],
    [wiki, { type: 'mcp', server_label: 'wiki' }],
  ])('%j', async (hosted, expected) => {
    const { bodies } = await runOpenAI(
      promptOf({ hostedTools: [hosted], tools: [note] }),
      [response([functionCall('c1', 'note', {})]), answer],
      { toolChoice: { tool: hosted.name } },
    );
    expect(bodies.map(({ tool_choice: choice }) => choice)).toEqual([expected, 'auto']);
  });

  it('is refused for a tool of a codec that the provider has no choice for', async () => {
    const weather = hostedTool({ kind: 'weather', name: 'weather', description: 'Weather.', config: {} });
    const codec: HostedToolCodec = {
      kind: 'weather',
      serialize: () => ({ tools: [{ type: 'weather' }] }),
      parseOutput: () => ({ invocations: [], citations: [] }),
    };
    const failed = runOpenAI(
      promptOf({ hostedTools: [weather] }),
      [answer],
      { toolChoice: { tool: 'weather' } },
      { hostedToolCodecs: { weather: codec } },
    );
    await expect(failed).rejects.toMatchObject({
      phase: 'render',
      cause: { message: /cannot be forced to use the hosted tool "weather"/ },
    });
  });
});

describe('a codec of your own', () => {
  const weather: HostedToolCodec = {
    kind: 'weather',
    serialize: ({ config }) => ({
      tools: [{ type: 'weather', ...config }],
      include: ['weather.map'],
      headers: { 'X-Weather': '1' },
      request: { max_tool_calls: 2, metadata: { kind: 'weather' } },
    }),
    parseOutput: ({ items }) => ({
      invocations: items.length > 1 ? [{ status: 'completed', invocationId: 'w1' }] : [],
      citations: [],
    }),
  };

  it('speaks for another kind: tools, data, headers and the rest of the request', async () => {
    const tomorrow = hostedTool({
      kind: 'weather',
      name: 'forecast',
      description: 'The weather.',
      config: { days: 1 },
    });
    const { bodies, requests, result } = await runOpenAI(
      promptOf({ hostedTools: [tomorrow, webSearchTool()] }),
      [response([{ type: 'weather_call' }, message('Sunny.')])],
      { settings: { metadata: { mine: 'yes' } } },
      { hostedToolCodecs: { weather } },
    );
    expect(bodies[0]).toMatchObject({
      tools: [{ type: 'weather', days: 1 }, { type: 'web_search' }],
      include: [...reasoned, 'weather.map', 'web_search_call.action.sources'],
      max_tool_calls: 2,
      // What the caller sets goes over it.
      metadata: { mine: 'yes' },
    });
    expect(requests[0]?.headers.get('x-weather')).toBe('1');
    expect(result.hostedOutputs['forecast']?.invocations).toEqual([
      { turn: 1, status: 'completed', invocationId: 'w1' },
    ]);
  });

  it('that fails ends the run: in phase render before a request, in phase response behind one', async () => {
    const oops = (): never => {
      throw new RangeError('Oops.');
    };
    const tomorrow = hostedTool({ kind: 'weather', name: 'forecast', description: 'Weather.', config: {} });
    const runWith = (codec: HostedToolCodec) =>
      runOpenAI(
        promptOf({ hostedTools: [tomorrow] }),
        [answer],
        {},
        { hostedToolCodecs: { weather: codec } },
      );
    await expect(runWith({ ...weather, serialize: oops })).rejects.toMatchObject({
      phase: 'render',
      cause: { message: 'Oops.' },
    });
    await expect(runWith({ ...weather, parseOutput: oops })).rejects.toMatchObject({
      phase: 'response',
      cause: { code: 'model-response-invalid', cause: { message: 'Oops.' } },
    });
  });

  it('may stand in for one of the adapter', async () => {
    const { web_search: builtIn } = openaiHostedToolCodecs;
    const { bodies } = await runOpenAI(
      promptOf({ hostedTools: [webSearchTool()] }),
      [answer],
      {},
      {
        hostedToolCodecs: {
          web_search: {
            ...builtIn,
            serialize: () => ({ tools: [{ type: 'web_search_preview' }] }),
          },
        },
      },
    );
    expect(bodies[0]?.['tools']).toEqual([{ type: 'web_search_preview' }]);
    expect(bodies[0]?.['include']).toEqual(reasoned);
  });
});
