import { type Fields, objectsIn, textOf } from './fields.ts';
import type { OfferedTool, Progress, Turn } from './script.ts';

/** The Chat interface. */
export function readChat(body: Fields): {
  readonly tools: readonly OfferedTool[];
  readonly progress: Progress;
} {
  const messages = objectsIn(body['messages']);
  return {
    tools: objectsIn(body['tools']).map((tool) => ({ name: textOf(Object(tool['function']).name) })),
    progress: {
      results: messages.filter(({ role }) => role === 'tool').length,
      answers: messages.filter(
        ({ role, tool_calls: calls }) => role === 'assistant' && objectsIn(calls).length === 0,
      ).length,
    },
  };
}

const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };

/** The chunks of a streamed answer. */
export function streamChat(model: unknown, turn: Turn): readonly Fields[] {
  const { calls, text } = turn;
  const chunk = (delta: Fields, finishReason: string | null = null): Fields => ({
    id: `chatcmpl-${turn.id}`,
    object: 'chat.completion.chunk',
    created: 1,
    model,
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  });
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  return [
    chunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chunk({ content })),
    ...calls.map(({ id, tool: { name }, arguments: given }, index) =>
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: given } }] }),
    ),
    chunk({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    { ...chunk({}), choices: [], usage },
  ];
}

/** A whole answer. */
export function wholeChat(model: unknown, turn: Turn): Fields {
  const { calls, text } = turn;
  const toolCalls = calls.map(({ id, tool: { name }, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }));
  return {
    id: `chatcmpl-${turn.id}`,
    object: 'chat.completion',
    created: 1,
    model,
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text,
          ...(toolCalls.length > 0 ? { tool_calls: toolCalls } : {}),
        },
        finish_reason: toolCalls.length > 0 ? 'tool_calls' : 'stop',
      },
    ],
    usage,
  };
}
