import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { webFetchTool, webSearchTool } from 'weakincentives/tools';
import { answeringModel, text as textPart } from '../../../../support/ai-sdk-models.ts';
import { type Block, message, serverToolUse, text } from '../../../../support/anthropic-messages.ts';
import { answering } from '../../../../support/anthropic-stream.ts';
import { capturingFetch } from '../../../../support/captured-requests.ts';
import { promptOf } from '../../../../support/prompt-of.ts';

const url = 'https://tides.example/a';
const prompt = promptOf({ hostedTools: [webFetchTool({ config: { citations: true } }), webSearchTool()] });

const fetched = (id: string, at: string, title: string | null): readonly Block[] => [
  serverToolUse(id, 'web_fetch', { url: at }),
  {
    type: 'web_fetch_tool_result',
    tool_use_id: id,
    content: {
      type: 'web_fetch_result',
      url: at,
      retrieved_at: '2026-11-22T10:00:00Z',
      content: {
        type: 'document',
        title,
        citations: { enabled: true },
        source: { type: 'text', media_type: 'text/plain', data: 'High water at six.' },
      },
    },
  },
];
const passage = (documentTitle: string | null, index: number): Block => ({
  type: 'char_location',
  cited_text: 'High water at six.',
  document_index: index,
  document_title: documentTitle,
  start_char_index: 0,
  end_char_index: 18,
  file_id: null,
});
const said = (...citations: readonly Block[]): Block => text('At six.', citations);
const searched: readonly Block[] = [
  serverToolUse('s', 'web_search', { query: 'tides' }),
  {
    type: 'web_search_tool_result',
    tool_use_id: 's',
    content: [{ type: 'web_search_result', url, title: 'Tides', encrypted_content: 'e', page_age: null }],
  },
];
const found: Block = {
  type: 'web_search_result_location',
  url,
  title: 'Tides',
  cited_text: 'High water at six.',
  encrypted_index: 'i',
};

describe.each([false, true])('what Claude cites, streamed: %s', (streaming) => {
  it.each<[string, readonly Block[], number]>([
    ['a search', [...searched, said(found)], 1],
    ['a page by its title', [...fetched('f', url, 'Tides'), said(passage('Tides', 0))], 1],
    ['a page without a title', [...fetched('f', url, null), said(passage(null, 0))], 1],
    ['a page behind documents of earlier turns', [...fetched('f', url, 'Tides'), said(passage(null, 7))], 1],
    ['a page by another title', [...fetched('f', url, 'Tides'), said(passage('Tide table', 0))], 1],
    [
      'one of two pages',
      [
        ...fetched('f', 'https://b.example/', 'Moon'),
        ...fetched('g', url, 'Tides'),
        said(passage('Tides', 1)),
      ],
      1,
    ],
  ])('is the same through the AI SDK as with anthropic(): %s', async (_name, blocks, count) => {
    const answer = answering(message([...blocks]));
    const own = anthropic({ model: 'm', apiKey: 'key', fetch: capturingFetch(answer).fetch });
    const model = createAnthropic({ apiKey: 'key', fetch: capturingFetch(answer).fetch })(
      'claude-sonnet-4-5',
    );
    const [expected, got] = await Promise.all(
      [own, aiSdk({ model })].map(async (adapter) => {
        const { hostedOutputs } = await adapter.evaluate(prompt, { input: 'Go', streaming });
        return Object.entries(hostedOutputs).map(([name, { citations }]) => ({ name, citations }));
      }),
    );
    expect(got).toEqual(expected);
    const citations = (expected ?? []).flatMap((one) => one.citations);
    expect(citations).toHaveLength(count);
    expect(citations[0]).toMatchObject({ url, citedText: 'High water at six.', span: [0, 7] });
  });

  it('is read of the sources, where a package hangs no citations on the text', async () => {
    const source = (id: string, providerMetadata: object) => ({
      type: 'source',
      sourceType: 'url',
      id,
      url,
      title: 'Tides',
      providerMetadata: { anthropic: providerMetadata },
    });
    const content = [
      textPart('At six.'),
      source('1', { pageAge: null }),
      source('2', { citedText: 'High water at six.', encryptedIndex: 'i' }),
    ];
    const { model } = answeringModel('v3', [{ content }], 'anthropic.messages');
    const { hostedOutputs } = await aiSdk({ model }).evaluate(prompt, { input: 'Go', streaming });
    expect(hostedOutputs['web_search']?.citations).toEqual([
      { turn: 1, type: 'url', url, title: 'Tides', citedText: 'High water at six.' },
    ]);
  });
});
