import { type Fields, objectsIn, textOf } from './fields.ts';
import type { OfferedTool, Progress, Turn } from './script.ts';

/** The Responses interface, with the tools of servers grouped by namespace. */
export function readResponses(body: Fields): {
  readonly tools: readonly OfferedTool[];
  readonly progress: Progress;
} {
  const items = objectsIn(body['input']);
  // A message before a call is part of the same turn.
  const answers = items.filter(
    ({ type, role }, index) =>
      (type ?? 'message') === 'message' &&
      role === 'assistant' &&
      items[index + 1]?.['type'] !== 'function_call',
  );
  return {
    tools: objectsIn(body['tools']).flatMap(({ type, name, tools }) =>
      type === 'namespace'
        ? objectsIn(tools).map((tool) => ({ name: textOf(tool['name']), namespace: textOf(name) }))
        : [{ name: textOf(name) }],
    ),
    progress: {
      results: items.filter(({ type }) => type === 'function_call_output').length,
      answers: answers.length,
    },
  };
}

const usage = {
  input_tokens: 100,
  input_tokens_details: { cached_tokens: 30 },
  output_tokens: 10,
  output_tokens_details: { reasoning_tokens: 0 },
  total_tokens: 110,
};

function itemsOf(turn: Turn): readonly Fields[] {
  const { calls, text } = turn;
  return [
    ...(text === ''
      ? []
      : [
          {
            type: 'message',
            id: `msg_${turn.id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...calls.map(({ id, tool: { name, namespace }, arguments: given }) => ({
      type: 'function_call',
      id: `fc_${id}`,
      call_id: id,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      arguments: given,
      status: 'completed',
    })),
  ];
}

/** A whole answer. */
export function wholeResponse(model: unknown, turn: Turn, status = 'completed'): Fields {
  const output = status === 'completed' ? itemsOf(turn) : [];
  return { id: `resp_${turn.id}`, object: 'response', created_at: 1, status, model, output, usage };
}

/** The events of a streamed answer. */
export function streamResponse(model: unknown, turn: Turn): readonly Fields[] {
  return [
    { type: 'response.created', response: wholeResponse(model, turn, 'in_progress') },
    ...itemsOf(turn).flatMap((item, index) => [
      { type: 'response.output_item.added', output_index: index, item: { ...item, status: 'in_progress' } },
      ...(item['type'] === 'message'
        ? [
            {
              type: 'response.output_text.delta',
              item_id: item['id'],
              output_index: index,
              content_index: 0,
              delta: turn.text,
            },
          ]
        : []),
      { type: 'response.output_item.done', output_index: index, item },
    ]),
    { type: 'response.completed', response: wholeResponse(model, turn) },
  ].map((event, index) => ({ ...event, sequence_number: index }));
}
