import { createAnthropic } from '@ai-sdk/anthropic';
import { describe, expect, it } from 'vitest';
import { hostedOutputsOf, type ProviderAdapter } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { webSearchTool } from 'weakincentives/tools';
import { message, text } from '../../../../support/anthropic-messages.ts';
import { capturingFetch } from '../../../../support/captured-requests.ts';
import { message as openaiMessage, response } from '../../../../support/openai-responses.ts';
import { promptOf } from '../../../../support/prompt-of.ts';

const words = 'A 🍐 pear.';
const search = webSearchTool();
const prompt = promptOf({ hostedTools: [search] });

/** A codec of somebody else that gives this span. */
const codecOf = (span: unknown, tools: readonly object[]) =>
  ({
    web_search: {
      kind: 'web_search',
      serialize: () => ({ tools }),
      parseOutput: () => ({
        invocations: [],
        citations: [{ type: 'url', url: 'https://pears.example/', span }],
      }),
    },
  }) as never;

const adapters: Readonly<Record<string, (span: unknown) => ProviderAdapter>> = {
  anthropic: (span) => {
    const { fetch } = capturingFetch(message([text(words)]));
    return anthropic({ model: 'm', apiKey: 'k', fetch, hostedToolCodecs: codecOf(span, []) });
  },
  openai: (span) => {
    const { fetch } = capturingFetch(response([openaiMessage(words)]));
    return openai({ model: 'm', apiKey: 'k', fetch, hostedToolCodecs: codecOf(span, []) });
  },
  aiSdk: (span) => {
    const { fetch } = capturingFetch(message([text(words)]));
    const model = createAnthropic({ apiKey: 'k', fetch })('m');
    return aiSdk({ model, hostedToolCodecs: codecOf(span, []) });
  },
};

describe.each(Object.keys(adapters))('the span of a citation, by %s', (name) => {
  it.each([
    [[0, words.length], true],
    [[2, 4], true],
    [[0, words.length + 1], false],
    [[words.length, words.length + 4], false],
    [[-1, 3], false],
    [[4, 4], false],
    [[5, 2], false],
    [[0.5, 2], false],
    [[Number.NaN, 2], false],
    [[0, 3], false],
    [[3, 6], false],
    [[0], false],
    ['0-3', false],
  ])('%j is given only where it is in the text: %s', async (span, isGiven) => {
    const run = await adapters[name]?.(span).evaluate(prompt);
    const citations = run === undefined ? [] : hostedOutputsOf(run, search).citations;
    const cited = { type: 'url', url: 'https://pears.example/', turn: 1 };
    expect(citations).toEqual([isGiven ? { ...cited, span } : cited]);
  });
});

it.each([
  [{ start_index: 0, end_index: 1_000 }, undefined],
  [{ start_index: -3, end_index: 2 }, undefined],
  [{ start_index: 5, end_index: 9 }, [5, 9]],
])('an annotation outside of the text has none: %j', async (place, span) => {
  const annotations = [{ type: 'url_citation', url: 'https://pears.example/', title: 'Pears', ...place }];
  const content = [{ type: 'output_text', text: words, annotations }];
  const { fetch } = capturingFetch(response([openaiMessage(words, { content })]));
  const run = await openai({ model: 'm', apiKey: 'k', fetch }).evaluate(prompt);
  expect(hostedOutputsOf(run, search).citations[0]?.span).toEqual(span);
});
