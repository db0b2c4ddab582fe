import type { StreamFn } from '@earendil-works/pi-agent-core';
import {
  type AssistantMessage,
  createAssistantMessageEventStream,
  type Model,
  parseStreamingJson,
} from '@earendil-works/pi-ai';
import type { Script } from '../harness/script.ts';

export const piModel: Model<'compare'> = {
  id: 'scripted',
  name: 'scripted',
  api: 'compare',
  provider: 'compare',
  baseUrl: '',
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 1_000,
};

/**
 * The required stream function of an agent. Arguments are read, and a stopped run is answered, as the providers of the package do.
 */
export function piStream(script: Script): StreamFn {
  return (_model, { messages }, options) => {
    if (options?.signal?.aborted === true) return abortedStream();
    const results = messages.flatMap((message) =>
      message.role === 'toolResult'
        ? [
            {
              id: message.toolCallId,
              text: message.content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
              isError: message.isError,
            },
          ]
        : [],
    );
    const { calls, text } = script.next(results, messages);
    const reason = calls.length > 0 ? ('toolUse' as const) : ('stop' as const);
    const content: AssistantMessage['content'] =
      calls.length > 0
        ? calls.map((call) => ({
            type: 'toolCall',
            id: call.id,
            name: call.name,
            arguments: parseStreamingJson(call.text),
          }))
        : [{ type: 'text', text }];
    const message = messageOf(content, script.tokens, reason);
    const stream = createAssistantMessageEventStream();
    stream.push({ type: 'done', reason, message });
    return stream;
  };
}

function abortedStream(): ReturnType<typeof createAssistantMessageEventStream> {
  const stream = createAssistantMessageEventStream();
  stream.push({ type: 'error', reason: 'aborted', error: messageOf([], 0, 'aborted') });
  return stream;
}

function messageOf(
  content: AssistantMessage['content'],
  tokens: number,
  stopReason: AssistantMessage['stopReason'],
): AssistantMessage {
  return {
    role: 'assistant',
    content,
    api: piModel.api,
    provider: piModel.provider,
    model: piModel.id,
    usage: {
      input: tokens,
      output: 0,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: tokens,
      cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
    },
    stopReason,
    timestamp: 0,
  };
}
