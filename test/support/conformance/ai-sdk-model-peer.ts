import { APICallError } from '@ai-sdk/provider';
import { MockLanguageModelV3, MockLanguageModelV4 } from 'ai/test';
import { aiSdk } from 'weakincentives/ai-sdk';
import type {
  ConformanceAnswer,
  ConformanceFragment,
  ConformanceGap,
  ConformanceItem,
  ConformancePeer,
  ConformanceProvider,
  ConformanceRefusal,
  ConformanceRequest,
} from 'weakincentives/conformance';
import type { AiSdkVersion } from '../../../src/providers/ai-sdk/wire/call-options.ts';
import { call, type ModelAnswer, reasoning, streamOf, text, toPieces } from '../ai-sdk-models.ts';
import { type Fields, fieldsOf, listOf } from './fields.ts';

const gaps: readonly ConformanceGap[] = [
  { feature: 'context-window', why: 'the interface has no such reason' },
  { feature: 'paused', why: 'the interface has no such reason' },
  { feature: 'refusal', why: 'the interface has no such reason' },
  { feature: 'web-search', why: 'the package of a provider nobody knows has no hosted tools' },
  { feature: 'approvals', why: 'the package of a provider nobody knows has no hosted tools' },
  { feature: 'no-answer', why: 'the interface has no bodies' },
  { feature: 'total-usage', why: 'the interface has no total' },
];

/** The adapter on a minimal implementation of the AI SDK's model interface. */
export function aiSdkModelPeer(version: AiSdkVersion): ConformancePeer {
  return {
    name: `AI SDK, a model ${version}`,
    gaps,
    connect: async (provider) => {
      const Model = version === 'v4' ? MockLanguageModelV4 : MockLanguageModelV3;
      const model = new Model({
        provider: 'somebody.chat',
        modelId: 'model-1',
        // Answers have the shape of both versions; some are malformed on purpose.
        doGenerate: async (options: unknown) => (await generate(fieldsOf(options), provider)) as never,
        doStream: async (options: unknown) => ({ stream: stream(fieldsOf(options), provider) }) as never,
      });
      return { adapter: aiSdk({ model }), [Symbol.asyncDispose]: async () => undefined };
    },
  };
}

async function generate(options: Fields, provider: ConformanceProvider): Promise<unknown> {
  const turn = provider.answer(toRequest(options, false));
  switch (turn.type) {
    case 'answer': {
      const { unified, raw, ...answer } = toAnswer(turn);
      return { ...answer, finishReason: { unified, raw }, warnings: [] };
    }
    case 'broken-off':
      throw failure('terminated', { isRetryable: true });
    case 'hanging':
      return new Promise((_resolve, reject) => onAbort(options, provider, reject));
    case 'no-answer':
    case 'nonsense':
      return { forecast: 'rain' };
    default:
      throw toFailure(turn);
  }
}

function stream(options: Fields, provider: ConformanceProvider): ReadableStream {
  const turn = provider.answer(toRequest(options, true));
  switch (turn.type) {
    case 'answer':
      return streamOf(toPieces(toAnswer(turn)));
    case 'broken-off':
    case 'hanging': {
      const pieces = piecesOf(turn);
      return new ReadableStream({
        start: (controller) => {
          for (const piece of pieces) controller.enqueue(piece);
          if (turn.type === 'hanging') onAbort(options, provider, (reason) => controller.error(reason));
        },
        // Enqueued parts are read first.
        pull: (controller) =>
          turn.type === 'hanging' ? undefined : controller.error(new TypeError('terminated')),
      });
    }
    case 'no-answer':
    case 'nonsense':
      return streamOf([{ forecast: 'rain' }, { type: 'finish', finishReason: { unified: 'stop' } }]);
    default:
      throw toFailure(turn);
  }
}

function onAbort(
  { abortSignal }: Fields,
  provider: ConformanceProvider,
  cut: (reason: unknown) => void,
): void {
  if (!(abortSignal instanceof AbortSignal)) return;
  const cutOff = (): void => {
    provider.cutOff();
    cut(abortSignal.reason);
  };
  if (abortSignal.aborted) cutOff();
  else abortSignal.addEventListener('abort', cutOff, { once: true });
}

function toRequest(options: Fields, isStreaming: boolean): ConformanceRequest {
  const prompt = listOf(options['prompt']);
  const format = fieldsOf(options['responseFormat']);
  const choice = fieldsOf(options['toolChoice']);
  const { maxOutputTokens } = options;
  return {
    isStreaming,
    instructions: prompt
      .flatMap(({ role, content }) => (role === 'system' ? [String(content)] : []))
      .join(''),
    conversation: prompt.flatMap(({ role, content }) =>
      role === 'system' ? [] : listOf(content).flatMap((part) => toItems(part, role === 'user')),
    ),
    tools: listOf(options['tools']).map(({ name }) => String(name)),
    hostedTools: [],
    hasOutputSchema: format['type'] === 'json' && format['schema'] !== undefined,
    ...(typeof maxOutputTokens === 'number' ? { maxOutputTokens } : {}),
    ...(choice['type'] === undefined
      ? {}
      : // One of the values that the kit has, too.
        {
          toolChoice:
            choice['type'] === 'tool' ? { tool: String(choice['toolName']) } : (choice['type'] as 'auto'),
        }),
  };
}

function toItems(part: Fields, isUser: boolean): readonly ConformanceItem[] {
  const callId = String(part['toolCallId']);
  switch (part['type']) {
    case 'text':
      return [{ type: isUser ? 'user' : 'assistant', text: String(part['text']) }];
    case 'reasoning': {
      const hung = JSON.stringify(part['providerOptions']);
      return [{ type: 'reasoning', isIntact: hung === JSON.stringify(sealOf(String(part['text']))) }];
    }
    case 'tool-call': {
      const { toolName, input } = part;
      return [{ type: 'call', callId, name: String(toolName), arguments: JSON.stringify(input) }];
    }
    case 'tool-result': {
      const { type, value } = fieldsOf(part['output']);
      if (type !== 'content')
        return [{ type: 'result', callId, text: String(value), isError: type === 'error-text' }];
      const parts = listOf(value);
      const said = parts.flatMap((it) => (it['type'] === 'text' ? [String(it['text'])] : []));
      return [{ type: 'result', callId, text: said.join('') }, ...parts.flatMap(toMedia)];
    }
    default:
      return toMedia(part);
  }
}

/** Version 4 wraps the data of a file. */
function toMedia({ mediaType, data }: Fields): readonly ConformanceItem[] {
  if (typeof mediaType !== 'string') return [];
  return [
    { type: 'media', mediaType, data: typeof data === 'string' ? data : String(fieldsOf(data)['data']) },
  ];
}

/** Provider metadata of reasoning. */
const sealOf = (thought: string): Fields => ({ somebody: { seal: `sealed: ${thought}` } });

/** Counts of a report that counts nothing; the interface says that they are numbers. */
const uncountedTokens = { zeros: 0, nulls: null as unknown as number, total: undefined };

function toAnswer({
  toolCalls = [],
  finishReason,
  usage,
  uncounted,
  ...said
}: ConformanceAnswer): ModelAnswer {
  const none = uncounted && uncountedTokens[uncounted];
  const {
    inputTokens = none,
    outputTokens = none,
    cachedInputTokens,
    cacheWriteInputTokens,
    reasoningTokens,
  } = usage ?? {};
  return {
    content: [
      ...(said.reasoning === undefined
        ? []
        : [reasoning(said.reasoning, { providerMetadata: sealOf(said.reasoning) })]),
      ...(said.text === undefined ? [] : [text(said.text)]),
      ...toolCalls.map(({ callId, name, arguments: given }) => ({
        ...call('', name, given),
        toolCallId: callId,
      })),
    ],
    unified: finishReason ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
    raw: 'end',
    usage: {
      inputTokens: { total: inputTokens, cacheRead: cachedInputTokens, cacheWrite: cacheWriteInputTokens },
      outputTokens: { total: outputTokens, reasoning: reasoningTokens },
    },
  };
}

/** The parts before the answer stops: after its text, or within the arguments of its call. */
function piecesOf(turn: Exclude<ConformanceFragment, { readonly type: 'no-answer' }>): readonly object[] {
  const begun = toPieces(toAnswer({ type: 'answer', text: turn.text })).slice(0, -2);
  if (turn.type === 'hanging' || turn.toolCall === undefined) return begun;
  const { callId: id, name: toolName, arguments: given } = turn.toolCall;
  return [
    ...begun,
    { type: 'tool-input-start', id, toolName },
    { type: 'tool-input-delta', id, delta: given.slice(0, given.length / 2) },
  ];
}

function toFailure(turn: Exclude<ConformanceRefusal, { readonly type: 'nonsense' }>): APICallError {
  switch (turn.type) {
    case 'rate-limited': {
      const { retryAfterMs } = turn;
      const headers = retryAfterMs === undefined ? {} : { 'retry-after': String(retryAfterMs / 1_000) };
      return failure('Slow down.', { statusCode: 429, responseHeaders: headers });
    }
    case 'quota-exceeded':
      return failure('Pay.', {
        statusCode: 429,
        data: { error: { code: 'insufficient_quota', message: 'Pay.' } },
      });
    case 'server-error':
      return failure('Oops.', { statusCode: 500 });
    case 'context-exceeded':
      return failure('The prompt is too long.', { statusCode: 400 });
    case 'bad-request':
      return failure('What?', { statusCode: 400 });
  }
}

function failure(
  message: string,
  more: Partial<ConstructorParameters<typeof APICallError>[0]>,
): APICallError {
  return new APICallError({ message, url: 'https://provider.example', requestBodyValues: {}, ...more });
}
