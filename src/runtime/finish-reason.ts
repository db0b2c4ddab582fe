import type { FinishReason } from '../tool/index.ts';

/** False for an answer that was cut off or refused: it claims nothing, and what it needs is not to be told what is wrong. */
export function isClaimed(finishReason: FinishReason): boolean {
  return finishReason !== 'length' && finishReason !== 'refusal' && finishReason !== 'content-filter';
}
