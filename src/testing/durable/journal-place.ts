import type { RunJournal } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { Clock } from '../../core/session/index.ts';

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
