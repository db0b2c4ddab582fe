import type { ProviderAdapter } from 'weakincentives';
import type { ConformanceGap, ConformancePeer } from 'weakincentives/conformance';
import { openai } from 'weakincentives/openai';
import { toEvents, toServerSentEvents } from '../openai-stream.ts';
import { readOpenAIRequest, toOpenAIFragment, toOpenAIRefusal, toOpenAIResponse } from './openai-wire.ts';
import { eventStream, json, openWireServer } from './wire-server.ts';

/** Features that the Responses API does not have. */
export const openaiGaps: readonly ConformanceGap[] = [
  { feature: 'context-window', why: 'a response that fills the window is refused beforehand' },
  { feature: 'paused', why: 'a response is never paused' },
];

/** What the Responses API has that most do not. */
export const openaiExtras = ['compaction', 'program-calls', 'client-items'] as const;

/** An adapter that talks to a server on the loopback interface with the vendor's API. */
export function openaiWirePeer(
  name: string,
  adapterAt: (baseURL: string) => ProviderAdapter,
  gaps: readonly ConformanceGap[] = openaiGaps,
  extras: ConformancePeer['extras'] & object = openaiExtras,
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
          const request = readOpenAIRequest(body, sent);
          const turn = provider.answer(request);
          if (turn.type === 'answer') {
            answers += 1;
            const response = toOpenAIResponse(turn, answers);
            for (const item of response.output) sent.add(JSON.stringify(item));
            return request.isStreaming ? eventStream(toServerSentEvents(toEvents(response))) : json(response);
          }
          return turn.type === 'broken-off' || turn.type === 'hanging' || turn.type === 'no-answer'
            ? toOpenAIFragment(turn, request.isStreaming)
            : toOpenAIRefusal(turn, request.isStreaming);
        },
        () => provider.cutOff(),
      );
      return {
        adapter: adapterAt(`${server.url}/v1`),
        [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
      };
    },
  };
}

/** The adapter of this package, on the vendor's client. */
export const openaiPeer: ConformancePeer = openaiWirePeer('OpenAI', (baseURL) =>
  openai({ model: 'gpt-5', apiKey: 'none', baseURL }),
);
