import type { RunJournal } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { Clock } from '../../core/session/index.ts';

/** Options of `durableConformance`. */
export interface DurableConformanceOptions {
  /** Begins the names of the cases. */
  readonly name: string;
  /** How the processes of the cases open the journal. */
  readonly open: JournalOpening;
  /** Where the files of the agent are. Default: both. */
  readonly files?: readonly DurableFiles[];
  /** Whether the journal has a `ledger`. Without one the case about what is done once is skipped, with the reason in its name. Default: true. */
  readonly ledger?: boolean;
  /** At how many points a case kills, spread over all points of its kind: 1 or more, `Infinity` for each of them. Default: 4. */
  readonly killsPerCase?: number;
  /** Which points are chosen: an integer. Default: 1. */
  readonly seed?: number;
  /** Called when a run has ended that was killed or stopped. Must not throw. Default: nothing. */
  readonly onOutcome?: (outcome: { [Name in keyof DurableOutcome]: DurableOutcome[Name] }) => void;
}

/** How to open a journal in another process. */
export interface JournalOpening {
  /**
   * URL of a module, or its absolute path. Its export `openJournal` is called with a {@link JournalPlace} and returns a `RunJournal` or a promise of it;
   * what it returns is disposed at the end when it has `Symbol.asyncDispose`. Its export `tearJournal`, if it has one, is called with the same
   * place when no process has the journal open, and leaves what remains of an append that was cut off halfway.
   */
  readonly module: string;
  /** Passed on to the module. Default: none. */
  readonly arguments?: JsonObject;
}

/** Where a journal of a case is, and how its leases last. */
export interface JournalPlace {
  /** An empty folder of the case at the first time; the journal keeps in it what other processes need to open it again. */
  readonly folder: string;
  /** `arguments` of the `JournalOpening`. */
  readonly parameters: JsonObject;
  /** Time for leases. A later process may be given one that is hours ahead, so that no case waits for a lease to run out. */
  readonly clock: Clock;
  /** How long a lease lasts that is not renewed, in milliseconds. */
  readonly leaseTimeoutMs: number;
}

/** What a module exports that opens journals for `durableConformance`. */
export interface JournalModule {
  /** Opens the journal of a case, in each of its processes once. May throw or reject: the case fails. */
  openJournal(place: JournalPlace): RunJournal | Promise<RunJournal>;
  /** Leaves what remains of an append that was cut off halfway. Absent: the journal has no such state. */
  tearJournal?(place: JournalPlace): void | Promise<void>;
}

/** Where the files of an agent are: in memory, or in a folder on a disk. */
export type DurableFiles = DurableOutcome['files'];

/** What became of a run that was killed or stopped. */
export interface DurableOutcome {
  /** Name of the case, without what begins it. */
  readonly name: string;
  readonly files: 'memory' | 'folder';
  /** Where its processes were killed or stopped, in order. */
  readonly at: readonly string[];
  /**
   * - `same`: it ended as the uninterrupted run.
   * - `in-doubt`: a call that had begun was not repeated, and the model was informed; all else is the same.
   * - `asked-again`: a person was asked twice, because the answer was not durable; all else is the same.
   */
  readonly became: 'same' | 'in-doubt' | 'asked-again';
}
