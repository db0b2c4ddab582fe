import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { type HostedTool, hostedOutputsOf } from 'weakincentives';
import { aiSdkHostedToolCodecs } from 'weakincentives/ai-sdk';
import {
  codeInterpreterTool,
  fileSearchTool,
  hostedMcpTool,
  imageGenerationTool,
  webSearchTool,
} from 'weakincentives/tools';
import { invocationsOf } from '../../../../../src/providers/ai-sdk/hosted/invocations.ts';
import openaiAnswer from '../../../../fixtures/hosted-tools/ai-sdk/openai.json' with { type: 'json' };
import { docs, geoHint, location, openai, openaiV3, run } from './run.ts';

const limits = { memoryLimit: '4g', network: { allowedDomains: ['tides.example'] } } as const;

describe.each([
  ['@ai-sdk/openai', openai, limits],
  ['@ai-sdk/openai of AI SDK 6', openaiV3, {}],
] as const)('%s', (_name, create, known) => {
  it('is told of every kind', async () => {
    const { requests } = await run(
      create,
      [
        webSearchTool({
          config: {
            domainFilter: { allowed: ['tides.example'], blocked: ['old.tides.example'] },
            geoHint,
            allowLiveAccess: false,
            contextSize: 'low',
          },
        }),
        codeInterpreterTool({ config: { fileIds: ['f1'], ...known } }),
        fileSearchTool({
          config: {
            storeIds: ['vs_1'],
            maxResults: 5,
            scoreThreshold: 0.5,
            filter: { type: 'eq', key: 'year', value: 2026 },
          },
        }),
        imageGenerationTool({
          config: {
            format: 'webp',
            size: '1024x1024',
            quality: 'low',
            background: 'opaque',
            model: 'gpt-image-1',
          },
        }),
        hostedMcpTool({ config: docs }),
        hostedMcpTool({
          config: {
            label: 'charts',
            url: 'https://mcp.example/charts',
            approval: 'never',
            headers: { 'x-key': 'k' },
          },
        }),
      ],
      [openaiAnswer],
    );
    expect(requests[0]?.body['tools']).toEqual([
      {
        type: 'web_search',
        filters: { allowed_domains: ['tides.example'], blocked_domains: ['old.tides.example'] },
        external_web_access: false,
        search_context_size: 'low',
        user_location: location,
      },
      {
        type: 'code_interpreter',
        container: {
          type: 'auto',
          file_ids: ['f1'],
          ...('memoryLimit' in known
            ? {
                memory_limit: '4g',
                network_policy: { type: 'allowlist', allowed_domains: ['tides.example'] },
              }
            : {}),
        },
      },
      {
        type: 'file_search',
        vector_store_ids: ['vs_1'],
        max_num_results: 5,
        ranking_options: { score_threshold: 0.5 },
        filters: { type: 'eq', key: 'year', value: 2026 },
      },
      {
        type: 'image_generation',
        output_format: 'webp',
        size: '1024x1024',
        quality: 'low',
        background: 'opaque',
        model: 'gpt-image-1',
      },
      {
        type: 'mcp',
        server_label: 'docs',
        server_url: 'https://mcp.example/docs',
        authorization: 'token-1',
        allowed_tools: ['read'],
        require_approval: 'always',
      },
      {
        type: 'mcp',
        server_label: 'charts',
        server_url: 'https://mcp.example/charts',
        headers: { 'x-key': 'k' },
        require_approval: 'never',
      },
      { type: 'function', name: 'add', description: 'Add.', strict: true, parameters: expect.anything() },
    ]);
    expect(new Set(Object.values(requests[0]?.body['include'] ?? {}))).toEqual(
      new Set([
        'file_search_call.results',
        'web_search_call.action.sources',
        'code_interpreter_call.outputs',
      ]),
    );
  });

  it('is told of each kind without options, and of containers that exist', async () => {
    const { requests } = await run(
      create,
      [webSearchTool(), codeInterpreterTool({ config: { containerId: 'c1' } }), imageGenerationTool()],
      [openaiAnswer],
    );
    expect(requests[0]?.body['tools']).toMatchObject([
      { type: 'web_search' },
      { type: 'code_interpreter', container: 'c1' },
      { type: 'image_generation' },
      { type: 'function' },
    ]);
  });

  it.each([
    [{ blocked: ['a.example'] }, { filters: { blocked_domains: ['a.example'] } }],
    [{ blocked: [] }, {}],
  ])('is told of the domains %j', async (domainFilter, expected) => {
    const { requests } = await run(create, [webSearchTool({ config: { domainFilter } })], [openaiAnswer]);
    expect(requests[0]?.body['tools']).toMatchObject([
      { type: 'web_search', ...expected },
      { type: 'function' },
    ]);
    if (!('filters' in expected)) expect(JSON.stringify(requests[0]?.body)).not.toContain('blocked');
  });

  it.each<[string, HostedTool, readonly string[]]>([
    [
      'web search',
      webSearchTool({ config: { domainFilter: { blocked: ['a.example'] }, maxUses: 2 } }),
      ['maxUses'],
    ],
    ['a container', codeInterpreterTool({ config: { containerId: 'c1', network: 'disabled' } }), ['network']],
    ['a moving image', imageGenerationTool({ config: { format: 'gif', quality: 'max' } }), ['format']],
    ['a drawing', imageGenerationTool({ config: { format: 'svg' } }), ['format']],
  ])('cannot be told everything of %s', async (_kind, hosted, unsupported) => {
    await expect(run(create, [hosted], [openaiAnswer])).rejects.toMatchObject({
      phase: 'render',
      cause: { details: { unsupported } },
    });
  });

  it('makes the image that the provider makes unasked when the package knows no other format', async () => {
    const image = imageGenerationTool({ config: { format: 'gif', quality: 'max' } });
    const { requests, response } = await run(
      create,
      [image],
      [openaiAnswer],
      {},
      { unsupportedConfig: 'warn' },
    );
    expect(requests[0]?.body['tools']).toMatchObject([
      { type: 'image_generation', quality: 'max' },
      { type: 'function' },
    ]);
    expect(JSON.stringify(requests[0]?.body)).not.toContain('gif');
    expect(hostedOutputsOf(response, image).invocations).toMatchObject([{ mediaType: 'image/png' }]);
  });

  it('brings what each tool came to', async () => {
    const search = webSearchTool();
    const code = codeInterpreterTool();
    const files = fileSearchTool({ config: { storeIds: ['vs_1'] } });
    const image = imageGenerationTool({ config: { format: 'webp' } });
    const mcp = hostedMcpTool({ config: docs });
    const charts = hostedMcpTool({ config: { label: 'charts', url: 'https://mcp.example/charts' } });
    const { response } = await run(create, [search, code, files, image, mcp, charts], [openaiAnswer]);
    const done = { turn: 1, status: 'completed' };
    expect(response.text).toBe('First: High water at six. No mooring. See plot.');
    expect(hostedOutputsOf(response, search)).toEqual({
      invocations: [
        {
          ...done,
          invocationId: 'ws_1',
          action: 'search',
          queries: ['tide times', 'tide table'],
          sources: [{ url: 'https://tides.example/a' }],
        },
        {
          ...done,
          invocationId: 'ws_2',
          action: 'open-page',
          queries: [],
          sources: [],
          url: 'https://tides.example/a',
        },
        {
          ...done,
          invocationId: 'ws_3',
          action: 'find-in-page',
          queries: [],
          sources: [],
          url: 'https://tides.example/a',
          pattern: 'high water',
        },
        { turn: 1, status: 'failed', invocationId: 'ws_4', action: 'search', queries: [], sources: [] },
        { turn: 1, status: 'incomplete', invocationId: 'ws_5', action: 'search', queries: [], sources: [] },
      ],
      citations: [{ turn: 1, type: 'url', url: 'https://tides.example/a', title: 'Tides', span: [7, 25] }],
    });
    const [cited] = hostedOutputsOf(response, search).citations;
    expect(response.text.slice(...(cited?.span ?? []))).toBe('High water at six.');
    expect(hostedOutputsOf(response, code)).toEqual({
      invocations: [
        {
          ...done,
          invocationId: 'ci_1',
          code: 'print(6 * 7)',
          containerId: 'cntr_1',
          stdout: '42\n',
          files: [{ url: 'https://files.example/plot.png' }],
        },
      ],
      citations: [{ turn: 1, type: 'file', fileId: 'cfile_1', filename: 'plot.png', span: [42, 46] }],
    });
    expect(hostedOutputsOf(response, files)).toEqual({
      invocations: [
        {
          ...done,
          invocationId: 'fs_1',
          queries: ['harbour rules'],
          results: [{ fileId: 'file_1', filename: 'rules.md', score: 0.9, text: 'No mooring.' }],
        },
      ],
      citations: [{ turn: 1, type: 'file', fileId: 'file_1', filename: 'rules.md' }],
    });
    expect(hostedOutputsOf(response, image).invocations).toEqual([
      { ...done, invocationId: 'ig_1', mediaType: 'image/webp', base64: 'AQID' },
    ]);
    expect(hostedOutputsOf(response, mcp).invocations).toEqual([
      {
        ...done,
        invocationId: 'mcp_1',
        server: 'docs',
        name: 'read',
        arguments: { path: 'a' },
        output: 'Text.',
      },
    ]);
    expect(hostedOutputsOf(response, charts).invocations).toEqual([
      {
        turn: 1,
        status: 'failed',
        invocationId: 'mcp_2',
        server: 'charts',
        name: 'draw',
        arguments: {},
        error: 'No ink.',
      },
    ]);
  });
});

it('places count behind characters outside the basic plane as the provider counts them', async () => {
  const text = '🌊 High. ([tides](https://tides.example/))';
  const [start, end] = [8, Array.from(text).length];
  const annotations = [
    { type: 'url_citation', start_index: start, end_index: end, url: 'https://tides.example/', title: 'T' },
  ];
  const message = { id: 'm', type: 'message', role: 'assistant', status: 'completed' };
  const answer = {
    ...openaiAnswer,
    output: [{ ...message, content: [{ type: 'output_text', text, annotations }] }],
  };
  const search = webSearchTool();
  const { response } = await run(openai, [search], [answer]);
  const [cited] = hostedOutputsOf(response, search).citations;
  expect(text.slice(...(cited?.span ?? []))).toBe('([tides](https://tides.example/))');
});

it('@ai-sdk/openai of AI SDK 6 drops the limits of containers, so they are refused', async () => {
  await expect(
    run(openaiV3, [codeInterpreterTool({ config: limits })], [openaiAnswer]),
  ).rejects.toMatchObject({
    phase: 'render',
    cause: { details: { unsupported: ['memoryLimit', 'network'] } },
  });
});

it('what authorizes a remote server is in no failure that is printed', async () => {
  const refused = Response.json({ error: { message: 'What?' } }, { status: 400 });
  const error: unknown = await run(openai, [hostedMcpTool({ config: docs })], [refused]).catch(
    (failure: unknown) => failure,
  );
  expect(error).toMatchObject({ cause: { statusCode: 400, message: 'What?' } });
  const printed = inspect(error, { depth: null });
  expect(printed).toContain('What?');
  expect(printed).not.toContain('token-1');
});

it('what a call of the code interpreter was given is not taken for what came of it', () => {
  const part = { toolCallId: 'ci_1', toolName: 'code_interpreter', providerExecuted: true };
  const logs = (text: string) => [{ type: 'logs', logs: text }];
  const input = JSON.stringify({ code: 'x', containerId: 'c1', outputs: logs('made up') });
  const items = [
    { ...part, type: 'tool-call', input },
    { ...part, type: 'tool-result', result: { outputs: logs('real') } },
  ];
  const codec = aiSdkHostedToolCodecs.openai['code_interpreter'];
  const found = codec?.parseOutput({ items, text: '', startOf: () => undefined }, codeInterpreterTool());
  expect(found?.invocations).toMatchObject([{ code: 'x', containerId: 'c1', stdout: 'real' }]);
});

it('a call of a remote server has the digits that the model wrote', async () => {
  const mcp = hostedMcpTool({ config: docs });
  const charts = hostedMcpTool({ config: { label: 'charts', url: 'https://mcp.example/charts' } });
  const written = JSON.stringify(openaiAnswer).replace(
    '{\\"path\\":\\"a\\"}',
    '{\\"path\\":9007199254740993}',
  );
  const { response } = await run(openai, [mcp, charts], [JSON.parse(written)]);
  expect(hostedOutputsOf(response, mcp).invocations).toMatchObject([
    { arguments: { path: '9007199254740993' } },
  ]);
});

it('the input of an invocation has the digits that the model wrote', () => {
  const part = { type: 'tool-call', toolCallId: 'c', toolName: 'read', providerExecuted: true };
  const items = [{ ...part, input: '{"path":9007199254740993}' }];
  const [found] = invocationsOf({ items, text: '', startOf: () => undefined }, 'read');
  expect(found?.input).toEqual({ path: '9007199254740993' });
});
