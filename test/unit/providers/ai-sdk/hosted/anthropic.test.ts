import { describe, expect, it } from 'vitest';
import { type HostedTool, hostedOutputsOf } from 'weakincentives';
import { codeInterpreterTool, hostedMcpTool, webFetchTool, webSearchTool } from 'weakincentives/tools';
import anthropicAnswer from '../../../../fixtures/hosted-tools/ai-sdk/anthropic.json' with { type: 'json' };
import { anthropic, docs, geoHint, location, run } from './run.ts';

describe('@ai-sdk/anthropic', () => {
  it('is told of every kind', async () => {
    const { requests } = await run(
      anthropic,
      [
        webSearchTool({ config: { domainFilter: { blocked: ['a.example'] }, geoHint, maxUses: 2 } }),
        webFetchTool({
          config: {
            domainFilter: { allowed: ['rules.example'] },
            maxUses: 3,
            maxContentTokens: 500,
            citations: true,
          },
        }),
        codeInterpreterTool({ config: { containerId: 'c1', network: 'disabled' } }),
        hostedMcpTool({ config: { ...docs, approval: 'never' } }),
        hostedMcpTool({ config: { label: 'charts', url: 'https://mcp.example/charts', approval: 'never' } }),
      ],
      [anthropicAnswer],
    );
    expect(requests[0]?.body['tools']).toEqual([
      {
        type: 'web_search_20250305',
        name: 'web_search',
        max_uses: 2,
        blocked_domains: ['a.example'],
        user_location: location,
      },
      {
        type: 'web_fetch_20250910',
        name: 'web_fetch',
        max_uses: 3,
        allowed_domains: ['rules.example'],
        citations: { enabled: true },
        max_content_tokens: 500,
      },
      { type: 'code_execution_20260120', name: 'code_execution' },
      expect.objectContaining({ name: 'add' }),
    ]);
    expect(requests[0]?.body['container']).toBe('c1');
    expect(requests[0]?.body['mcp_servers']).toEqual([
      {
        type: 'url',
        name: 'docs',
        url: 'https://mcp.example/docs',
        authorization_token: 'token-1',
        tool_configuration: { enabled: true, allowed_tools: ['read'] },
      },
      { type: 'url', name: 'charts', url: 'https://mcp.example/charts' },
    ]);
  });

  it.each<[string, HostedTool, readonly string[]]>([
    [
      'web search',
      webSearchTool({
        config: {
          domainFilter: { allowed: ['a.example'], blocked: ['b.example'] },
          allowLiveAccess: false,
          contextSize: 'high',
        },
      }),
      ['domainFilter.blocked', 'allowLiveAccess', 'contextSize'],
    ],
    [
      'code',
      codeInterpreterTool({
        config: { fileIds: ['f'], memoryLimit: '1g', network: { allowedDomains: ['a.example'] } },
      }),
      ['fileIds', 'memoryLimit', 'network'],
    ],
    ['approval', hostedMcpTool({ config: { ...docs, authorization: 'x' } }), ['approval']],
  ])('cannot be told everything of %s', async (_kind, hosted, unsupported) => {
    await expect(run(anthropic, [hosted], [anthropicAnswer])).rejects.toMatchObject({
      phase: 'render',
      cause: { details: { unsupported } },
    });
  });

  it('brings what each tool came to', async () => {
    const search = webSearchTool();
    const fetched = webFetchTool();
    const code = codeInterpreterTool();
    const mcp = hostedMcpTool({ config: { ...docs, approval: 'never' } });
    const charts = hostedMcpTool({
      config: { label: 'charts', url: 'https://mcp.example/charts', approval: 'never' },
    });
    const { response } = await run(anthropic, [search, fetched, code, mcp, charts], [anthropicAnswer]);
    const done = { turn: 1, status: 'completed' };
    expect(hostedOutputsOf(response, search)).toEqual({
      invocations: [
        {
          ...done,
          invocationId: 'srv_1',
          action: 'search',
          queries: ['tide times'],
          sources: [{ url: 'https://tides.example/a', title: 'Tides' }],
        },
        {
          turn: 1,
          status: 'failed',
          errorCode: 'max_uses_exceeded',
          invocationId: 'srv_2',
          action: 'search',
          queries: ['moon'],
          sources: [],
        },
        {
          turn: 1,
          status: 'incomplete',
          invocationId: 'srv_7',
          action: 'search',
          queries: ['late'],
          sources: [],
        },
      ],
      citations: [
        {
          turn: 1,
          type: 'url',
          url: 'https://tides.example/a',
          title: 'Tides',
          citedText: 'HW 06:00',
          span: [13, 31],
        },
      ],
    });
    expect(response.text.slice(13, 31)).toBe('High water at six.');
    expect(hostedOutputsOf(response, fetched)).toEqual({
      invocations: [
        {
          ...done,
          invocationId: 'srv_3',
          url: 'https://rules.example/',
          title: 'Rules',
          content: 'No mooring.',
          mediaType: 'text/plain',
          retrievedAt: '2026-11-01T10:00:00Z',
        },
      ],
      citations: [
        {
          turn: 1,
          type: 'url',
          url: 'https://rules.example/',
          title: 'Rules',
          citedText: 'No mooring.',
          span: [31, 43],
        },
      ],
    });
    expect(hostedOutputsOf(response, code).invocations).toEqual([
      {
        ...done,
        invocationId: 'srv_4',
        code: 'echo 42 > out.txt',
        stdout: '42',
        stderr: 'slow',
        exitCode: 0,
        files: [{ fileId: 'file_1' }],
      },
      { ...done, invocationId: 'srv_5', code: 'view out.txt', stdout: '42', files: [] },
      {
        turn: 1,
        status: 'failed',
        errorCode: 'execution_time_exceeded',
        invocationId: 'srv_6',
        code: 'sleep 9999',
        files: [],
      },
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

  it('gets back what its tools came to when it pauses', async () => {
    const upTo = anthropicAnswer.content.findIndex(({ type }) => type === 'server_tool_use');
    const paused = {
      ...anthropicAnswer,
      stop_reason: 'pause_turn',
      content: anthropicAnswer.content.slice(0, upTo + 2),
    };
    const { requests, response } = await run(anthropic, [webSearchTool()], [paused, anthropicAnswer]);
    expect(requests[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'text' },
          { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'tide times' } },
          {
            type: 'web_search_tool_result',
            tool_use_id: 'srv_1',
            content: [{ url: 'https://tides.example/a', encrypted_content: 'e1' }],
          },
        ],
      },
    ]);
    expect(response.hostedOutputs['web_search']?.invocations.map(({ turn }) => turn)).toEqual([1, 2, 2, 2]);
  });
});
