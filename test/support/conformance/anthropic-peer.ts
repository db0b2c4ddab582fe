import type { ProviderAdapter } from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import type { ConformanceGap, ConformancePeer } from 'weakincentives/conformance';
import { toEvents } from '../anthropic-stream.ts';
import { thinkingFault } from '../anthropic-thinking.ts';
import {
  readAnthropicRequest,
  toAnthropicEvents,
  toAnthropicFragment,
  toAnthropicMessage,
  toAnthropicRefusal,
} from './anthropic-wire.ts';
import { eventStream, json, openWireServer } from './wire-server.ts';

/** Features that the Messages API does not have. */
export const anthropicGaps: readonly ConformanceGap[] = [
  {
    feature: 'malformed-arguments',
    mode: 'whole',
    why: 'an input is an object in a message that comes whole',
  },
  { feature: 'content-filter', why: 'the provider tells of no filter' },
  { feature: 'approvals', why: 'the provider asks nobody' },
];

/** What the Messages API has that most do not. */
export const anthropicExtras = [
  'compaction',
  'failed-compaction',
  'compaction-pause',
  'compaction-usage',
  'client-items',
] as const;

/** An adapter that talks to a server on the loopback interface with the vendor's API. */
export function anthropicWirePeer(
  name: string,
  adapterAt: (baseURL: string) => ProviderAdapter,
  gaps: readonly ConformanceGap[] = anthropicGaps,
  extras: ConformancePeer['extras'] & object = anthropicExtras,
): ConformancePeer {
  return {
    name,
    gaps,
    extras,
    connect: async (provider) => {
      const sent = new Set<string>();
      let answers = 0;
      const server = await openWireServer(
        (body) => {
          const fault = thinkingFault(body);
          if (fault !== undefined)
            return json(
              { type: 'error', error: { type: 'invalid_request_error', message: fault } },
              { status: 400 },
            );
          const request = readAnthropicRequest(body, sent);
          const turn = provider.answer(request);
          if (turn.type === 'answer') {
            answers += 1;
            const message = toAnthropicMessage(turn, answers, extras.includes('failed-compaction'));
            for (const block of message.content) sent.add(JSON.stringify(block));
            return request.isStreaming ? eventStream(toAnthropicEvents(toEvents(message))) : json(message);
          }
          return turn.type === 'broken-off' || turn.type === 'hanging' || turn.type === 'no-answer'
            ? toAnthropicFragment(turn, request.isStreaming)
            : toAnthropicRefusal(turn, request.isStreaming);
        },
        () => provider.cutOff(),
      );
      return { adapter: adapterAt(server.url), [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
    },
  };
}

/** Thinking with a budget, which the provider takes only where a tool loop began with it. */
export const thinkingGaps: readonly ConformanceGap[] = [
  ...anthropicGaps,
  { feature: 'tool-choice', why: 'the provider takes no forced call beside thinking with a budget' },
];

/** The adapter of this package, thinking with a budget. */
export const thinkingAnthropicPeer: ConformancePeer = anthropicWirePeer(
  'Anthropic, thinking with a budget',
  (baseURL) =>
    anthropic({
      model: 'claude-sonnet-4-5',
      apiKey: 'none',
      baseURL,
      settings: { thinking: { type: 'enabled', budget_tokens: 1_024 } },
    }),
  thinkingGaps,
);

/** The adapter of this package, on the vendor's client. */
export const anthropicPeer: ConformancePeer = anthropicWirePeer('Anthropic', (baseURL) =>
  anthropic({ model: 'claude-sonnet-5', apiKey: 'none', baseURL }),
);
