import type { ConversationItem, InputPart, TokenUsage } from '../../tool/index.ts';
import { findTurnFault } from './check-turn.ts';
import type { ModelRequest, ModelTurn } from './model.ts';

/** ASCII characters for one token, about what tokenizers make of English and of code. */
const charactersPerToken = 4;
/** Tokens of one image or file; what providers count for one differs by more than its size. */
const tokensPerMedia = 1_000;

/** What of a request counts. */
export interface EstimatedRequest extends Pick<ModelRequest, 'instructions' | 'conversation'> {
  readonly tools: readonly object[];
}

/**
 * Estimates what the turns of a run took, for a budget, where the provider does not report it: a token for four ASCII
 * characters, one for any other character, and 1,000 for an image or a file. Reasoning that a provider hides is not in it. Counts each
 * item of the conversation once.
 */
export class TokenEstimate {
  #countedItems = 0;
  #conversationTokens = 0;
  #instructions = { text: '', tokens: 0 };
  #tools: { readonly list: EstimatedRequest['tools']; readonly tokens: number } = { list: [], tokens: 0 };

  /** Items of the conversation were changed or left out: all of it is counted again. */
  reset(): void {
    this.#countedItems = 0;
    this.#conversationTokens = 0;
  }

  /** @param request that `turn` answers; its conversation is that of the run. */
  usageOf({ instructions, conversation, tools }: EstimatedRequest, turn: ModelTurn): TokenUsage {
    for (const item of conversation.slice(this.#countedItems)) this.#conversationTokens += tokensOf(item);
    this.#countedItems = conversation.length;
    if (instructions !== this.#instructions.text) {
      this.#instructions = { text: instructions, tokens: tokensIn(instructions) };
    }
    if (tools !== this.#tools.list) {
      this.#tools = { list: tools, tokens: sum(tools.map((tool) => tokensIn(JSON.stringify(tool)))) };
    }
    // Of an answer that cannot be used nothing is known.
    const isReadable = findTurnFault(turn) === undefined;
    return {
      inputTokens: this.#conversationTokens + this.#instructions.tokens + this.#tools.tokens,
      outputTokens: isReadable ? tokensOf({ type: 'assistant', content: turn.content }) : 0,
    };
  }
}

function tokensOf(item: ConversationItem): number {
  switch (item.type) {
    case 'user':
      return sum(item.content.map(tokensOfPart));
    case 'tool-result':
      return tokensIn(item.text) + (item.attachments?.length ?? 0) * tokensPerMedia;
    case 'approval':
      return tokensIn(item.reason ?? '');
    case 'assistant':
      return sum(
        item.content.map((part) =>
          'text' in part ? tokensIn(part.text) : tokensIn(part.name + part.arguments),
        ),
      );
  }
}

function tokensOfPart(part: InputPart): number {
  return part.type === 'text' ? tokensIn(part.text) : tokensPerMedia;
}

function tokensIn(text: string): number {
  let others = 0;
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) > 0x7f) others += 1;
  return Math.ceil((text.length - others) / charactersPerToken) + others;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
