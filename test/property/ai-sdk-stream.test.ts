import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aiSdk } from 'weakincentives/ai-sdk';
import { answeringModel, streamOf, usage } from '../support/ai-sdk-models.ts';
import { promptOf } from '../support/prompt-of.ts';

const prompt = promptOf();

const finishReason = { unified: 'stop', raw: 'stop' };
const metadata = fc.option(
  fc.record({ somebody: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.string()) }),
  {
    nil: undefined,
  },
);
const block = fc.record({
  type: fc.constantFrom('text', 'reasoning'),
  deltas: fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 4 }),
  providerMetadata: metadata,
});
/** Blocks, and how their pieces are mixed: each number says which open block continues. */
const streams = fc.record({
  blocks: fc.array(block, { minLength: 1, maxLength: 5 }),
  mix: fc.infiniteStream(fc.nat(4)),
});

type Piece = Readonly<Record<string, unknown>>;

/** The pieces of all blocks: each block's own in their order, begun in the order of the blocks. */
function mixed(queues: readonly (readonly Piece[])[], mix: Iterator<number>): readonly Piece[] {
  const left = queues.map((pieces) => [...pieces]);
  const out: Piece[] = left.flatMap((pieces) => pieces.splice(0, 1));
  while (left.some((pieces) => pieces.length > 0)) {
    const open = left.filter((pieces) => pieces.length > 0);
    const { value } = mix.next();
    const next = open[Number(value) % open.length]?.shift();
    if (next !== undefined) out.push(next);
  }
  return out;
}

describe('a stream', () => {
  it('comes to the turn that the same answer comes to when it is whole, however it is cut and mixed', async () => {
    await fc.assert(
      fc.asyncProperty(streams, async ({ blocks, mix }) => {
        // Without a text there is no answer to come to.
        fc.pre(blocks.some(({ type, deltas }) => type === 'text' && deltas.join('').trim() !== ''));
        const content = blocks.map(({ type, deltas, providerMetadata }) => ({
          type,
          text: deltas.join(''),
          ...(providerMetadata === undefined ? {} : { providerMetadata }),
        }));
        const pieces = mixed(
          blocks.map(({ type, deltas, providerMetadata }, index) => {
            // Blocks of text and of reasoning may have the same ids.
            const id = String(blocks.slice(0, index).filter((other) => other.type === type).length);
            return [
              { type: `${type}-start`, id },
              ...deltas.map((delta) => ({ type: `${type}-delta`, id, delta })),
              { type: `${type}-end`, id, ...(providerMetadata === undefined ? {} : { providerMetadata }) },
            ];
          }),
          mix[Symbol.iterator](),
        );
        const { model } = answeringModel('v4', []);
        Object.assign(model, {
          doGenerate: async () => ({ content, finishReason, usage, warnings: [] }),
          doStream: async () => ({ stream: streamOf([...pieces, { type: 'finish', finishReason, usage }]) }),
        });
        let told = '';
        const adapter = aiSdk({ model });
        const whole = await adapter.evaluate(prompt);
        const streamed = await adapter.evaluate(prompt, {
          streaming: true,
          observers: [
            {
              onEvent: (event) => {
                if (event.type === 'text-delta') told += event.text;
              },
            },
          ],
        });
        expect(streamed.conversation).toEqual(whole.conversation);
        expect(streamed.usage).toEqual(whole.usage);
        expect([...told].sort()).toEqual([...whole.text].sort());
      }),
    );
  });
});
