import type { ShownSection } from '../prompt/index.ts';
import type { ConversationItem, TokenUsage } from '../tool/index.ts';

/** Where a run stands: plain data, enough to go on from. */
export interface LoopState {
  /** Model calls made so far. */
  turn: number;
  /** Grows at its end only. */
  readonly conversation: ConversationItem[];
  usage: TokenUsage;
  /** What calls showed by opening sections, call by call. Grows at its end only. */
  readonly openings: (readonly ShownSection[])[];
  /** How often handlers wanted sections to be opened. */
  expansions: number;
  /** How often the model was asked again because its answer could not be read. */
  outputRepairs: number;
}
