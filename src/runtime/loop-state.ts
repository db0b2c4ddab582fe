import type { ConversationItem, TokenUsage } from '../tool/index.ts';

/** Where a run stands: plain data, enough to go on from. */
export interface LoopState {
  /** Model calls made so far. */
  turn: number;
  /** Grows at its end only. */
  readonly conversation: ConversationItem[];
  usage: TokenUsage;
  /** How often the model was asked again because its answer could not be read. */
  outputRepairs: number;
}
