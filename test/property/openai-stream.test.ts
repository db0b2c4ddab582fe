import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hostedOutputsOf } from 'weakincentives';
import { openaiHostedToolCodecs } from 'weakincentives/openai';
import { HostedToolRegistry, type ModelDelta } from 'weakincentives/provider';
import { webSearchTool } from 'weakincentives/tools';
import { readStream } from '../../src/providers/openai/response/read-stream.ts';
import { readResponse } from '../../src/providers/openai/response/response.ts';
import { draws } from '../support/draws.ts';
import { functionCall, message, reasoning, response } from '../support/openai-responses.ts';
import { promptOf, runOpenAI } from '../support/openai-runs.ts';
import { toEvents, toEventsWithoutOutput } from '../support/openai-stream.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const item = fc.oneof(
  fc
    .record({ said: text, phase: fc.constantFrom('commentary', 'final_answer', null) })
    .map(({ said, phase }) => message(said, { phase })),
  fc.array(text, { maxLength: 3 }).map((parts) => reasoning('rs', ...parts)),
  fc
    .record({ callId: fc.constantFrom('c1', 'c2', ''), status: fc.constantFrom('completed', 'incomplete') })
    .map(({ callId, status }) => functionCall(callId, 'add', {}, { status })),
  text.map((refusal) => message('', { content: [{ type: 'refusal', refusal }] })),
  fc.constant({
    id: 'ws_1',
    type: 'web_search_call',
    status: 'completed',
    action: { type: 'search', query: 'x' },
  }),
  fc.constant({ id: 'x_1', type: 'of tomorrow' }),
);
const body = fc
  .record({ items: fc.array(item, { maxLength: 6 }), isCut: fc.boolean() })
  .map(({ items, isCut }) =>
    response(
      items.map((one, index) => ({ ...one, id: `item_${index}` })),
      isCut ? { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } } : {},
    ),
  );

const options = {
  provider: 'openai',
  registry: new HostedToolRegistry({ adapter: 'openai', model: 'm', codecs: openaiHostedToolCodecs }),
};
const prepared = {
  toolSchemas: new Map(),
  answerSchema: undefined,
  hostedTools: [webSearchTool()],
  asked: { turn: 1, conversation: [] },
};
const { signal } = new AbortController();

async function* from(events: readonly unknown[]): AsyncGenerator {
  yield* events;
}

describe('a streamed response', () => {
  it('is the turn that the whole response is, and tells its text', async () => {
    await fc.assert(
      fc.asyncProperty(body, fc.constantFrom(toEvents, toEventsWithoutOutput), async (whole, asEvents) => {
        const deltas: ModelDelta[] = [];
        const onDelta = (delta: ModelDelta): undefined => void deltas.push(delta);
        const turn = readResponse(whole, prepared, options);
        const streamed = await readStream(from(asEvents(whole)), { signal, onDelta });
        expect(readResponse(streamed, prepared, options)).toEqual(turn);
        const said = turn.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
        const told = deltas.flatMap((delta) => (delta.type === 'text-delta' ? [delta.text] : [])).join('');
        // Commentary is told as reasoning before anyone knows that it is all that is said.
        if (told !== '') expect(told).toBe(said);
      }),
    );
  });

  it('that ends anywhere before its end comes to no turn', async () => {
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        async (whole, part) => {
          const events = toEvents(whole);
          const cut = events.slice(0, Math.floor(events.length * part));
          await expect(readStream(from(cut), { signal, onDelta: () => undefined })).rejects.toMatchObject({
            name: 'ThrottleError',
            kind: 'server-error',
          });
        },
      ),
    );
  });
});

describe('a citation', () => {
  const search = webSearchTool();
  // Without what a link is made of.
  const prose = fc
    .string({ unit: 'grapheme', maxLength: 10 })
    .map((words) => words.replaceAll(/[[\]()]/g, '-'));
  const link = fc
    .record({ name: fc.constantFrom('a.example', 'b🌍.example'), isBracketed: fc.boolean() })
    .map(({ name, isBracketed }) => {
      const written = `[${name}](https://${name}/)`;
      return isBracketed ? `(${written})` : written;
    });
  const part = fc.array(fc.tuple(prose, link), { minLength: 1, maxLength: 3 });

  it('is a passage of the text, whether the provider counts code points or units', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 3 }),
        fc.boolean(),
        async (parts, inCodePoints) => {
          const lengthOf = (words: string): number => (inCodePoints ? [...words].length : words.length);
          const content = parts.map((passages) => {
            let written = '';
            const annotations = passages.map(([before, cited]) => {
              const start = lengthOf(written + before);
              written += `${before}${cited} `;
              return {
                type: 'url_citation',
                url: 'https://a.example/',
                title: 'A',
                start_index: start,
                end_index: start + lengthOf(cited),
              };
            });
            return { type: 'output_text', text: written, annotations };
          });
          const { result } = await runOpenAI(promptOf({ hostedTools: [search] }), [
            response([message('', { content })]),
          ]);
          const { citations } = hostedOutputsOf(result, search);
          expect(citations.map(({ span }) => span && result.text.slice(...span))).toEqual(
            parts.flatMap((passages) => passages.map(([, cited]) => cited)),
          );
        },
      ),
      { numRuns: draws(50) },
    );
  });
});
