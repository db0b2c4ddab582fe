import { type Fields, objectsIn, textOf } from './fields.ts';
import type { OfferedTool, Progress, Turn } from './script.ts';

/** The Messages interface. */
export function readMessages(body: Fields): {
  readonly tools: readonly OfferedTool[];
  readonly progress: Progress;
} {
  const messages = objectsIn(body['messages']);
  const blocks = messages.flatMap(({ content }) => objectsIn(content));
  const answers = messages.filter(
    ({ role, content }) =>
      role === 'assistant' && !objectsIn(content).some(({ type }) => type === 'tool_use'),
  );
  return {
    tools: objectsIn(body['tools']).map(({ name }) => ({ name: textOf(name) })),
    progress: {
      results: blocks.filter(({ type }) => type === 'tool_result').length,
      answers: answers.length,
    },
  };
}

const usage = {
  input_tokens: 100,
  output_tokens: 10,
  cache_creation_input_tokens: 20,
  cache_read_input_tokens: 30,
};

interface Block {
  readonly start: Fields;
  readonly deltas: readonly Fields[];
  readonly whole: Fields;
}

function blocksOf({ calls, text }: Turn): readonly Block[] {
  const words = text.match(/\S+\s*|\s+/g) ?? [];
  const said: Block = {
    start: { type: 'text', text: '' },
    deltas: words.map((word) => ({ type: 'text_delta', text: word })),
    whole: { type: 'text', text },
  };
  return [
    ...(text === '' ? [] : [said]),
    ...calls.map(({ id, tool: { name }, arguments: given }) => ({
      start: { type: 'tool_use', id: `toolu_${id}`, name, input: {} },
      deltas: [{ type: 'input_json_delta', partial_json: given }],
      whole: { type: 'tool_use', id: `toolu_${id}`, name, input: JSON.parse(given) },
    })),
  ];
}

/** The events of a streamed answer. */
export function streamMessages(model: unknown, turn: Turn): readonly Fields[] {
  const blocks = blocksOf(turn);
  const stopReason = turn.calls.length > 0 ? 'tool_use' : 'end_turn';
  const message = {
    id: `msg_${turn.id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
  };
  return [
    { type: 'message_start', message: { ...message, usage: { ...usage, output_tokens: 1 } } },
    ...blocks.flatMap(({ start, deltas }, index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: stopReason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    },
    { type: 'message_stop' },
  ];
}

/** A whole answer. */
export function wholeMessage(model: unknown, turn: Turn): Fields {
  return {
    id: `msg_${turn.id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: blocksOf(turn).map(({ whole }) => whole),
    stop_reason: turn.calls.length > 0 ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage,
  };
}
