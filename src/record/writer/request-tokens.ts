import { spliceAll } from '../../core/internal/index.ts';
import type { ObservedRequest } from '../../core/runtime/index.ts';
import type { ConversationItem } from '../../core/tool/index.ts';
import type { RequestTokens } from '../format/rows.ts';

const charactersPerToken = 4;

/** Estimates the tokens of the parts of each request of a run, by characters. Counts each item of the conversation once. */
export class RequestEstimate {
  readonly #items: number[] = [];
  #conversation = 0;
  #tools: { readonly list: ObservedRequest['tools']; readonly tokens: number } = { list: [], tokens: 0 };

  /** The tokens of the next request of the run. */
  next({ instructions, tools, edits }: ObservedRequest): RequestTokens {
    let added = 0;
    for (const { at, remove, insert } of edits) {
      const counts = insert.map((item) => tokensIn(textOf(item)));
      const removed = spliceAll(this.#items, at, remove, counts);
      added += sum(counts);
      this.#conversation += sum(counts) - sum(removed);
    }
    if (tools !== this.#tools.list) this.#tools = { list: tools, tokens: tokensIn(JSON.stringify(tools)) };
    return {
      instructions: tokensIn(instructions),
      tools: this.#tools.tokens,
      conversation: this.#conversation,
      added,
    };
  }
}

/** An item as JSON; empty when it is nested too deep, as what a provider has parsed may be. */
function textOf(item: ConversationItem): string {
  try {
    return JSON.stringify(item);
  } catch (error) {
    if (error instanceof RangeError) return '';
    throw error;
  }
}

function tokensIn(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
