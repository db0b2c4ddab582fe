import type { JournalOpening } from './life.ts';
import type { DurableFiles, DurableOutcome } from './outcome.ts';

/** Options of `durableConformance`. */
export interface DurableConformanceOptions {
  /** Begins the names of the cases. */
  readonly name: string;
  /** How the processes of the cases open the journal. */
  readonly open: JournalOpening;
  /** Where the files of the agent are. Default: both. */
  readonly files?: readonly DurableFiles[];
  /** At how many points a case kills, spread over all points of its kind: 1 or more, `Infinity` for each of them. Default: 4. */
  readonly killsPerCase?: number;
  /** Which points are chosen: an integer. Default: 1. */
  readonly seed?: number;
  /** Called when a run has ended that was killed or stopped. Must not throw. Default: nothing. */
  readonly onOutcome?: (outcome: { [Name in keyof DurableOutcome]: DurableOutcome[Name] }) => void;
}
