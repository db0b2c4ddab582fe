import type { ConformancePeer, ConformanceRefusedCase } from 'weakincentives/conformance';
import { harnessAdapter } from 'weakincentives/provider';
import { loopHarness } from '../harness/loop-harness.ts';
import { modelOfProvider } from './model-peer.ts';

const refused: readonly (readonly [option: string, cases: readonly string[]])[] = [
  [
    'toolChoice',
    [
      'requires a given tool in the first request only',
      'requires any tool in the first request only',
      'forbids tool calls',
      'does not run a call of a tool that toolChoice does not allow',
    ],
  ],
  ['settings.maxOutputTokens', ['sends the maximum number of output tokens']],
  [
    'history',
    [
      'continues a conversation in another evaluation',
      'continues a conversation that began with another provider',
      'completes a conversation that ends in calls without results',
      'continues a conversation after an abort',
    ],
  ],
  [
    'retry',
    [
      'retries after the delay that the provider requests',
      'retries after a server error without repeating a completed call',
      'reports an error when the provider stays busy',
      'reports an error for an exhausted quota',
      'reports an error for a rejected request',
      'reports an error for a malformed response',
      'retries when an answer is interrupted',
      'does not run a call from an interrupted answer',
      'retries when the body of the answer is empty',
      'retries when the body of the answer is a web page',
      'retries when the body of the answer is cut off',
    ],
  ],
  [
    'context.overflow',
    [
      'drops tool results when the conversation exceeds the context window',
      'drops tool results when an answer exceeds the context window',
    ],
  ],
  [
    'hostedTools',
    [
      'records a web search by the provider',
      'links a passage to the source of a search',
      'locates a cited passage after a pause',
      'records a failed web search',
      'records a web search before a tool call',
      'answers approval requests of the provider',
    ],
  ],
];

/** What a harness cannot do, by the names of the cases. */
export const refusedByHarnesses: readonly ConformanceRefusedCase[] = refused.flatMap(([option, cases]) =>
  cases.map((name) => ({ name, option })),
);

/** A harness in this process: all of its cases run, or are refused. */
export function harnessPeer(): ConformancePeer {
  return {
    name: 'harness',
    gaps: [
      { feature: 'reasoning-replay', why: 'the harness has no reasoning of its own' },
      { feature: 'missing-call-ids', why: 'a harness names its calls' },
      { feature: 'repeated-call-ids', why: 'a harness names its calls' },
      { feature: 'silence', why: 'a harness waits for its provider itself' },
      { feature: 'zero-usage', why: 'what the model of a harness gets is not known' },
      { feature: 'null-usage', why: 'what the model of a harness gets is not known' },
      { feature: 'total-usage', why: 'what the model of a harness gets is not known' },
    ],
    refused: refusedByHarnesses,
    connect: async (provider) => ({
      adapter: harnessAdapter({ harness: loopHarness({ model: modelOfProvider(provider) }) }),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
}
