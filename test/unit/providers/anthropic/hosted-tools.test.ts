import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  type EvaluateOptions,
  type HostedTool,
  hostedOutputsOf,
  hostedTool,
  promptTemplate,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import type { HostedToolCodec } from 'weakincentives/provider';
import {
  codeInterpreterTool,
  fileSearchTool,
  hostedMcpTool,
  imageGenerationTool,
  webFetchTool,
  webSearchTool,
} from 'weakincentives/tools';
import { z } from 'zod';
import type { AnthropicModelOptions } from '../../../../src/providers/anthropic/anthropic.ts';
import { type AnthropicMessage, message, serverToolUse, text } from '../../../support/anthropic-messages.ts';
import { answering } from '../../../support/anthropic-stream.ts';
import { capturingFetch } from '../../../support/captured-requests.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';

/** A message as the provider publishes that it looks like. */
function fixture(name: string): AnthropicMessage {
  const path = new URL(`../../../fixtures/hosted-tools/anthropic/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(path, 'utf8'));
}

const promptOf = (...hostedTools: readonly HostedTool[]) =>
  promptTemplate({
    ns: 'test',
    key: 'hosted',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', hostedTools })],
  }).bind();

async function run(
  prompt: ReturnType<typeof promptOf>,
  answers: readonly AnthropicMessage[] = [message([text('Done.')])],
  options: EvaluateOptions = {},
  adapter: Partial<AnthropicModelOptions> = {},
) {
  const captured = capturingFetch(...answers.map(answering));
  const model = anthropic({
    model: 'claude-sonnet-5',
    apiKey: 'key',
    fetch: captured.fetch,
    promptCaching: false,
    ...adapter,
  });
  const result = await model.evaluate(prompt, options);
  return { result, requests: captured.requests };
}

/** Runs in both modes, which have to agree. */
async function runBoth(prompt: ReturnType<typeof promptOf>, answers: readonly AnthropicMessage[]) {
  const { result, requests } = await run(prompt, answers);
  const { result: streamed } = await run(prompt, answers, { streaming: true });
  expect(streamed.hostedOutputs).toEqual(result.hostedOutputs);
  expect(streamed.conversation).toEqual(result.conversation);
  expect(streamed.text).toBe(result.text);
  return { result, requests };
}

/** An address that only a tool's result has is not fetched. */
const urlSources = {
  user_input: { type: 'all' },
  client_tool_results: { type: 'none' },
  server_tool_results: { type: 'all' },
};

describe('a hosted tool on the wire', () => {
  it.each<[string, HostedTool, object]>([
    [
      'a search',
      webSearchTool(),
      { type: 'web_search_20260318', name: 'web_search', allowed_callers: ['direct'] },
    ],
    [
      'a search with everything',
      webSearchTool({
        config: {
          domainFilter: { allowed: ['who.int'] },
          geoHint: { countryCode: 'gb', city: 'London', region: 'England', timezone: 'Europe/London' },
          maxUses: 3,
          allowLiveAccess: true,
        },
        name: 'look-up',
      }),
      {
        type: 'web_search_20260318',
        name: 'web_search',
        allowed_callers: ['direct'],
        allowed_domains: ['who.int'],
        max_uses: 3,
        user_location: {
          type: 'approximate',
          country: 'GB',
          city: 'London',
          region: 'England',
          timezone: 'Europe/London',
        },
      },
    ],
    [
      'a search without some domains',
      webSearchTool({ config: { domainFilter: { blocked: ['spam.example'] } } }),
      {
        type: 'web_search_20260318',
        name: 'web_search',
        allowed_callers: ['direct'],
        blocked_domains: ['spam.example'],
      },
    ],
    [
      'a fetch',
      webFetchTool(),
      { type: 'web_fetch_20260318', name: 'web_fetch', allowed_callers: ['direct'], url_sources: urlSources },
    ],
    [
      'a fetch with everything',
      webFetchTool({
        config: {
          domainFilter: { blocked: ['spam.example'] },
          maxUses: 2,
          maxContentTokens: 500,
          citations: true,
        },
      }),
      {
        type: 'web_fetch_20260318',
        name: 'web_fetch',
        allowed_callers: ['direct'],
        blocked_domains: ['spam.example'],
        max_uses: 2,
        max_content_tokens: 500,
        citations: { enabled: true },
        url_sources: urlSources,
      },
    ],
    [
      'code without a network, as it always is',
      codeInterpreterTool({ config: { network: 'disabled' } }),
      { type: 'code_execution_20260521', name: 'code_execution' },
    ],
    ['code', codeInterpreterTool(), { type: 'code_execution_20260521', name: 'code_execution' }],
    [
      'code without a network, as it always is',
      codeInterpreterTool({ config: { network: 'disabled' } }),
      { type: 'code_execution_20260521', name: 'code_execution' },
    ],
  ])('%s', async (_name, hosted, expected) => {
    const { requests } = await run(promptOf(hosted));
    expect(requests[0]?.body).toMatchObject({ tools: [expected], tool_choice: { type: 'auto' } });
    expect(requests[0]?.body['tools']).toEqual([expected]);
    expect(requests[0]?.headers.get('anthropic-beta')).toBeNull();
  });

  it('may be remote servers, with the beta feature that they need', async () => {
    const servers = [
      hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp', approval: 'never' } }),
      hostedMcpTool({
        config: {
          label: 'tickets',
          url: 'https://tickets.example/mcp',
          authorization: 'token-1',
          allowedTools: ['read', 'list'],
          approval: 'never',
        },
      }),
    ];
    const { requests } = await run(promptOf(...servers), undefined, {}, { betas: ['files-api-2025-04-14'] });
    expect(requests[0]?.body).toMatchObject({
      mcp_servers: [
        { type: 'url', name: 'wiki', url: 'https://wiki.example/mcp' },
        {
          type: 'url',
          name: 'tickets',
          url: 'https://tickets.example/mcp',
          authorization_token: 'token-1',
        },
      ],
    });
    expect(requests[0]?.body['tools']).toEqual([
      { type: 'mcp_toolset', mcp_server_name: 'wiki' },
      {
        type: 'mcp_toolset',
        mcp_server_name: 'tickets',
        default_config: { enabled: false },
        configs: { read: { enabled: true }, list: { enabled: true } },
      },
    ]);
    expect(requests[0]?.headers.get('anthropic-beta')).toBe('files-api-2025-04-14,mcp-client-2025-11-20');
  });

  it('stands before the tools that are called back, and can be forced by its name in the prompt', async () => {
    const own = tool({
      name: 'own',
      description: 'Own.',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => ToolResult.ok(null),
    });
    const hostedTools = [webSearchTool({ name: 'look-up' })];
    const prompt = promptTemplate({
      ns: 'test',
      key: 'both',
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [own], hostedTools })],
    }).bind();
    const { requests } = await run(prompt, undefined, { toolChoice: { tool: 'look-up' } });
    expect(requests[0]?.body).toMatchObject({
      tools: [{ name: 'web_search' }, { name: 'own' }],
      tool_choice: { type: 'tool', name: 'web_search' },
    });
  });

  it('that has no name at the provider cannot be forced', async () => {
    const wiki = hostedMcpTool({
      config: { label: 'wiki', url: 'https://wiki.example/mcp', approval: 'never' },
    });
    await expect(run(promptOf(wiki), undefined, { toolChoice: { tool: 'wiki' } })).rejects.toMatchObject({
      phase: 'render',
      cause: { message: expect.stringContaining('cannot be forced to use the hosted tool "wiki"') },
    });
  });

  it.each<[HostedTool, readonly string[]]>([
    [
      webSearchTool({
        config: {
          domainFilter: { allowed: ['a.example'], blocked: ['b.a.example'] },
          allowLiveAccess: false,
          contextSize: 'high',
        },
      }),
      ['domainFilter.blocked', 'allowLiveAccess', 'contextSize'],
    ],
    [
      webFetchTool({
        config: {
          domainFilter: { allowed: ['a.example'], blocked: ['b.a.example'] },
          allowLiveAccess: false,
        },
      }),
      ['domainFilter.blocked', 'allowLiveAccess'],
    ],
    [
      codeInterpreterTool({
        config: {
          fileIds: ['f'],
          memoryLimit: '4g',
          network: { allowedDomains: ['pypi.org'] },
        },
      }),
      ['fileIds', 'memoryLimit', 'network'],
    ],
    [hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp' } }), ['approval']],
    [
      hostedMcpTool({
        config: {
          label: 'wiki',
          url: 'https://wiki.example/mcp',
          approval: 'always',
          headers: { a: 'b' },
        },
      }),
      ['approval', 'headers'],
    ],
  ])('of the kind $kind is refused with what the provider cannot be told', async (hosted, unsupported) => {
    await expect(run(promptOf(hosted))).rejects.toMatchObject({
      phase: 'render',
      cause: { name: 'PromptValidationError', details: { tool: hosted.name, unsupported } },
    });
    const logger = recordingLogger();
    const { requests } = await run(promptOf(hosted), undefined, { logger }, { unsupportedConfig: 'warn' });
    expect(requests).toHaveLength(1);
    expect(logger.lines).toContainEqual(
      expect.objectContaining({ level: 'warn', fields: expect.objectContaining({ unsupported }) }),
    );
  });

  it('is refused beside another server with the same label', async () => {
    const servers = ['a', 'b'].map((name) =>
      hostedMcpTool({
        config: { label: 'wiki', url: `https://${name}.example/mcp`, approval: 'never' },
        name,
      }),
    );
    await expect(run(promptOf(...servers))).rejects.toMatchObject({
      phase: 'render',
      cause: {
        message: expect.stringContaining('"a" and "b" apart, both of the kind "mcp" with the label "wiki"'),
      },
    });
  });

  it.each([fileSearchTool({ config: { storeIds: ['s'] } }), imageGenerationTool()])(
    'of the kind $kind is none that the provider has',
    async (hosted) => {
      await expect(run(promptOf(hosted))).rejects.toMatchObject({
        phase: 'render',
        cause: {
          message: expect.stringMatching(
            /Unsupported hosted tool kind .* "web_search", "web_fetch", "code_interpreter", "mcp"/,
          ),
        },
      });
    },
  );
});

it('a codec of your own speaks for another kind, beside those of the adapter', async () => {
  const maps: HostedToolCodec = {
    kind: 'maps',
    serialize: ({ config }) => ({
      tools: [{ type: 'maps_1', name: 'maps', ...config }],
      headers: { 'anthropic-beta': 'maps-1' },
      request: { service_tier: 'auto', metadata: { user_id: 'maps' } },
    }),
    parseOutput: ({ items }) => ({
      invocations: items.length > 1 ? [{ status: 'completed', invocationId: 'm1' }] : [],
      citations: [],
    }),
  };
  const atlas = hostedTool({ kind: 'maps', name: 'atlas', description: 'Maps.', config: { scale: 2 } });
  const { requests, result } = await run(
    promptOf(atlas, webSearchTool()),
    [message([serverToolUse('m1', 'maps', {}), text('There.')])],
    // What the caller sets goes over what a codec adds.
    { settings: { metadata: { user_id: 'mine' } } },
    { hostedToolCodecs: { maps }, betas: ['other-1'] },
  );
  expect(requests[0]?.body).toMatchObject({
    tools: [{ type: 'maps_1', name: 'maps', scale: 2 }, { name: 'web_search' }],
    service_tier: 'auto',
    metadata: { user_id: 'mine' },
  });
  expect(requests[0]?.headers.get('anthropic-beta')).toBe('other-1,maps-1');
  expect(result.hostedOutputs).toEqual({
    atlas: { invocations: [{ turn: 1, status: 'completed', invocationId: 'm1' }], citations: [] },
  });
});

describe('what a hosted tool came to', () => {
  it('is told of searches: what was found, what failed, and the passages that rest on it', async () => {
    const search = webSearchTool({ name: 'look-up' });
    const { result } = await runBoth(promptOf(search), [fixture('web-search')]);
    const said = "I'll look that up 🔎. The tower is 91 metres high.";
    expect(result.text).toBe(said);
    const { invocations, citations } = hostedOutputsOf(result, search);
    expect(invocations).toEqual([
      {
        turn: 1,
        status: 'completed',
        invocationId: 'srvtoolu_1',
        action: 'search',
        queries: ['tallest wooden building 2026'],
        sources: [
          { url: 'https://buildings.example/wood', title: 'Tall wood' },
          { url: 'https://news.example/tower', title: 'A tower' },
        ],
      },
      {
        turn: 1,
        status: 'failed',
        errorCode: 'max_uses_exceeded',
        invocationId: 'srvtoolu_2',
        action: 'search',
        queries: ['height of it'],
        sources: [],
      },
    ]);
    expect(citations).toEqual([
      {
        turn: 1,
        type: 'url',
        url: 'https://buildings.example/wood',
        title: 'Tall wood',
        citedText: 'It rises to 91 metres.',
        span: expect.anything(),
      },
      {
        turn: 1,
        type: 'url',
        url: 'https://news.example/tower',
        citedText: '91 m',
        span: expect.anything(),
      },
    ]);
    expect(citations.map(({ span = [0, 0] }) => said.slice(...span))).toEqual([
      '91 metres high',
      '91 metres high',
    ]);
  });

  it('is told of fetched pages, and of the passages that name one', async () => {
    const fetching = webFetchTool({ config: { citations: true } });
    const { result } = await runBoth(promptOf(fetching), [fixture('web-fetch')]);
    const { invocations, citations } = hostedOutputsOf(result, fetching);
    expect(invocations).toEqual([
      {
        turn: 1,
        status: 'completed',
        invocationId: 'srvtoolu_1',
        url: 'https://docs.example/guide',
        title: 'Guide',
        content: 'Press the red button.',
        mediaType: 'text/plain',
        retrievedAt: '2026-11-20T10:00:00Z',
      },
      {
        turn: 1,
        status: 'completed',
        invocationId: 'srvtoolu_2',
        url: 'https://docs.example/table.pdf',
        content: 'JVBERi0=',
        mediaType: 'application/pdf',
      },
      {
        turn: 1,
        status: 'failed',
        errorCode: 'url_not_allowed',
        invocationId: 'srvtoolu_3',
        url: 'https://docs.example/secret',
      },
    ]);
    expect(citations).toEqual([
      {
        turn: 1,
        type: 'url',
        url: 'https://docs.example/guide',
        title: 'Guide',
        citedText: 'Press the red button.',
        span: [0, 21],
      },
      { turn: 1, type: 'file', fileId: 'file_7', filename: 'Upload', citedText: 'A table.', span: [0, 21] },
    ]);
  });

  it('is told of code under every name that the provider runs it by', async () => {
    const code = codeInterpreterTool();
    const { result } = await runBoth(promptOf(code), [fixture('code-interpreter')]);
    const of = (number: number) => ({
      turn: 1,
      invocationId: `srvtoolu_${number}`,
      containerId: 'container_1',
      files: [],
    });
    expect(hostedOutputsOf(result, code).invocations).toEqual([
      { ...of(1), status: 'completed', code: 'create /tmp/sum.py' },
      {
        ...of(2),
        status: 'completed',
        code: 'python3 /tmp/sum.py && exit 3',
        stdout: '3\n',
        stderr: 'warning\n',
        exitCode: 3,
        files: [{ fileId: 'file_1' }],
      },
      { ...of(3), status: 'completed', code: 'view /tmp/sum.py', stdout: 'print(1 + 2)' },
      { ...of(4), status: 'failed', errorCode: 'file_not_found', code: 'str_replace /tmp/none.py' },
      { ...of(5), status: 'completed', code: '1 / 0', stderr: 'ZeroDivisionError', exitCode: 1 },
    ]);
  });

  it('is told of each remote server apart', async () => {
    const servers = ['wiki', 'tickets'].map((label) =>
      hostedMcpTool({ config: { label, url: `https://${label}.example/mcp`, approval: 'never' } }),
    );
    const { result, requests } = await runBoth(promptOf(...servers), [fixture('mcp')]);
    expect(servers.map((server) => hostedOutputsOf(result, server).invocations)).toEqual([
      [
        {
          turn: 1,
          status: 'completed',
          invocationId: 'mcptoolu_1',
          server: 'wiki',
          name: 'search',
          arguments: { words: ['oak'] },
          output: 'Oaks are trees.\nThey are old.',
        },
      ],
      [
        {
          turn: 1,
          status: 'failed',
          invocationId: 'mcptoolu_2',
          server: 'tickets',
          name: 'open_ticket',
          arguments: {},
          error: 'Forbidden.',
        },
      ],
    ]);
    expect(requests).toHaveLength(1);
    expect(result.conversation[0]).toMatchObject({ raw: { items: fixture('mcp').content } });
  });

  it('is nothing when it was not used', async () => {
    const { result } = await runBoth(promptOf(webSearchTool(), webFetchTool()), [message([text('No.')])]);
    expect(result.hostedOutputs['web_search']).toBeUndefined();
  });
});

describe('a turn that pauses', () => {
  it('goes back as it is, in its container, and the next one brings what was left open', async () => {
    const search = webSearchTool();
    const { result, requests } = await runBoth(promptOf(search), [fixture('paused'), fixture('resumed')]);
    expect(result).toMatchObject({ text: 'Let me see. Oaks are trees.', finishReason: 'stop' });
    expect(requests[1]?.body).toMatchObject({
      container: 'container_2',
      messages: [{ role: 'user' }, { role: 'assistant', content: fixture('paused').content }],
    });
    expect(requests[0]?.body).not.toHaveProperty('container');
    const { invocations, citations } = hostedOutputsOf(result, search);
    expect(citations.map(({ span = [0, 0] }) => result.text.slice(...span))).toEqual(['Oaks are trees.']);
    expect(invocations).toEqual([
      {
        turn: 1,
        status: 'incomplete',
        invocationId: 'srvtoolu_1',
        action: 'search',
        queries: ['oak'],
        sources: [],
      },
      {
        turn: 2,
        status: 'completed',
        invocationId: 'srvtoolu_1',
        action: 'search',
        queries: [],
        sources: [{ url: 'https://trees.example/oak', title: 'Oak' }],
      },
    ]);
  });

  it.each([
    [undefined, undefined, 'container_2'],
    [undefined, { container: { skills: [] } }, { id: 'container_2', skills: [] }],
    [undefined, { container: 'mine' }, 'mine'],
    ['configured', undefined, 'configured'],
  ])('stays in its container: config %j, settings %j, told %j', async (containerId, settings, expected) => {
    const code = codeInterpreterTool({ config: containerId === undefined ? {} : { containerId } });
    const { requests } = await run(
      promptOf(code, webSearchTool()),
      [fixture('paused'), fixture('resumed')],
      settings === undefined ? {} : { settings },
    );
    expect(requests[1]?.body['container']).toEqual(expected);
  });

  it('leaves its container when nothing is hosted any more', async () => {
    const { result } = await run(promptOf(webSearchTool()), [fixture('resumed')]);
    const { requests } = await run(promptOf(), undefined, { history: result.conversation, input: 'More' });
    expect(requests[0]?.body).not.toHaveProperty('container');
    expect(JSON.stringify(requests[0]?.body)).not.toContain('message_end');
  });
});
