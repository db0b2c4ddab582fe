import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenAI as createOpenAIV3 } from 'ai-sdk-openai-v3';
import type { ProviderAdapter } from 'weakincentives';
import { type AiSdkModel, aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { toEvents as toMessageEvents } from './anthropic-stream.ts';
import { streamChat, wholeChat } from './fake-provider/chat.ts';
import { functionCall, message, response } from './openai-responses.ts';
import { toEvents as toResponseEvents } from './openai-stream.ts';

type Fields = Readonly<Record<string, unknown>>;

/** What a provider says in one turn. */
export interface SaidTurn {
  readonly text: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly arguments: Fields }[];
  /** As the format has it. Default: some counts. */
  readonly usage?: unknown;
}

/** How a kind of provider writes its answers. */
export interface WireFormat {
  /** The events of a streamed answer, as they go over the wire. */
  stream(turn: SaidTurn): readonly string[];
  whole(turn: SaidTurn): Fields;
  /** Counts in this format. */
  usage(input: unknown, output: unknown, total?: unknown): Fields;
}

/** An adapter on the package of a vendor, with a `fetch` of the test's own. */
export interface ProviderFormat extends WireFormat {
  readonly name: string;
  readonly isNative: boolean;
  adapter(fetch: typeof globalThis.fetch, options?: { readonly timeoutMs?: number }): ProviderAdapter;
}

const event = (data: Fields): string => `data: ${JSON.stringify(data)}\n\n`;
const named = (data: Fields): string => `event: ${String(data['type'])}\n${event(data)}`;

const responses: WireFormat = {
  usage: (input, output, total) => ({ input_tokens: input, output_tokens: output, total_tokens: total }),
  whole: ({ calls = [], text, usage }) =>
    response(
      [message(text), ...calls.map((call) => functionCall(call.id, call.name, call.arguments))],
      usage === undefined ? {} : { usage },
    ),
  stream: (turn) => toResponseEvents(responses.whole(turn)).map(named),
};

const messages: WireFormat = {
  usage: (input, output) => ({ input_tokens: input, output_tokens: output }),
  whole: ({ calls = [], text, usage = messages.usage(100, 10) }) => ({
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [
      { type: 'text', text, citations: null },
      ...calls.map(({ arguments: input, id, name }) => ({ type: 'tool_use', id, name, input })),
    ],
    stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage,
  }),
  stream: (turn) => toMessageEvents({ content: [], ...messages.whole(turn) }).map(named),
};

const chat: WireFormat = {
  usage: (input, output, total) => ({ prompt_tokens: input, completion_tokens: output, total_tokens: total }),
  whole: (turn) => ({ ...wholeChat('m', toTurn(turn)), ...usageOf(turn) }),
  stream: (turn) => {
    const chunks = streamChat('m', toTurn(turn));
    return chunks.map((chunk) => event('usage' in chunk ? { ...chunk, ...usageOf(turn) } : chunk));
  },
};

const gemini: WireFormat = {
  usage: (input, output, total) => ({
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: total,
  }),
  whole: ({ calls = [], text, usage = gemini.usage(100, 10, 110) }) => ({
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text },
            ...calls.map(({ arguments: args, id, name }) => ({ functionCall: { id, name, args } })),
          ],
        },
        finishReason: 'STOP',
        index: 0,
      },
    ],
    usageMetadata: usage,
  }),
  stream: ({ text, ...turn }) => {
    const [first = '', ...words] = text.split(/(?<= )/);
    const piece = (word: string): Fields => ({
      candidates: [{ content: { role: 'model', parts: [{ text: word }] }, index: 0 }],
    });
    return [first, ...words.slice(0, -1)]
      .map((word) => event(piece(word)))
      .concat(event(gemini.whole({ ...turn, text: words.at(-1) ?? '' })));
  },
};

function toTurn({ calls = [], text }: SaidTurn): Parameters<typeof streamChat>[1] {
  return {
    id: '1',
    text,
    calls: calls.map(({ arguments: given, id, name }) => ({
      id,
      tool: { name },
      arguments: JSON.stringify(given),
    })),
  };
}

function usageOf({ usage }: SaidTurn): Fields {
  return usage === undefined ? {} : { usage };
}

const apiKey = 'none';

function ofAiSdk(
  name: string,
  format: WireFormat,
  model: (fetch: typeof globalThis.fetch) => AiSdkModel,
): ProviderFormat {
  return {
    ...format,
    name,
    isNative: false,
    adapter: (fetch, options = {}) => aiSdk({ model: model(fetch), ...options }),
  };
}

/** Every adapter that asks a provider, with every package that its tests have. */
export const providerFormats: readonly ProviderFormat[] = [
  {
    ...responses,
    name: 'openai()',
    isNative: true,
    adapter: (fetch, options = {}) => openai({ model: 'gpt-5', apiKey, fetch, ...options }),
  },
  {
    ...messages,
    name: 'anthropic()',
    isNative: true,
    adapter: (fetch, options = {}) => anthropic({ model: 'm', apiKey, fetch, ...options }),
  },
  ofAiSdk('aiSdk(), OpenAI Responses', responses, (fetch) => createOpenAI({ apiKey, fetch })('gpt-5')),
  ofAiSdk('aiSdk(), OpenAI Chat', chat, (fetch) => createOpenAI({ apiKey, fetch }).chat('m')),
  ofAiSdk('aiSdk(), OpenAI Responses of AI SDK 6', responses, (fetch) =>
    createOpenAIV3({ apiKey, fetch })('gpt-5'),
  ),
  ofAiSdk('aiSdk(), OpenAI Chat of AI SDK 6', chat, (fetch) => createOpenAIV3({ apiKey, fetch }).chat('m')),
  ofAiSdk('aiSdk(), compatible servers', chat, (fetch) =>
    createOpenAICompatible({
      name: 'local',
      baseURL: 'http://127.0.0.1:1/v1',
      fetch,
      includeUsage: true,
    }).chatModel('m'),
  ),
  ofAiSdk('aiSdk(), Anthropic', messages, (fetch) => createAnthropic({ apiKey, fetch })('claude-sonnet-4-5')),
  ofAiSdk('aiSdk(), Google', gemini, (fetch) => createGoogle({ apiKey, fetch })('gemini-2.5-flash')),
];

export const ping: string = named({ type: 'ping' });
