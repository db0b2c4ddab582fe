import type { ConversationItem, InputPart, TokenUsage } from '../../tool/index.ts';
import { findTurnFault } from './check-turn.ts';
import type { ModelRequest, ModelTurn } from './model.ts';

/** Tokens of one image or file; what providers count for one differs by more than its size. */
const tokensPerMedia = 1_000;
/** ASCII characters for one token, about what tokenizers make of English and of code. */
export const defaultCharactersPerToken = 4;

/** What of a request counts. */
export interface EstimatedRequest extends Pick<ModelRequest, 'instructions' | 'conversation'> {
  readonly tools: readonly object[];
}

/**
 * Estimates tokens where a provider does not report them, or has not yet: one for `charactersPerToken` ASCII characters, one for any other character,
 * and 1,000 for an image or a file. Reasoning that a provider hides is not in it. Counts each item of the conversation once.
 */
export class TokenEstimate {
  readonly #charactersPerToken: number;
  #countedItems = 0;
  #conversationTokens = 0;
  #instructions = { text: '', tokens: 0 };
  #tools: { readonly list: EstimatedRequest['tools']; readonly tokens: number } = { list: [], tokens: 0 };

  /** @param charactersPerToken what the model has, on average. */
  constructor(charactersPerToken: number = defaultCharactersPerToken) {
    this.#charactersPerToken = charactersPerToken;
  }

  /** Items of the conversation were changed or left out: all of it is counted again. */
  reset(): void {
    this.#countedItems = 0;
    this.#conversationTokens = 0;
  }

  /** @param request that `turn` answers; its conversation is that of the run. */
  usageOf(request: EstimatedRequest, turn: ModelTurn): TokenUsage {
    const inputTokens = this.inputOf(request);
    // Of an answer that cannot be used nothing is known.
    const isReadable = findTurnFault(turn) === undefined;
    return {
      inputTokens,
      outputTokens: isReadable ? this.ofItem({ type: 'assistant', content: turn.content }) : 0,
    };
  }

  /** The tokens of a request. Its conversation is that of the last one, grown at its end. */
  inputOf({ instructions, conversation, tools }: EstimatedRequest): number {
    for (const item of conversation.slice(this.#countedItems)) this.#conversationTokens += this.ofItem(item);
    this.#countedItems = conversation.length;
    return this.#conversationTokens + this.besideConversation({ instructions, tools });
  }

  /** The tokens of what comes before the conversation of a request. */
  besideConversation({ instructions, tools }: Omit<EstimatedRequest, 'conversation'>): number {
    if (instructions !== this.#instructions.text) {
      this.#instructions = { text: instructions, tokens: this.ofText(instructions) };
    }
    if (tools !== this.#tools.list) {
      this.#tools = { list: tools, tokens: sum(tools.map((tool) => this.ofText(JSON.stringify(tool)))) };
    }
    return this.#instructions.tokens + this.#tools.tokens;
  }

  /** The tokens of one item. */
  ofItem(item: ConversationItem): number {
    switch (item.type) {
      case 'user':
        return sum(item.content.map((part) => this.#ofPart(part)));
      case 'tool-result':
        return this.ofText(item.text) + (item.attachments?.length ?? 0) * tokensPerMedia;
      case 'approval':
        return this.ofText(item.reason ?? '');
      case 'assistant':
        return sum(
          item.content.map((part) => this.ofText('text' in part ? part.text : part.name + part.arguments)),
        );
    }
  }

  /** The tokens of a text. */
  ofText(text: string): number {
    let others = 0;
    for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) others += 1;
    return Math.ceil((text.length - others) / this.#charactersPerToken) + others;
  }

  #ofPart(part: InputPart): number {
    return part.type === 'text' ? this.ofText(part.text) : tokensPerMedia;
  }
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
