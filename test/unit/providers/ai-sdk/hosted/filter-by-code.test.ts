import { createAnthropic as createAnthropicV3 } from 'ai-sdk-anthropic-v3';
import { describe, expect, it } from 'vitest';
import { type HostedTool, hostedOutputsOf, ToolResult, tool } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { codeInterpreterTool, webFetchTool, webSearchTool } from 'weakincentives/tools';
import { message } from '../../../../support/anthropic-messages.ts';
import { answering } from '../../../../support/anthropic-stream.ts';
import {
  filteredAfterPause,
  filteredInFull,
  filteredUntilPause,
  filteredWithoutNested,
  filterProgram,
} from '../../../../support/filtered-by-code.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { anthropic, apiKey, type Create, google, openai, openaiV3, promptOf, run } from './run.ts';

const filterByCode = true;
const anthropicV3: Create = (fetch) => createAnthropicV3({ apiKey, fetch })('claude-sonnet-4-5');
// Version 3 of the package refuses citations that are null.
const done = answering(message([{ type: 'text', text: 'Done.' }]));
const code = { type: 'code_execution_20260120', name: 'code_execution' };
const search = { type: 'web_search_20260318', name: 'web_search', response_inclusion: 'excluded' };
const fetching = { type: 'web_fetch_20260318', name: 'web_fetch', response_inclusion: 'excluded' };
const own = { name: 'add' };

describe('@ai-sdk/anthropic, whose tools of the web code may filter', () => {
  it.each<[string, readonly HostedTool[], readonly object[]]>([
    ['a search', [webSearchTool({ config: { filterByCode } })], [search, code, own]],
    [
      'a fetch from the live web',
      [webFetchTool({ config: { filterByCode, allowLiveAccess: true } })],
      [{ ...fetching, use_cache: false }, code, own],
    ],
    [
      'both beside the code interpreter',
      [
        codeInterpreterTool(),
        webSearchTool({ config: { filterByCode } }),
        webFetchTool({ config: { filterByCode } }),
      ],
      [code, search, fetching, own],
    ],
    [
      'a search of each way',
      [webSearchTool(), webFetchTool({ config: { filterByCode } })],
      [{ type: 'web_search_20250305', name: 'web_search' }, fetching, code, own],
    ],
  ])('brings the code tool once: %s', async (_name, hostedTools, expected) => {
    const { requests } = await run(anthropic, hostedTools, [done]);
    expect(requests[0]?.body['tools']).toEqual(expected.map((entry) => expect.objectContaining(entry)));
    expect(requests[0]?.body['tools']).toHaveLength(expected.length);
    expect(requests[0]?.headers.get('anthropic-beta') ?? '').not.toContain('code-execution');
  });

  it('is refused beside a tool of the prompt with the name of the code tool', async () => {
    const named = tool({ name: 'code_execution', description: 'Mine.', execute: () => ToolResult.ok(null) });
    const model = aiSdk({ model: anthropic(() => Promise.reject(new Error('No request.'))) });
    const prompt = promptOf([webSearchTool({ config: { filterByCode } })], [named]);
    await expect(model.evaluate(prompt, { input: 'Go' })).rejects.toMatchObject({
      phase: 'render',
      cause: {
        message: expect.stringContaining("same name as the provider's own tool anthropic.code_execution"),
      },
    });
  });

  it.each<[string, Create, HostedTool, readonly string[]]>([
    ['filterByCode', anthropicV3, webSearchTool({ config: { filterByCode } }), ['filterByCode']],
    [
      'filterByCode of a fetch, and live access',
      anthropicV3,
      webFetchTool({ config: { filterByCode, allowLiveAccess: true } }),
      ['allowLiveAccess', 'filterByCode'],
    ],
    ['filterByCode', openai, webSearchTool({ config: { filterByCode } }), ['filterByCode']],
    ['filterByCode', openaiV3, webSearchTool({ config: { filterByCode } }), ['filterByCode']],
    ['filterByCode', google, webSearchTool({ config: { filterByCode } }), ['filterByCode']],
    ['filterByCode of a fetch', google, webFetchTool({ config: { filterByCode } }), ['filterByCode']],
    [
      'some addresses',
      anthropic,
      webFetchTool({ config: { urlSources: ['user', 'search'] } }),
      ['urlSources'],
    ],
    ['some addresses', anthropicV3, webFetchTool({ config: { urlSources: ['user'] } }), ['urlSources']],
    [
      'some addresses, of filtered pages',
      anthropic,
      webFetchTool({ config: { filterByCode, urlSources: ['tools'] } }),
      ['urlSources'],
    ],
    [
      'every address',
      google,
      webFetchTool({ config: { urlSources: ['user', 'search', 'tools'] } }),
      ['urlSources'],
    ],
    ['live access', anthropic, webFetchTool({ config: { allowLiveAccess: true } }), ['allowLiveAccess']],
    [
      'stored pages',
      anthropic,
      webFetchTool({ config: { filterByCode, allowLiveAccess: false } }),
      ['allowLiveAccess'],
    ],
    ['live access', google, webFetchTool({ config: { allowLiveAccess: true } }), ['allowLiveAccess']],
  ])('cannot be told %s', async (_what, create, hosted, unsupported) => {
    await expect(run(create, [hosted], [done])).rejects.toMatchObject({
      phase: 'render',
      cause: { name: 'PromptValidationError', details: { tool: hosted.name, unsupported } },
    });
  });

  it.each<[string, Create, HostedTool]>([
    ['AI SDK 7', anthropic, webFetchTool({ config: { urlSources: ['user', 'search', 'tools'] } })],
    ['AI SDK 6', anthropicV3, webFetchTool({ config: { urlSources: ['user', 'search', 'tools'] } })],
    ['AI SDK 6', anthropicV3, webFetchTool()],
  ])('fetches every address, as it does unasked: %s', async (_version, create, hosted) => {
    const { requests } = await run(create, [hosted], [done]);
    expect(requests[0]?.body['tools']).toMatchObject([{ type: 'web_fetch_20250910' }, own]);
    expect(requests[0]?.body['tools']).not.toMatchObject([{ url_sources: expect.anything() }, own]);
  });

  it.each([openai, openaiV3, google])('needs nothing for a filter that is off', async (create) => {
    await expect(
      run(create, [webSearchTool({ config: { filterByCode: false } })], [{}]),
    ).rejects.not.toMatchObject({ phase: 'render' });
  });
});

describe('@ai-sdk/anthropic 3', () => {
  it('is told of its own versions, without code when a filter is left out', async () => {
    const logger = recordingLogger();
    const { requests } = await run(
      anthropicV3,
      [webSearchTool({ config: { filterByCode } }), webFetchTool(), codeInterpreterTool()],
      [done],
      { logger },
      { unsupportedConfig: 'warn' },
    );
    expect(requests[0]?.body['tools']).toMatchObject([
      { type: 'web_search_20250305' },
      { type: 'web_fetch_20250910' },
      { type: 'code_execution_20260120' },
      own,
    ]);
    expect(logger.lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        fields: expect.objectContaining({ unsupported: ['filterByCode'] }),
      }),
    );
  });
});

const container = { id: 'container_1', expires_at: '2026-11-20T11:00:00Z', skills: null };

/** Output that the provider has sealed is no text. */
const sealed = {
  turn: 1,
  status: 'completed',
  invocationId: 'srv_code',
  code: filterProgram,
  stderr: '',
  exitCode: 0,
  files: [{ fileId: 'file_1' }],
};

const cited = {
  turn: 1,
  type: 'url',
  url: 'https://tides.example/a',
  title: 'Tides',
  citedText: 'HW 06:00',
  span: [0, 18],
};

describe.each([false, true])('what code filtered, streamed: %s', (streaming) => {
  const searching = webSearchTool({ config: { filterByCode } });
  const pages = webFetchTool({ config: { filterByCode } });
  const interpreter = codeInterpreterTool();

  it('is told in full', async () => {
    const { response } = await run(
      anthropic,
      [searching, pages, interpreter],
      [answering(message(filteredInFull, { container }))],
      { streaming },
    );
    expect(hostedOutputsOf(response, searching)).toEqual({
      invocations: [
        {
          turn: 1,
          status: 'completed',
          invocationId: 'srv_search',
          action: 'search',
          queries: ['tide times'],
          sources: [{ url: 'https://tides.example/a', title: 'Tides' }],
        },
      ],
      citations: [cited],
    });
    expect(hostedOutputsOf(response, pages).invocations).toMatchObject([
      { status: 'completed', invocationId: 'srv_fetch', content: 'HW 06:00' },
    ]);
    expect(hostedOutputsOf(response, interpreter).invocations).toEqual([sealed]);
  });

  it('has no searches when the provider excludes what code has read', async () => {
    const { response } = await run(
      anthropic,
      [searching, interpreter],
      [answering(message(filteredWithoutNested, { container }))],
      { streaming },
    );
    expect(hostedOutputsOf(response, searching)).toEqual({ invocations: [], citations: [cited] });
    expect(hostedOutputsOf(response, interpreter).invocations).toEqual([sealed]);
  });

  it('goes back after a pause with its callers', async () => {
    const { requests, response } = await run(
      anthropic,
      [searching],
      [
        answering(message(filteredUntilPause, { container, stop_reason: 'pause_turn' })),
        answering(message(filteredAfterPause, { container })),
      ],
      { streaming },
    );
    expect(response.text).toBe('High water at six.');
    expect(requests[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        content: [
          { type: 'server_tool_use', id: 'srv_code', name: 'code_execution', input: { code: filterProgram } },
          {
            type: 'server_tool_use',
            id: 'srv_search',
            name: 'web_search',
            caller: { type: 'code_execution_20260120', tool_id: 'srv_code' },
          },
          {
            type: 'web_search_tool_result',
            tool_use_id: 'srv_search',
            caller: { type: 'code_execution_20260120', tool_id: 'srv_code' },
            content: [{ url: 'https://tides.example/a', encrypted_content: 'sealed-1' }],
          },
        ],
      },
    ]);
  });
});
