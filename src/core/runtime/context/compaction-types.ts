import type { ConversationEdit } from '../observer/observed.ts';

/** When a conversation is compacted, and to what. */
export interface CompactionThresholds {
  /** A request that would take more is compacted. */
  readonly atInputTokens: number;
  /** What it takes then, at most three quarters of `atInputTokens`. */
  readonly toInputTokens: number;
}

/** What became of a conversation before a request. */
export interface MadeCompaction {
  readonly edits: readonly ConversationEdit[];
  readonly inputTokensBefore: number;
  readonly inputTokensAfter: number;
}
