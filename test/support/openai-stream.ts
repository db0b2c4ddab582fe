import type { CapturedAnswer } from './captured-requests.ts';

type Fields = Readonly<Record<string, unknown>>;
type Event = { readonly type: string } & Fields;

/** The events in which the provider streams a response: every item from its start to its end, and the response last. */
export function toEvents(response: Fields): readonly Event[] {
  const { output, ...rest } = response;
  const items: readonly Fields[] = Array.isArray(output) ? output : [];
  const begun = { ...rest, status: 'in_progress', output: [], usage: null };
  const status = typeof response['status'] === 'string' ? response['status'] : 'completed';
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, index) =>
      eventsOf(item).map((event) => ({ output_index: index, item_id: item['id'], ...event })),
    ),
    { type: `response.${status}`, response },
  ].map((event, index) => ({ ...event, sequence_number: index }));
}

/** The same events, but that the last one leaves the items out, as some servers do. */
export function toEventsWithoutOutput(response: Fields): readonly Event[] {
  return toEvents(response).map((event) =>
    event.type === `response.${String(response['status'])}`
      ? { ...event, response: { ...response, output: [] } }
      : event,
  );
}

/** How events go over the wire. */
export function toServerSentEvents(events: readonly Event[]): string {
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

/** An answer as the request asks for it: whole, or piece by piece. */
export function inEitherMode(response: Fields): CapturedAnswer {
  return ({ body }) =>
    body['stream'] === true
      ? new Response(toServerSentEvents(toEvents(response)), {
          headers: { 'content-type': 'text/event-stream' },
        })
      : Response.json(response);
}

function eventsOf(item: Fields): readonly Event[] {
  const { start, pieces } = takeApart(item);
  return [
    { type: 'response.output_item.added', item: { ...start, status: 'in_progress' } },
    ...pieces,
    { type: 'response.output_item.done', item },
  ];
}

/** The initial item, and the events that extend it. */
function takeApart(item: Fields): { readonly start: Fields; readonly pieces: readonly Event[] } {
  switch (item['type']) {
    case 'message':
      return { start: { ...item, content: [] }, pieces: partsOf(item['content']).flatMap(eventsOfPart) };
    case 'function_call': {
      const { arguments: text } = item;
      return {
        start: { ...item, arguments: '' },
        pieces: [
          ...deltasOf('response.function_call_arguments', text, {}),
          { type: 'response.function_call_arguments.done', arguments: text },
        ],
      };
    }
    case 'reasoning': {
      const { encrypted_content: _secret, ...known } = item;
      return {
        start: { ...known, summary: [] },
        pieces: [
          ...partsOf(item['summary']).flatMap(({ text }, index) =>
            deltasOf('response.reasoning_summary_text', text, { summary_index: index }),
          ),
          ...partsOf(item['content']).flatMap(({ text }, index) =>
            deltasOf('response.reasoning_text', text, { content_index: index }),
          ),
        ],
      };
    }
    default:
      return {
        start: item,
        pieces: [{ type: `response.${String(item['type'])}.in_progress` }],
      };
  }
}

function eventsOfPart(part: Fields, index: number): readonly Event[] {
  const { type, text, refusal, annotations } = part;
  const at = { content_index: index };
  const isRefusal = type === 'refusal';
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, [isRefusal ? 'refusal' : 'text']: '' } },
    ...deltasOf(isRefusal ? 'response.refusal' : 'response.output_text', isRefusal ? refusal : text, at),
    ...partsOf(annotations).map((annotation, number) => ({
      type: 'response.output_text.annotation.added',
      ...at,
      annotation_index: number,
      annotation,
    })),
    { type: 'response.content_part.done', ...at, part },
  ];
}

function deltasOf(type: string, text: unknown, more: Fields): readonly Event[] {
  return piecesOf(String(text)).map((delta) => ({ type: `${type}.delta`, ...more, delta }));
}

/** Pieces of up to four characters. */
function piecesOf(text: string): readonly string[] {
  const characters = [...text];
  return Array.from({ length: Math.ceil(characters.length / 4) }, (_piece, index) =>
    characters.slice(index * 4, index * 4 + 4).join(''),
  );
}

function partsOf(parts: unknown): readonly Fields[] {
  return Array.isArray(parts) ? parts : [];
}
