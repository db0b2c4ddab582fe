import type {
  WebFetchTool20260318,
  WebSearchTool20260318,
} from '@anthropic-ai/sdk/resources/messages/messages';
import { describe, expect, it } from 'vitest';
import {
  type EvaluateOptions,
  type HostedTool,
  hostedOutputsOf,
  promptTemplate,
  section,
} from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { codeInterpreterTool, type WebFetchConfig, webFetchTool, webSearchTool } from 'weakincentives/tools';
import { type AnthropicMessage, message, text } from '../../../support/anthropic-messages.ts';
import { answering } from '../../../support/anthropic-stream.ts';
import { capturingFetch } from '../../../support/captured-requests.ts';
import {
  filteredAfterPause,
  filteredByNewestCode,
  filteredInFull,
  filteredUntilPause,
  filteredWithoutNested,
  filterProgram,
} from '../../../support/filtered-by-code.ts';

const filterByCode = true;

async function run(
  hostedTools: readonly HostedTool[],
  answers: readonly AnthropicMessage[] = [message([text('Done.')])],
  options: EvaluateOptions = {},
) {
  const captured = capturingFetch(...answers.map(answering));
  const model = anthropic({
    model: 'claude-sonnet-5',
    apiKey: 'key',
    fetch: captured.fetch,
    promptCaching: false,
  });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'filter',
    sections: [section({ title: 'Task', key: 'task', template: 'Do it.', hostedTools })],
  }).bind();
  const result = await model.evaluate(prompt, options);
  return { result, requests: captured.requests };
}

const code = { type: 'code_execution_20260521', name: 'code_execution' };
const search = {
  type: 'web_search_20260318',
  name: 'web_search',
  allowed_callers: ['code_execution_20260521'],
  response_inclusion: 'excluded',
} satisfies WebSearchTool20260318;
const fetching = {
  type: 'web_fetch_20260318',
  name: 'web_fetch',
  allowed_callers: ['code_execution_20260521'],
  response_inclusion: 'excluded',
  url_sources: {
    user_input: { type: 'all' },
    client_tool_results: { type: 'none' },
    server_tool_results: { type: 'all' },
  },
} satisfies WebFetchTool20260318;

describe('a tool of the web whose results code filters', () => {
  it.each<[string, readonly HostedTool[], readonly object[]]>([
    ['a search', [webSearchTool({ config: { filterByCode } })], [search, code]],
    ['a fetch', [webFetchTool({ config: { filterByCode } })], [fetching, code]],
    [
      'both',
      [webFetchTool({ config: { filterByCode } }), webSearchTool({ config: { filterByCode } })],
      [fetching, search, code],
    ],
    [
      'a search behind the code interpreter',
      [codeInterpreterTool(), webSearchTool({ config: { filterByCode } })],
      [code, search],
    ],
    [
      'a search before the code interpreter, in another container',
      [webSearchTool({ config: { filterByCode } }), codeInterpreterTool({ config: { containerId: 'mine' } })],
      [search, code],
    ],
    [
      'one that the model itself calls',
      [webSearchTool({ config: { filterByCode: false } })],
      [{ type: 'web_search_20260318', name: 'web_search', allowed_callers: ['direct'] }],
    ],
  ])('brings the code tool once: %s', async (_name, hostedTools, expected) => {
    const { requests } = await run(hostedTools);
    expect(requests[0]?.body['tools']).toEqual(expected);
    expect(requests[0]?.headers.get('anthropic-beta')).toBeNull();
  });

  it('cannot be forced, since the model does not call it', async () => {
    const filtered = webSearchTool({ config: { filterByCode }, name: 'look-up' });
    await expect(run([filtered], undefined, { toolChoice: { tool: 'look-up' } })).rejects.toMatchObject({
      phase: 'render',
      cause: {
        message:
          "The model cannot be forced to use the hosted tool \"look-up\", which only code calls. Take filterByCode out of its config, or use toolChoice 'auto' or 'required'.",
      },
    });
    const { requests } = await run([filtered], undefined, { toolChoice: 'required' });
    expect(requests[0]?.body['tool_choice']).toEqual({ type: 'any' });
  });
});

const tools = () => ({
  searching: webSearchTool({ config: { filterByCode } }),
  pages: webFetchTool({ config: { filterByCode } }),
  interpreter: codeInterpreterTool(),
});

const citation = {
  type: 'url',
  url: 'https://tides.example/a',
  title: 'Tides',
  citedText: 'HW 06:00',
};

/** Output that the provider has sealed is no text. */
const sealed = {
  status: 'completed',
  invocationId: 'srv_code',
  code: filterProgram,
  stderr: '',
  exitCode: 0,
  containerId: 'container_1',
  files: [{ fileId: 'file_1' }],
};

const container = { id: 'container_1', expires_at: '2026-11-20T11:00:00Z', skills: null };

describe.each([false, true])('what code filtered, streamed: %s', (streaming) => {
  it.each([
    ['the published caller', filteredInFull],
    ['the caller of the newest code, which no type has', filteredByNewestCode],
  ])('is told in full by %s', async (_name, content) => {
    const { searching, pages, interpreter } = tools();
    const { result } = await run([searching, pages, interpreter], [message(content, { container })], {
      streaming,
    });
    const done = { turn: 1, status: 'completed' };
    expect(hostedOutputsOf(result, searching)).toEqual({
      invocations: [
        {
          ...done,
          invocationId: 'srv_search',
          action: 'search',
          queries: ['tide times'],
          sources: [{ url: 'https://tides.example/a', title: 'Tides' }],
        },
      ],
      citations: [{ turn: 1, ...citation, span: [0, 18] }],
    });
    expect(hostedOutputsOf(result, pages).invocations).toEqual([
      {
        ...done,
        invocationId: 'srv_fetch',
        url: 'https://tides.example/a',
        title: 'Tides',
        content: 'HW 06:00',
        mediaType: 'text/plain',
        retrievedAt: '2026-11-20T10:00:00Z',
      },
    ]);
    expect(hostedOutputsOf(result, interpreter).invocations).toEqual([{ turn: 1, ...sealed }]);
    expect(result.conversation[0]).toMatchObject({
      raw: { items: [...content, { type: 'message_end', container: { id: 'container_1' } }] },
    });
  });

  it('has no searches when the provider excludes what code has read, and still the citations', async () => {
    const { searching, interpreter } = tools();
    const { result } = await run([searching, interpreter], [message(filteredWithoutNested, { container })], {
      streaming,
    });
    expect(hostedOutputsOf(result, searching)).toEqual({
      invocations: [],
      citations: [{ turn: 1, ...citation, span: [0, 18] }],
    });
    expect(hostedOutputsOf(result, interpreter).invocations).toEqual([{ turn: 1, ...sealed }]);
  });

  it('goes back as it is after a pause, with the callers and in its container', async () => {
    const { searching } = tools();
    const paused = message(filteredUntilPause, { container, stop_reason: 'pause_turn' });
    const { result, requests } = await run(
      [searching],
      [paused, message(filteredAfterPause, { container })],
      { streaming },
    );
    expect(result).toMatchObject({ text: 'High water at six.', finishReason: 'stop' });
    expect(requests[1]?.body).toMatchObject({
      container: 'container_1',
      tools: [search, code],
      messages: [{ role: 'user' }, { role: 'assistant', content: filteredUntilPause }],
    });
    expect(hostedOutputsOf(result, searching).invocations.map(({ turn, status }) => [turn, status])).toEqual([
      [1, 'completed'],
    ]);
  });
});

describe('the addresses that are fetched', () => {
  const all = { type: 'all' };
  const none = { type: 'none' };

  it.each<[NonNullable<WebFetchConfig['urlSources']>, object]>([
    [['user'], { user_input: all, client_tool_results: none, server_tool_results: none }],
    [['search'], { user_input: none, client_tool_results: none, server_tool_results: all }],
    [['tools', 'tools'], { user_input: none, client_tool_results: all, server_tool_results: none }],
    [['tools', 'search', 'user'], { user_input: all, client_tool_results: all, server_tool_results: all }],
  ])('come from %j', async (urlSources, expected) => {
    const { requests } = await run([webFetchTool({ config: { urlSources } })]);
    expect(requests[0]?.body['tools']).toMatchObject([{ url_sources: expected }]);
  });

  it('are fetched now when the config says so', async () => {
    const { requests } = await run([webFetchTool({ config: { allowLiveAccess: true } })]);
    expect(requests[0]?.body['tools']).toMatchObject([{ use_cache: false }]);
    const { requests: others } = await run([webFetchTool()]);
    expect(others[0]?.body['tools']).not.toMatchObject([{ use_cache: expect.anything() }]);
  });
});
