import { present } from '../../core/internal/index.ts';
import {
  type AnthropicRequest,
  type Cacheable,
  type CacheControl,
  isThinking,
  type Message,
} from './wire.ts';

/**
 * The request with cache breakpoints, at most four: after the tools, after the instructions, after the conversation, and at
 * the end of the previous request's conversation, so that a request finds that prefix regardless of how much one turn added. Marked
 * blocks are copies; the conversation is not modified.
 */
export function markPrefixes(body: AnthropicRequest, control: CacheControl): AnthropicRequest {
  const { tools, system, messages } = body;
  return {
    ...body,
    ...present({
      tools: tools === undefined ? undefined : markLast(tools, control),
      system: system === undefined ? undefined : markLast(system, control),
    }),
    messages: markMessages(messages, control),
  };
}

function markMessages(messages: readonly Message[], control: CacheControl): Message[] {
  const lastAnswer = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.map((message, index) =>
    index === messages.length - 1 || index === lastAnswer - 1 ? markMessage(message, control) : message,
  );
}

function markMessage(message: Message, control: CacheControl): Message {
  return message.role === 'user'
    ? { ...message, content: markLast(message.content, control) }
    : { ...message, content: markLast(message.content, control) };
}

/** Marks the last block that can have a breakpoint: any but thinking. */
function markLast<Entry extends Cacheable>(entries: readonly Entry[], control: CacheControl): Entry[] {
  const last = entries.findLastIndex((entry) => !isThinking(entry));
  return entries.map((entry, index) => (index === last ? { ...entry, cache_control: control } : entry));
}
