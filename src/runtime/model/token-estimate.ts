import type { ConversationItem, InputPart, TokenUsage } from '../../tool/index.ts';
import type { ModelRequest, ModelTurn } from './model.ts';
import { findTurnFault } from './turn-fault.ts';

/** ASCII characters for one token, about what tokenizers make of English and of code. */
const charactersPerToken = 4;
/** Tokens of one image or file; what providers take for one differs by more than its size tells. */
const tokensPerMedia = 1_000;

/** Items and tools of a conversation do not change, so each is gone through once. */
const known = new WeakMap<object, number>();

/**
 * What a turn took about, for a budget, where the provider does not report it: a token for four ASCII characters, one for any other
 * character, and 1,000 for an image or a file. Reasoning that a provider hides is not in it.
 */
export function estimateUsage(
  { instructions, conversation, tools }: Pick<ModelRequest, 'instructions' | 'conversation' | 'tools'>,
  turn: ModelTurn,
): TokenUsage {
  let inputTokens = tokensIn(instructions);
  for (const item of conversation) inputTokens += onceFor(item, () => tokensOf(item));
  for (const tool of tools) inputTokens += onceFor(tool, () => tokensIn(JSON.stringify(tool)));
  // Of an answer that cannot be used nothing is known.
  const isReadable = findTurnFault(turn) === undefined;
  return {
    inputTokens,
    outputTokens: isReadable ? tokensOf({ type: 'assistant', content: turn.content }) : 0,
  };
}

function onceFor(key: object, count: () => number): number {
  const before = known.get(key);
  if (before !== undefined) return before;
  const tokens = count();
  known.set(key, tokens);
  return tokens;
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
