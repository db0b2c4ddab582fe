import type { ConformanceFeature, ConformanceMode } from './peer.ts';
import type { Stage } from './stage.ts';
import type { ConformanceTurn } from './turn.ts';

/** A case, whatever the peer. */
export interface CaseDefinition {
  readonly name: string;
  /** What the provider must be able to say. Default: nothing special. */
  readonly needs?: readonly ConformanceFeature[];
  /** Default: both. */
  readonly modes?: readonly ConformanceMode[];
  /** What the provider answers, request by request; it must be asked exactly as often. */
  readonly script: readonly ConformanceTurn[];
  /** May throw: the case fails. */
  play(stage: Stage): Promise<void>;
}
