import type { AnthropicMessage, Block } from './anthropic-messages.ts';
import type { CapturedAnswer } from './captured-requests.ts';

type Event = { readonly type: string } & Readonly<Record<string, unknown>>;

/** The events in which the provider streams a message. Texts and inputs come in pieces, the rest of a block at its start. */
export function toEvents({ content, ...message }: AnthropicMessage): readonly Event[] {
  const { stop_reason, stop_sequence, stop_details, container, context_management, usage, ...start } =
    message;
  const counts = isRecord(usage) ? usage : {};
  // Known at the end only.
  const { iterations, ...countsAtStart } = counts;
  return [
    {
      type: 'message_start',
      message: {
        ...start,
        content: [],
        container: null,
        stop_reason: null,
        stop_sequence: null,
        stop_details: null,
        usage: {
          ...countsAtStart,
          ...(typeof counts['output_tokens'] === 'number' && counts['output_tokens'] > 0
            ? { output_tokens: 1 }
            : {}),
          output_tokens_details: null,
        },
      },
    },
    { type: 'ping' },
    ...content.flatMap((block, index) => eventsOf(block, index)),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence, stop_details, container },
      // The provider repeats these, some of them as unknown.
      usage: {
        output_tokens: counts['output_tokens'],
        output_tokens_details: counts['output_tokens_details'] ?? null,
        iterations: iterations ?? null,
        input_tokens: null,
      },
      context_management: context_management ?? null,
    },
    { type: 'message_stop' },
  ];
}

function eventsOf(block: Block, index: number): readonly Event[] {
  const { start, deltas } = takeApart(block);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function takeApart(block: Block): { readonly start: Block; readonly deltas: readonly Block[] } {
  const { type, text, citations, thinking, signature, input } = block;
  if (type === 'text') {
    return {
      start: { ...block, text: '', citations: null },
      deltas: [
        ...(Array.isArray(citations)
          ? citations.map((citation: unknown) => ({ type: 'citations_delta', citation }))
          : []),
        ...piecesOf(String(text)).map((piece) => ({ type: 'text_delta', text: piece })),
      ],
    };
  }
  if (type === 'thinking') {
    return {
      start: { ...block, thinking: '', signature: '' },
      deltas: [
        ...piecesOf(String(thinking)).map((piece) => ({ type: 'thinking_delta', thinking: piece })),
        { type: 'signature_delta', signature },
      ],
    };
  }
  if (typeof type === 'string' && type.endsWith('tool_use')) {
    const json = typeof input === 'string' ? input : JSON.stringify(input);
    return {
      start: { ...block, input: {} },
      deltas: ['', ...piecesOf(json)].map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
    };
  }
  // A signed summary comes whole with the start of its block.
  if (type === 'compaction' && !('signature' in block)) {
    const { content, encrypted_content: sealed } = block;
    return {
      start: { type, content: null, ...(sealed === undefined ? {} : { encrypted_content: null }) },
      deltas: [
        { type: 'compaction_delta', content, ...(sealed === undefined ? {} : { encrypted_content: sealed }) },
      ],
    };
  }
  return { start: block, deltas: [] };
}

/** Three letters each, so that names and escapes are torn apart. */
function piecesOf(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / 3) }, (_, index) =>
    text.slice(index * 3, index * 3 + 3),
  );
}

/** Events as they go over the wire. */
export function toEventStream(events: readonly Event[]): Response {
  const body = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** An answer in the mode that it is asked for in. */
export function answering(message: AnthropicMessage): CapturedAnswer {
  return ({ body }) => (body['stream'] === true ? toEventStream(toEvents(message)) : Response.json(message));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
