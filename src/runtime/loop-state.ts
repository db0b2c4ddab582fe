import type { ShownSection } from '../prompt/index.ts';
import type { ConversationItem, HostedToolReading, TokenUsage } from '../tool/index.ts';

/** Where a run stands: plain data, enough to go on from. */
export interface LoopState {
  /** Model calls made so far. */
  turn: number;
  /** Grows at its end; only tool results that had to be dropped change their text. */
  readonly conversation: ConversationItem[];
  usage: TokenUsage;
  /** What the hosted tools came to, turn by turn. Grows at its end only. */
  readonly hosted: { readonly turn: number; readonly reading: HostedToolReading }[];
  /** What calls showed by opening sections, call by call. Grows at its end only. */
  readonly openings: (readonly ShownSection[])[];
  /** How often handlers wanted sections to be opened. */
  expansions: number;
  /** How often the model was asked again because its answer could not be read. */
  outputRepairs: number;
}
