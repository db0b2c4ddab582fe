import { describe, expect, it } from 'vitest';
import { hostedOutputsOf, promptTemplate, section } from 'weakincentives';
import {
  codeInterpreterTool,
  fileSearchTool,
  hostedMcpTool,
  imageGenerationTool,
  webSearchTool,
} from 'weakincentives/tools';
import { z } from 'zod';
import { message, response } from '../../../support/openai-responses.ts';
import { modes, openaiFixture, promptOf, runOpenAI } from '../../../support/openai-runs.ts';
import { inEitherMode } from '../../../support/openai-stream.ts';

describe.each(modes)('what a hosted tool came to, asked for %s', (_mode, options) => {
  const search = webSearchTool();

  it.each(['web-search', 'web-search-code-points'])('searches, pages and citations: %s', async (name) => {
    const { result, events } = await runOpenAI(
      promptOf({ hostedTools: [search] }),
      [inEitherMode(openaiFixture(name))],
      options,
    );
    const { invocations, citations } = hostedOutputsOf(result, search);
    const turn = { turn: 1 };
    expect(invocations).toEqual([
      {
        ...turn,
        status: 'completed',
        invocationId: 'ws_1',
        action: 'search',
        queries: ['forest cover world', 'forest area trend'],
        sources: [{ url: 'https://fao.example/forests' }, { url: 'https://eea.example/trees' }],
      },
      {
        ...turn,
        status: 'completed',
        invocationId: 'ws_2',
        action: 'open-page',
        queries: [],
        sources: [],
        url: 'https://fao.example/forests',
      },
      {
        ...turn,
        status: 'completed',
        invocationId: 'ws_3',
        action: 'find-in-page',
        queries: [],
        sources: [],
        url: 'https://fao.example/forests',
        pattern: 'Europe',
      },
      {
        ...turn,
        status: 'failed',
        invocationId: 'ws_4',
        action: 'search',
        queries: ['forest europe'],
        sources: [],
      },
      {
        ...turn,
        status: 'incomplete',
        invocationId: 'ws_5',
        action: 'search',
        queries: ['never finished'],
        sources: [],
      },
    ]);
    // Whatever the provider counts, the spans are offsets in the text of the response.
    expect(citations.map(({ span, ...cited }) => [cited, span && result.text.slice(...span)])).toEqual([
      [
        { ...turn, type: 'url', url: 'https://fao.example/forests?utm_source=openai', title: 'Forests' },
        '([fao.example](https://fao.example/forests?utm_source=openai))',
      ],
      [
        { ...turn, type: 'url', url: 'https://eea.example/trees', title: 'Trees' },
        '([eea.example](https://eea.example/trees))',
      ],
    ]);
    expect(result.text).not.toContain('I open the report.');
    expect(events.filter(({ type }) => type === 'hosted-tool-called')).toHaveLength(5);
    expect(result.usage).toEqual({
      inputTokens: 300,
      outputTokens: 40,
      cachedInputTokens: 128,
      cacheWriteInputTokens: 64,
      reasoningTokens: 12,
    });
  });

  it('code, with both streams in one, images and files', async () => {
    const code = codeInterpreterTool();
    const { result } = await runOpenAI(
      promptOf({ hostedTools: [code] }),
      [inEitherMode(openaiFixture('code-interpreter'))],
      options,
    );
    const { invocations, citations } = hostedOutputsOf(result, code);
    expect(invocations).toEqual([
      {
        turn: 1,
        status: 'completed',
        invocationId: 'ci_1',
        code: 'print(6*7)\nplot()',
        containerId: 'cntr_1',
        stdout: '42\ndone\n',
        files: [{ url: 'https://files.example/plot.png' }],
      },
      { turn: 1, status: 'failed', invocationId: 'ci_2', code: '1/0', containerId: 'cntr_1', files: [] },
      { turn: 1, status: 'incomplete', invocationId: 'ci_3', containerId: 'cntr_1', files: [] },
    ]);
    expect(citations.map(({ span, ...cited }) => [cited, span && result.text.slice(...span)])).toEqual([
      [{ turn: 1, type: 'file', fileId: 'cfile_1', filename: 'chart.csv' }, 'sandbox:/mnt/data/chart.csv'],
      [{ turn: 1, type: 'file', fileId: 'file_2' }, undefined],
    ]);
  });

  it('a search through files, with what was found', async () => {
    const files = fileSearchTool({ config: { storeIds: ['vs_1'] } });
    const { result } = await runOpenAI(
      promptOf({ hostedTools: [files] }),
      [inEitherMode(openaiFixture('file-search'))],
      options,
    );
    expect(hostedOutputsOf(result, files)).toEqual({
      invocations: [
        {
          turn: 1,
          status: 'completed',
          invocationId: 'fs_1',
          queries: ['refund period', 'returns'],
          results: [
            { fileId: 'file_1', filename: 'terms.md', score: 0.92, text: 'Refunds within 30 days.' },
            { fileId: 'file_2', filename: 'file_2' },
          ],
        },
        { turn: 1, status: 'incomplete', invocationId: 'fs_2', queries: ['shipping'], results: [] },
      ],
      citations: [{ turn: 1, type: 'file', fileId: 'file_1', filename: 'terms.md' }],
    });
  });

  it('images, and why one was not made', async () => {
    const images = imageGenerationTool({ config: { format: 'jpeg' } });
    const { result } = await runOpenAI(
      promptOf({ hostedTools: [images] }),
      [inEitherMode(openaiFixture('image-generation'))],
      options,
    );
    expect(hostedOutputsOf(result, images).invocations).toEqual([
      {
        turn: 1,
        status: 'completed',
        invocationId: 'ig_1',
        mediaType: 'image/webp',
        base64: 'aGk=',
        revisedPrompt: 'A small red boat.',
      },
      {
        turn: 1,
        status: 'failed',
        errorCode: 'moderation_blocked',
        invocationId: 'ig_2',
        mediaType: 'image/jpeg',
      },
      { turn: 1, status: 'incomplete', invocationId: 'ig_3', mediaType: 'image/jpeg' },
      { turn: 1, status: 'incomplete', invocationId: 'ig_4', mediaType: 'image/jpeg' },
    ]);
  });

  it('calls of a remote server, in the digits that the model wrote', async () => {
    const wiki = hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp' } });
    const fixture = JSON.stringify(openaiFixture('mcp'));
    const written = fixture.replace(/\{\\"query\\": ?\\"boats\\"\}/, '{\\"query\\":9007199254740993}');
    const { result } = await runOpenAI(
      promptOf({ hostedTools: [wiki] }),
      [inEitherMode(JSON.parse(written))],
      options,
    );
    expect(hostedOutputsOf(result, wiki).invocations[0]).toMatchObject({
      arguments: { query: '9007199254740993' },
    });
  });

  it('calls of two remote servers, told apart by their labels', async () => {
    const wiki = hostedMcpTool({ config: { label: 'wiki', url: 'https://wiki.example/mcp' } });
    const crm = hostedMcpTool({
      config: { label: 'crm', url: 'https://crm.example/mcp' },
      name: 'customers',
    });
    const { result } = await runOpenAI(
      promptOf({ hostedTools: [wiki, crm] }),
      [inEitherMode(openaiFixture('mcp'))],
      options,
    );
    expect(hostedOutputsOf(result, wiki).invocations).toEqual([
      {
        turn: 1,
        status: 'completed',
        invocationId: 'mcp_1',
        server: 'wiki',
        name: 'search',
        arguments: { query: 'boats' },
        output: '3 pages',
      },
      {
        turn: 1,
        status: 'failed',
        errorCode: 'mcp_tool_execution_error',
        invocationId: 'mcp_2',
        server: 'wiki',
        name: 'search',
        arguments: '{"query":',
        error: 'Bad query.\nTry again.',
      },
    ]);
    expect(hostedOutputsOf(result, crm).invocations).toEqual([
      {
        turn: 1,
        status: 'failed',
        invocationId: 'mcpl_2',
        server: 'crm',
        name: 'tools/list',
        arguments: {},
        error: 'Connection refused.',
      },
      {
        turn: 1,
        status: 'failed',
        errorCode: 'http_error',
        invocationId: 'mcp_3',
        server: 'crm',
        name: 'find',
        arguments: {},
        error: 'Service unavailable',
      },
      { turn: 1, status: 'incomplete', invocationId: 'mcp_4', server: 'crm', name: 'find', arguments: {} },
    ]);
    expect(Object.keys(result.hostedOutputs)).toEqual(['wiki', 'customers']);
  });

  it('nothing, when it was not used', async () => {
    const { result } = await runOpenAI(
      promptOf({ hostedTools: [search] }),
      [inEitherMode(response([message('I know it.')]))],
      options,
    );
    expect(result.hostedOutputs).toEqual({});
    expect(hostedOutputsOf(result, search)).toEqual({ invocations: [], citations: [] });
  });

  it('citations without a span, where the text is not the one that the provider wrote', async () => {
    const cited = {
      type: 'url_citation',
      url: 'https://a.example/',
      title: 'A',
      start_index: 2,
      end_index: 7,
    };
    const parts = [{ type: 'output_text', text: '{"value":["x"]}', annotations: [cited] }];
    const prompt = promptTemplate({
      ns: 'test',
      key: 'list',
      sections: [section({ title: 'Task', key: 'task', template: 'List.', hostedTools: [search] })],
      output: z.array(z.string()),
    }).bind();
    const { result } = await runOpenAI(
      prompt,
      [inEitherMode(response([message('', { content: parts })]))],
      options,
    );
    expect(result.output).toEqual(['x']);
    expect(hostedOutputsOf(result, search).citations).toEqual([
      { turn: 1, type: 'url', url: 'https://a.example/', title: 'A' },
    ]);
  });
});
