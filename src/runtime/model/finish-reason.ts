import type { FinishReason } from '../../tool/index.ts';

const unclaimed: readonly FinishReason[] = ['length', 'context-window', 'refusal', 'content-filter'];

/** False for an answer that was cut off or refused: it claims nothing, and what it needs is not to be told what is wrong. */
export function isClaimed(finishReason: FinishReason): boolean {
  return !unclaimed.includes(finishReason);
}
