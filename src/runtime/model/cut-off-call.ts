import type { ToolCallPart } from '../../tool/index.ts';
import { isClaimed } from './finish-reason.ts';
import type { ModelTurn } from './model.ts';

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
