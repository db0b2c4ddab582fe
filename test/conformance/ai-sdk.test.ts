import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import { aiSdk } from 'weakincentives/ai-sdk';
import type { ConformanceGap } from 'weakincentives/conformance';
import { aiSdkModelPeer } from '../support/conformance/ai-sdk-model-peer.ts';
import { aiSdkOpenAIFetch } from '../support/conformance/ai-sdk-openai-fetch.ts';
import { anthropicGaps, anthropicWirePeer, thinkingGaps } from '../support/conformance/anthropic-peer.ts';
import { openaiGaps, openaiWirePeer } from '../support/conformance/openai-peer.ts';
import { runConformance } from '../support/conformance/run-conformance.ts';

const apiKey = 'none';
// Storage is off, so that the model's own items are sent back complete rather than by id.
const providerOptions = { openai: { store: false } };
const fetch = aiSdkOpenAIFetch;

const noMissingIds: ConformanceGap = {
  feature: 'missing-call-ids',
  why: 'the package takes no answer with a call without an id',
};

/** The packages refuse an answer whose counts are not numbers. */
const numbersOnly: readonly ConformanceGap[] = (['null-usage', 'total-usage'] as const).map((feature) => ({
  feature,
  why: 'the package takes no answer whose counts are not numbers',
}));

runConformance(
  openaiWirePeer(
    'AI SDK, @ai-sdk/openai',
    (baseURL) => aiSdk({ model: createOpenAI({ apiKey, baseURL, fetch })('gpt-5'), providerOptions }),
    [...openaiGaps, noMissingIds, ...numbersOnly],
  ),
  ['context-window', 'paused', 'missing-call-ids', 'null-usage', 'total-usage'],
);

runConformance(
  openaiWirePeer(
    'AI SDK, @ai-sdk/openai of AI SDK 6',
    (baseURL) => aiSdk({ model: createOpenAIV3({ apiKey, baseURL, fetch })('gpt-5'), providerOptions }),
    [
      ...openaiGaps,
      noMissingIds,
      ...numbersOnly,
      { feature: 'nonsense', mode: 'whole', why: 'the package fails with a fault of its own' },
    ],
    // The package knows neither compactions nor programs.
    ['client-items'],
  ),
  ['context-window', 'paused', 'missing-call-ids', 'null-usage', 'total-usage', 'nonsense (whole)'],
);

runConformance(
  anthropicWirePeer(
    'AI SDK, @ai-sdk/anthropic',
    (baseURL) => aiSdk({ model: createAnthropic({ apiKey, baseURL })('claude-sonnet-4-5') }),
    [
      ...anthropicGaps,
      noMissingIds,
      ...numbersOnly,
      { feature: 'nonsense', mode: 'streamed', why: 'the package fails with a fault of its own' },
    ],
    // The package leaves out a summary that failed, and fails for a call of a toolset.
    ['compaction', 'compaction-pause', 'compaction-usage'],
  ),
  [
    'malformed-arguments (whole)',
    'content-filter',
    'approvals',
    'missing-call-ids',
    'null-usage',
    'total-usage',
    'nonsense (streamed)',
  ],
);

runConformance(
  anthropicWirePeer(
    'AI SDK, @ai-sdk/anthropic, thinking with a budget',
    (baseURL) =>
      aiSdk({
        model: createAnthropic({ apiKey, baseURL })('claude-sonnet-4-5'),
        providerOptions: { anthropic: { thinking: { type: 'enabled', budgetTokens: 1_024 } } },
      }),
    [
      ...thinkingGaps,
      noMissingIds,
      ...numbersOnly,
      { feature: 'nonsense', mode: 'streamed', why: 'the package fails with a fault of its own' },
      { feature: 'max-output-tokens', why: 'the package adds the budget to the limit' },
    ],
    ['compaction', 'compaction-pause', 'compaction-usage'],
  ),
  [
    'malformed-arguments (whole)',
    'content-filter',
    'approvals',
    'tool-choice',
    'missing-call-ids',
    'null-usage',
    'total-usage',
    'nonsense (streamed)',
    'max-output-tokens',
  ],
);

for (const version of ['v3', 'v4'] as const) {
  runConformance(aiSdkModelPeer(version), [
    ...(['context-window', 'paused', 'refusal', 'web-search', 'approvals'] as const),
    ...(['no-answer', 'total-usage'] as const),
  ]);
}
