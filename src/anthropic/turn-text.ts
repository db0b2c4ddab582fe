import type { Fields } from '../provider/internal.ts';
import { restoreText, type SchemaProjection } from '../schema/index.ts';
import type { AssistantPart } from '../tool/index.ts';
import { isHosted } from './wire.ts';

/**
 * What the text blocks of one message come to. An answer by a schema is the text behind the last thing that ran at the
 * provider, in the shape of that schema; what the model said on the way there is no part of it. Any other text is all of it.
 */
export class TurnText {
  /** The text of the turn. */
  readonly whole: string;
  readonly #starts = new Map<unknown, number>();
  readonly #parts = new Map<unknown, AssistantPart>();

  constructor(blocks: readonly Fields[], answerSchema: SchemaProjection | undefined) {
    const isFinal = !blocks.some(({ type }) => type === 'tool_use');
    const answer = isFinal ? answerSchema : undefined;
    const lastHosted = answer === undefined ? -1 : blocks.findLastIndex(isHosted);
    let text = '';
    let lastBlock: Fields | undefined;
    for (const [index, block] of blocks.entries()) {
      if (block['type'] !== 'text' || typeof block['text'] !== 'string' || block['text'] === '') continue;
      if (index < lastHosted) {
        this.#parts.set(block, { type: 'reasoning', text: block['text'] });
        continue;
      }
      this.#parts.set(block, { type: 'text', text: block['text'] });
      this.#starts.set(block, text.length);
      text += block['text'];
      lastBlock = block;
    }
    this.whole = restoreText(text, answer);
    if (this.whole === text) return;
    // Nothing stands any more where it stood.
    for (const block of this.#starts.keys()) this.#parts.delete(block);
    this.#starts.clear();
    this.#parts.set(lastBlock, { type: 'text', text: this.whole });
  }

  partsOf(block: Fields): readonly AssistantPart[] {
    const part = this.#parts.get(block);
    return part === undefined ? [] : [part];
  }

  /** Where the text of a block begins in that of the turn; undefined for one that is no part of it. */
  startOf(block: unknown): number | undefined {
    return this.#starts.get(block);
  }
}
