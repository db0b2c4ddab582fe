import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAIv3 } from 'ai-sdk-openai-v3';
import { describe, expect, it } from 'vitest';
import { type ProviderAdapter, type TokenPrices, type TokenUsage, tokenCost } from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { message as claudeMessage, text } from '../../support/anthropic-messages.ts';
import { answering } from '../../support/anthropic-stream.ts';
import { type CapturedAnswer, capturingFetch } from '../../support/captured-requests.ts';
import { message, response } from '../../support/openai-responses.ts';
import { inEitherMode } from '../../support/openai-stream.ts';
import { promptOf } from '../../support/prompt-of.ts';

type Fetch = typeof globalThis.fetch;
/** Tokens of the input that were written to be kept for the longer lifetime, of 300 that were written. */
type Answering = (long: number | undefined) => CapturedAnswer;

const fromOpenAI: Answering = (long) =>
  inEitherMode(
    response([message('Done.')], {
      usage: {
        input_tokens: 1_000,
        input_tokens_details: {
          cached_tokens: 600,
          cache_write_tokens: 300,
          ...(long === undefined
            ? {}
            : { cache_write_tokens_details: { ttl_12h_tokens: long, ttl_30m_tokens: 300 - long } }),
        },
        output_tokens: 10,
        output_tokens_details: { reasoning_tokens: 4 },
        total_tokens: 1_010,
      },
    }),
  );
const fromClaude: Answering = (long) =>
  answering(
    claudeMessage([text('Done.')], {
      usage: {
        cache_creation:
          long === undefined
            ? null
            : { ephemeral_1h_input_tokens: long, ephemeral_5m_input_tokens: 300 - long },
        cache_creation_input_tokens: 300,
        cache_read_input_tokens: 600,
        input_tokens: 100,
        output_tokens: 10,
        output_tokens_details: { thinking_tokens: 4 },
      },
    }),
  );

const adapters: readonly (readonly [string, Answering, (fetch: Fetch) => ProviderAdapter])[] = [
  ['openai()', fromOpenAI, (fetch) => openai({ model: 'gpt-6', apiKey: 'key', fetch })],
  ['anthropic()', fromClaude, (fetch) => anthropic({ model: 'm', apiKey: 'key', fetch })],
  [
    'OpenAI with AI SDK 7',
    fromOpenAI,
    (fetch) => aiSdk({ model: createOpenAI({ apiKey: 'key', fetch }).responses('gpt-6') }),
  ],
  [
    'OpenAI with AI SDK 6',
    fromOpenAI,
    (fetch) => aiSdk({ model: createOpenAIv3({ apiKey: 'key', fetch }).responses('gpt-6') }),
  ],
  [
    'Claude with AI SDK 7',
    fromClaude,
    (fetch) => aiSdk({ model: createAnthropic({ apiKey: 'key', fetch })('claude-sonnet-4-5') }),
  ],
];

const read = { inputTokens: 1_000, outputTokens: 10, cachedInputTokens: 600, cacheWriteInputTokens: 300 };
const prices = {
  inputPerMillion: 1_000,
  cachedInputPerMillion: 100,
  cacheWriteInputPerMillion: 1_250,
  longCacheWriteInputPerMillion: 2_000,
  outputPerMillion: 5_000,
};

describe.each(adapters)('what was cached, by %s', (_name, answer, open) => {
  it.each([
    ['whole', undefined, false],
    ['whole', 0, false],
    ['whole', 200, false],
    ['streamed', 0, true],
    ['streamed', 200, true],
  ] as const)(
    'is in the usage and the cost of a run: %s, %j kept for long',
    async (_how, long, streaming) => {
      const { fetch } = capturingFetch(answer(long));
      const { usage } = await open(fetch).evaluate(promptOf({}), { input: 'Go', streaming });
      const { reasoningTokens: _thought, ...counts } = usage;
      // A 0 for it is no count: most requests have none.
      const kept = long === undefined || long === 0 ? {} : { longCacheWriteInputTokens: long };
      expect(counts).toEqual({ ...read, ...kept });
      // 100 new, 600 read, 300 written of which some for long, 10 out.
      const written = (300 - (long ?? 0)) * 1_250 + (long ?? 0) * 2_000;
      expect(tokenCost(usage, prices)).toBe((100 * 1_000 + 600 * 100 + written + 10 * 5_000) / 1e6);
    },
  );

  it('ends a run by a limit that only the price of long writes exceeds', async () => {
    const { fetch } = capturingFetch(answer(300));
    const run = (given: TokenPrices) =>
      open(fetch).evaluate(promptOf({}), {
        input: 'Go',
        limits: { budget: { maxCost: 0.6, prices: given } },
      });
    const { longCacheWriteInputPerMillion: _long, ...others } = prices;
    expect((await run(others)).budgetExceeded).toBeUndefined();
    expect((await run(prices)).budgetExceeded).toMatchObject({ limit: 'maxCost', value: 0.81 });
  });
});

describe('the price of what is kept for long', () => {
  const cost = (usage: TokenUsage, given: Partial<TokenPrices>): number =>
    tokenCost(usage, { inputPerMillion: 1, outputPerMillion: 0, ...given });
  const written = {
    inputTokens: 1_000_000,
    cacheWriteInputTokens: 1_000_000,
    longCacheWriteInputTokens: 400_000,
  };

  it.each([
    [{}, 1],
    [{ cacheWriteInputPerMillion: 2 }, 2],
    [{ longCacheWriteInputPerMillion: 4 }, 0.6 + 1.6],
    [{ cacheWriteInputPerMillion: 2, longCacheWriteInputPerMillion: 4 }, 1.2 + 1.6],
  ])('is that of other writes unless there is one: %j', (given, expected) => {
    expect(cost(written, given)).toBeCloseTo(expected, 9);
  });

  it('is paid for no more than was written', () => {
    expect(
      cost({ ...written, longCacheWriteInputTokens: 9_000_000 }, { longCacheWriteInputPerMillion: 4 }),
    ).toBe(4);
  });
});
