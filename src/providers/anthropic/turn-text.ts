import { restoreText, type SchemaProjection } from '../../core/schema/index.ts';
import type { AssistantPart } from '../../core/tool/index.ts';
import type { WireFields } from '../kit/index.ts';
import { isHosted } from './wire.ts';

/**
 * The text of one message. An answer with a schema is the text after the last hosted call, restored to that schema;
 * commentary before it is not part of the answer. Otherwise all text is the answer.
 */
export class TurnText {
  /** The text of the turn. */
  readonly whole: string;
  readonly #starts = new Map<unknown, number>();
  readonly #parts = new Map<unknown, AssistantPart>();

  constructor(blocks: readonly WireFields[], answerSchema: SchemaProjection | undefined) {
    const isFinal = !blocks.some(({ type }) => type === 'tool_use');
    const answer = isFinal ? answerSchema : undefined;
    const lastHosted = answer === undefined ? -1 : blocks.findLastIndex(isHosted);
    let text = '';
    let lastBlock: WireFields | undefined;
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
    // Offsets are no longer valid.
    for (const block of this.#starts.keys()) this.#parts.delete(block);
    this.#starts.clear();
    this.#parts.set(lastBlock, { type: 'text', text: this.whole });
  }

  partsOf(block: WireFields): readonly AssistantPart[] {
    const part = this.#parts.get(block);
    return part === undefined ? [] : [part];
  }

  /** The offset of a block's text in the text of the turn; undefined for a block that is not part of it. */
  startOf(block: unknown): number | undefined {
    return this.#starts.get(block);
  }
}
