import { ModelResponseError } from '../../error/index.ts';
import type { ConversationItem, FinishReason, ToolCallPart } from '../../tool/index.ts';
import type { ModelTurn } from './model.ts';

const unclaimed: readonly FinishReason[] = ['length', 'context-window', 'refusal', 'content-filter'];

/** False for an answer that was cut off or refused: it claims nothing, and what it needs is not to be told what is wrong. */
export function isClaimed(finishReason: FinishReason): boolean {
  return !unclaimed.includes(finishReason);
}

/**
 * Whether a call of a turn may have been cut off within its arguments, so that it must not be run. What the provider says of the call decides.
 * Where it says nothing, and the turn did not come to its own end, these count as cut off: the last call, because the model writes one
 * after the other, and any call whose arguments are empty or not JSON. Arguments that look whole prove nothing: providers put `{}` in
 * the place of what did not come.
 */
export function isCutOff(part: ToolCallPart, { content, finishReason }: ModelTurn): boolean {
  if (part.isComplete !== undefined) return !part.isComplete;
  if (isClaimed(finishReason)) return false;
  return content.findLast(({ type }) => type === 'tool-call') === part || !isJson(part.arguments);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The last answer of a run, as far as it matters whether it is one. */
interface FinalAnswer {
  /** Its text, with that of the turns before it that the provider paused. */
  readonly text: string;
  readonly finishReason: FinishReason;
  /** Whether it brought something else: what hosted tools came to, or files that the model made. */
  readonly hasOutputs: boolean;
}

/**
 * What is wrong with an answer that says nothing; undefined for an answer. Nothing may be said where the provider names a refusal or a filter, and by a model
 * that ends its turn right after a call of it has succeeded: what it was to do is done, and some models leave it at that.
 *
 * @param conversation with the answer as its last item.
 */
export function findNoAnswer(
  { text, finishReason, hasOutputs }: FinalAnswer,
  conversation: readonly ConversationItem[],
): ModelResponseError | undefined {
  if (hasOutputs || text.trim() !== '') return undefined;
  if (finishReason === 'refusal' || finishReason === 'content-filter') return undefined;
  if (finishReason === 'stop' && followsSuccess(conversation)) return undefined;
  return noAnswer(conversation, finishReason);
}

/** The error of a run whose last answer says nothing. */
export function noAnswer(
  conversation: readonly ConversationItem[],
  finishReason: FinishReason,
): ModelResponseError {
  const answer = conversation.at(-1);
  const hasThought = answer?.type === 'assistant' && answer.content.some(({ type }) => type === 'reasoning');
  const what = hasThought ? 'reasoning and no text' : 'neither text nor calls';
  const why =
    finishReason === 'length'
      ? ' It was cut off by the limit on its length: raise maxOutputTokens, or have the model think less.'
      : '';
  return new ModelResponseError(
    'model-response-empty',
    `It holds ${what} (finish reason ${finishReason}).${why}`,
    { details: { finishReason } },
  );
}

/** Whether a call succeeded that the last item of the model answers to. */
function followsSuccess(conversation: readonly ConversationItem[]): boolean {
  for (let index = conversation.length - 2; index >= 0; index -= 1) {
    const item = conversation[index];
    if (item?.type !== 'tool-result') return false;
    if (!item.isError) return true;
  }
  return false;
}
