import { present } from '../../internal/index.ts';
import type { JsonObject } from '../../schema/index.ts';
import type { JournalLedger, OnceChange } from './journal-ledger.ts';
import type { BudgetSpends } from './journal-spending.ts';
import type { RunInbox, RunMessage } from './run-inbox.ts';
import type { RunLease, RunLeaseIdentity } from './run-lease.ts';

/** One row of a run in a journal: a row of the record format as it is written, never redacted. */
export interface JournalRow {
  /** Number within the run, from 0, without gaps. */
  readonly seq: number;
  /** What kind of row it is: the member `type` of the row. */
  readonly type: string;
  /** The row as JSON on one line. */
  readonly line: string;
}

/** What the writer of a run says of it with each batch of rows, for lists. Plain JSON. */
export interface RunSummary {
  /** `running`: it has not ended, as far as its rows say, or its signal has ended it. `cancelled`: `cancelRun` has ended it for good. */
  readonly status: 'running' | 'suspended' | 'finished' | 'failed' | 'cancelled';
  readonly promptName: string;
  /** The run is the life of a tool runtime, which no one can continue with. Absent: it is an evaluation. */
  readonly isToolRuntime?: true;
  /** Name of the agent; absent when the run has the name of its prompt only. */
  readonly agent?: string;
  /** Milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  /** Milliseconds since the Unix epoch: when the last row of the batch was made. */
  readonly updatedAtMs: number;
  readonly turns: number;
  /** Calls that were committed. */
  readonly commits: number;
  /** Questions that wait for an answer. */
  readonly pending: number;
  /** When the last of these questions has expired, in milliseconds since the Unix epoch. Absent: at least one of them never does, or there is none. */
  readonly waitsUntilMs?: number;
  /** How often its process has ended without an end of the run, as far as it was resumed since. Absent: it was never interrupted, or an earlier version has written the summary. */
  readonly interruptions?: number;
  /** The folder on the host that the run works on; absent when it works on none. */
  readonly workspace?: string;
  /** What the program that runs the agent wants to find again, such as how it was called. Absent: nothing. */
  readonly info?: JsonObject;
}

/** A run as a journal lists it. */
export interface JournaledRun extends Omit<RunSummary, 'status'> {
  readonly runId: string;
  readonly sessionId: string;
  /** `interrupted`: it has not ended, and no owner holds its session: the process was killed, has lost the lease, or has stopped the run by its signal. */
  readonly status: RunSummary['status'] | 'interrupted';
  /**
   * A process can continue it now: it is interrupted, or suspended with no question left that waits for an answer. Always false for a tool runtime.
   */
  readonly isReady: boolean;
  /** Rows of the run. */
  readonly rows: number;
}

/** Rows for the end of one run. */
export interface JournalBatch {
  readonly runId: string;
  /** The rows, in order: the first one has the number of rows that the run has. */
  readonly rows: readonly JournalRow[];
  readonly summary: RunSummary;
  /** Ids of messages that the run has taken with these rows. Default: none. */
  readonly takes?: readonly string[];
  /** What becomes of keys of the ledger with these rows, in order. Only where the journal has one. Default: nothing. */
  readonly once?: readonly OnceChange[];
  /** What the run has spent of budgets with these rows: all of it in a period, not what is new. Only where the journal has a ledger. Default: nothing that the ledger does not know. */
  readonly spends?: readonly BudgetSpends[];
}

/** Which runs a journal lists, and in which order. */
export interface RunFilter {
  /** Name of the run: the journal finds it without reading the others. */
  readonly runId?: string;
  readonly sessionId?: string;
  readonly workspace?: string;
  readonly status?: JournaledRun['status'];
  /** Only those that a process can continue with now. Default: all. */
  readonly ready?: true;
  /** Only those whose last row was made before, in milliseconds since the Unix epoch. Default: all. */
  readonly updatedBeforeMs?: number;
  /** By the time of the last row: the last one first, or the first one. Default: `newest`. */
  readonly order?: 'newest' | 'oldest';
  /** At most so many, the first ones of this order; 1 or more. Default: all. */
  readonly limit?: number;
}

/**
 * Keeps the rows of runs, so that a run outlives its process. Rows are never redacted: a journal is as secret as the files that the run works on.
 *
 * @see docs/spec/durable-runs.md §1
 */
export interface RunJournal {
  /** The database that rows are in, where resources can commit in one transaction with them. @internal */
  readonly '~database'?: object;
  /** SHA-256 in hexadecimal, where the journal knows a faster one than the library has for every runtime. @internal */
  readonly '~sha256'?: (data: string | Uint8Array) => string;
  /** What tools have done once and what budgets have left, over all runs. Absent: the journal has none, and tools with `once` and budgets over several runs are refused. */
  readonly ledger?: JournalLedger;
  /**
   * Appends rows, all or none; resolves when they are durable. The epoch of the lease is checked in the same transaction, and the messages that the batch takes are taken in it.
   *
   * @returns what waits in the inbox of the run.
   * @throws {JournalFencedError} when the lease is not the session's present one, the rows do not follow the last one of the run, or a call that begins does not have its key.
   */
  append(batch: JournalBatch, lease: RunLease): Promise<RunInbox>;
  /** The rows of a run from number `from` on, in order. Default: all. Empty for an unknown run. */
  read(runId: string, from?: number): Promise<readonly JournalRow[]>;
  /**
   * Becomes the owner of a session. The journal renews the lease until it is released; a process that hangs loses it.
   *
   * @param ended the lease of an owner that has certainly ended, such as a killed process: it is taken over when it is still the session's, in the same
   * transaction. Default: none, so that the time-out of such a lease is waited for.
   * @throws {SessionBusyError} while an owner has it, also one in the same process.
   */
  acquire(sessionId: string, ended?: RunLeaseIdentity): Promise<RunLease>;
  /**
   * Takes the lease of a session from its owner, whose run ends with a `RunLostError`: at once where the journal can reach it, at its next row otherwise. Does nothing
   * when it has no owner.
   */
  revoke(sessionId: string): Promise<void>;
  /**
   * Says something to a run; resolves when that is durable. Needs no lease: the owner of the run takes it, now or later.
   *
   * @returns what waits in the inbox then; undefined for a run that the journal does not have.
   */
  send(runId: string, message: RunMessage): Promise<RunInbox | undefined>;
  /** The messages that wait for a run, in the order in which they were sent. Empty for an unknown run. */
  messages(runId: string): Promise<readonly RunMessage[]>;
  /** The runs that a filter lists. Default: all, the one that was updated last first. */
  runs(filter?: RunFilter): Promise<readonly JournaledRun[]>;
  /**
   * Removes a run with all its rows; does nothing for an unknown one.
   *
   * @throws {SessionBusyError} while its session is held by another lease than the given one.
   */
  remove(runId: string, lease?: RunLease): Promise<void>;
}

/** A run of the journal by its name; undefined for an unknown one. */
export async function findRun(
  journal: Pick<RunJournal, 'runs'>,
  runId: string,
): Promise<JournaledRun | undefined> {
  // A journal that does not know the filter returns others, too.
  return (await journal.runs({ runId })).find((run) => run.runId === runId);
}

/** The operations of a journal, for one that replaces some. */
export function journalOperations(journal: RunJournal): RunJournal {
  const { ledger } = journal;
  return {
    ...present({ ledger }),
    append: (batch, lease) => journal.append(batch, lease),
    read: (runId, from) => journal.read(runId, from),
    acquire: (sessionId, ended) => journal.acquire(sessionId, ended),
    revoke: (sessionId) => journal.revoke(sessionId),
    send: (runId, message) => journal.send(runId, message),
    messages: (runId) => journal.messages(runId),
    runs: (filter) => journal.runs(filter),
    remove: (runId, lease) => journal.remove(runId, lease),
  };
}

/** The journal, which lists each run that is written through it with other `info`. @param infoOf what it is then, from what the batch has. */
export function withRunInfo(
  journal: RunJournal,
  infoOf: (info: RunSummary['info']) => JsonObject,
): RunJournal {
  const { '~database': database, '~sha256': sha256 } = journal;
  return {
    ...journalOperations(journal),
    ...present({ '~database': database, '~sha256': sha256 }),
    append: (batch, lease) => {
      const { summary } = batch;
      return journal.append({ ...batch, summary: { ...summary, info: infoOf(summary.info) } }, lease);
    },
  };
}

/** What the next batch of a run says of it, as far as the journal knows; a run without an owner counts as running. */
export function summaryOf({
  runId: _id,
  sessionId: _session,
  rows: _rows,
  isReady: _isReady,
  ...run
}: JournaledRun): RunSummary {
  return { ...run, status: run.status === 'interrupted' ? 'running' : run.status };
}
