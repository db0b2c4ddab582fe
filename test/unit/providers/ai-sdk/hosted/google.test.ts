import { createGoogle } from '@ai-sdk/google';
import { describe, expect, it } from 'vitest';
import { type HostedTool, hostedOutputsOf } from 'weakincentives';
import { codeInterpreterTool, fileSearchTool, webFetchTool, webSearchTool } from 'weakincentives/tools';
import googleAnswer from '../../../../fixtures/hosted-tools/ai-sdk/google.json' with { type: 'json' };
import { apiKey, type Create, geoHint, google, run } from './run.ts';

describe('@ai-sdk/google', () => {
  it('is told of every kind', async () => {
    const { requests } = await run(
      google,
      [
        webSearchTool(),
        webFetchTool(),
        codeInterpreterTool(),
        fileSearchTool({
          config: {
            storeIds: ['fileSearchStores/s1'],
            maxResults: 3,
            filter: { metadataFilter: 'author = "Ada"' },
          },
        }),
      ],
      [googleAnswer],
    );
    expect(requests[0]?.body['tools']).toEqual([
      { googleSearch: {} },
      { urlContext: {} },
      { codeExecution: {} },
      {
        fileSearch: {
          fileSearchStoreNames: ['fileSearchStores/s1'],
          topK: 3,
          metadataFilter: 'author = "Ada"',
        },
      },
      { functionDeclarations: [expect.objectContaining({ name: 'add' })] },
    ]);
  });

  it('has nothing to refuse in a filter that names no domain', async () => {
    const hosted = [
      webSearchTool({ config: { domainFilter: { blocked: [] } } }),
      webFetchTool({ config: { domainFilter: {} } }),
    ];
    const { requests } = await run(google, hosted, [googleAnswer]);
    expect(requests[0]?.body['tools']).toMatchObject([{ googleSearch: {} }, { urlContext: {} }, {}]);
  });

  it.each<[string, HostedTool, readonly string[]]>([
    [
      'web search',
      webSearchTool({
        config: {
          domainFilter: { allowed: ['a.example'] },
          geoHint,
          allowLiveAccess: false,
          contextSize: 'low',
          maxUses: 1,
        },
      }),
      ['domainFilter', 'geoHint', 'contextSize', 'maxUses', 'allowLiveAccess'],
    ],
    ['pages', webFetchTool({ config: { maxUses: 1, citations: false } }), ['maxUses', 'citations']],
    ['code', codeInterpreterTool({ config: { containerId: 'c' } }), ['containerId']],
    [
      'files',
      fileSearchTool({ config: { storeIds: ['s'], scoreThreshold: 0.5, filter: { year: 2026 } } }),
      ['scoreThreshold', 'filter.year'],
    ],
  ])('cannot be told everything of %s', async (_kind, hosted, unsupported) => {
    await expect(run(google, [hosted], [googleAnswer])).rejects.toMatchObject({
      phase: 'render',
      cause: { details: { unsupported } },
    });
  });

  it('brings what each tool came to', async () => {
    const search = webSearchTool();
    const fetched = webFetchTool();
    const code = codeInterpreterTool();
    const files = fileSearchTool({ config: { storeIds: ['fileSearchStores/s1'] } });
    const { response } = await run(google, [search, fetched, code, files], [googleAnswer]);
    const [cited] = hostedOutputsOf(response, search).citations;
    expect(hostedOutputsOf(response, search)).toEqual({
      invocations: [
        {
          turn: 1,
          status: 'completed',
          action: 'search',
          queries: ['tide times'],
          sources: [{ url: 'https://tides.example/a', title: 'tides.example' }],
        },
      ],
      citations: [
        { turn: 1, type: 'url', url: 'https://tides.example/a', title: 'tides.example', span: [3, 25] },
      ],
    });
    expect(response.text.slice(...(cited?.span ?? []))).toBe('Flut: größte um sechs.');
    expect(hostedOutputsOf(response, fetched)).toEqual({
      invocations: [
        { turn: 1, status: 'completed', url: 'https://prices.example/' },
        { turn: 1, status: 'failed', errorCode: 'URL_RETRIEVAL_STATUS_ERROR', url: 'https://gone.example/' },
      ],
      citations: [{ turn: 1, type: 'url', url: 'https://prices.example/', title: 'prices.example' }],
    });
    expect(hostedOutputsOf(response, code).invocations).toEqual([
      { turn: 1, status: 'completed', code: 'print(6 * 7)', stdout: '42\n', files: [] },
      {
        turn: 1,
        status: 'failed',
        errorCode: 'OUTCOME_FAILED',
        code: '1 / 0',
        stdout: 'ZeroDivisionError',
        files: [],
      },
    ]);
    expect(hostedOutputsOf(response, files)).toEqual({
      invocations: [
        {
          turn: 1,
          status: 'completed',
          queries: ['harbour rules'],
          results: [{ fileId: 'rules.md', filename: 'rules.md', text: 'No mooring.' }],
        },
      ],
      citations: [{ turn: 1, type: 'file', fileId: 'rules.md', filename: 'rules.md', span: [26, 46] }],
    });
  });

  it('gets back the code that it ran, and what signs its thoughts', async () => {
    const [candidate] = googleAnswer.candidates;
    const parts = [
      ...(candidate?.content.parts ?? []).slice(0, 2),
      { functionCall: { name: 'add', args: {} }, thoughtSignature: 't1' },
    ];
    const calling = { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] };
    const { requests } = await run(google, [codeInterpreterTool()], [calling, googleAnswer]);
    expect(requests[1]?.body['contents']).toMatchObject([
      { role: 'user' },
      {
        role: 'model',
        parts: [
          { executableCode: { code: 'print(6 * 7)' } },
          { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '42\n' } },
          { functionCall: { name: 'add' }, thoughtSignature: 't1' },
        ],
      },
      { role: 'user', parts: [{ functionResponse: { name: 'add' } }] },
    ]);
  });

  it('does not leave out tools in silence where a model cannot have both kinds', async () => {
    const older: Create = (fetch) => createGoogle({ apiKey, fetch })('gemini-2.5-pro');
    await expect(run(older, [webSearchTool()], [googleAnswer])).rejects.toMatchObject({
      cause: { name: 'PromptValidationError', message: expect.stringContaining('combination') },
    });
  });
});
