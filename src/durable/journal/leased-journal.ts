import {
  assertOptions,
  describeError,
  JournalError,
  JournalFencedError,
  number,
  type OptionsOf,
  type RefuseArgument,
  WinkError,
  withDefaults,
} from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type {
  JournalBatch,
  JournaledRun,
  JournalLedger,
  JournalRow,
  RunFilter,
  RunInbox,
  RunJournal,
  RunLease,
  RunLeaseIdentity,
  RunMessage,
} from '../../core/runtime/index.ts';
import { type Clock, randomIds } from '../../core/session/index.ts';
import { assertNoneStored, blobsChecks, type JournalBlobs, journalWithBlobs } from '../blobs/index.ts';
import type { JournalBackend, LeaseKey, LeaseMoment } from './journal-backend.ts';
import { fenced } from './lease-errors.ts';
import { leasedLedger } from './leased-ledger.ts';
import { unheldClock } from './unheld-clock.ts';

/** How often a lease is renewed before it would end. */
const beatsPerTimeout = 3;

interface HeldLease {
  readonly lease: RunLease;
  readonly controller: AbortController;
  /** When it was renewed for the last time, by {@link JournalParts.timeMs}. */
  renewedMs: number;
  /** Who wants to know of messages, by run. */
  readonly watchers: Map<string, (inbox: RunInbox) => void>;
}

/** Options of {@link leasedJournal}. */
export interface LeasedJournalOptions {
  /** The tables. Disposing of the journal closes it. */
  readonly backend: JournalBackend;
  /** How long a lease lasts that is not renewed, in milliseconds; 1 or more. It is renewed three times in that time. Default: 30,000. */
  readonly leaseTimeoutMs?: number;
  /** Time for the leases, as all processes on the database see it. Default: that of the machine; its timers do not keep the process alive. */
  readonly clock?: Clock;
  /** Milliseconds since the machine has started, which all its processes have in common. Must not throw. Default: not known, so that the clock alone decides. */
  readonly tickMs?: () => number;
  /** Names this process; the backend keeps it with each lease. Default: `''`. */
  readonly holder?: string;
  /** Whether every operation that would write rejects with `journal-read-only`. Default: false. */
  readonly readOnly?: boolean;
  /** Makes the name of an owner, which no other one has. Must not throw. Default: random names. */
  readonly ids?: () => string;
  /**
   * Where rows are kept whose lines are too long for the database. All who read the journal need it. Default: the database has all, and a run with a row elsewhere is not read.
   */
  readonly blobs?: JournalBlobs;
}

/** A journal over a backend. Disposing of it releases its leases and closes the backend; it never rejects. */
export interface LeasedRunJournal extends RunJournal, AsyncDisposable {}

const checks: OptionsOf<LeasedJournalOptions, 'leaseTimeoutMs'> = {
  backend: 'object',
  leaseTimeoutMs: number({ min: 1, default: 30_000 }),
  clock: 'object',
  tickMs: 'function',
  holder: 'string',
  readOnly: 'boolean',
  ids: 'function',
  blobs: blobsChecks,
};

/**
 * A journal of runs over tables of your own: it gives leases, renews and fences them, and passes messages on, so that a backend only has to do its operations. The journals of
 * `weakincentives/sqlite` and `weakincentives/postgres` are made of it; `durableConformance` of `weakincentives/testing` tests one.
 *
 * @throws {JournalError} `journal-invalid` for an option that is unknown, missing, or out of its range.
 * @see docs/spec/durable-runs.md §1
 */
export function leasedJournal(options: LeasedJournalOptions): LeasedRunJournal {
  assertOptions('leasedJournal()', options, checks, refuse);
  if (options.backend === undefined) {
    throw new JournalError('journal-invalid', 'leasedJournal(): the option backend is missing.');
  }
  const {
    backend,
    clock = unheldClock,
    tickMs,
    holder = '',
    readOnly = false,
    ids = randomIds,
    blobs,
  } = options;
  const { leaseTimeoutMs } = withDefaults(checks, options);
  const timeMs = tickMs ?? (clock === unheldClock ? () => performance.now() : () => clock.now());
  const journal = new LeasedJournal({
    backend,
    clock,
    timeMs,
    tickMs,
    holder,
    leaseTimeoutMs,
    isReadOnly: readOnly,
    ids,
    hasBlobs: blobs !== undefined,
  });
  backend.onLoss?.((cause) => journal.loseAll(cause));
  return blobs === undefined ? journal : journalWithBlobs(journal, blobs, { clock, isReadOnly: readOnly });
}

const refuse: RefuseArgument = (message, options) => new JournalError('journal-invalid', message, options);

interface JournalParts {
  readonly backend: JournalBackend;
  readonly clock: Clock;
  /** Time that passes as the leases do: that of the machine since it has started, where it counts. */
  readonly timeMs: () => number;
  readonly tickMs: (() => number) | undefined;
  readonly holder: string;
  readonly leaseTimeoutMs: number;
  readonly isReadOnly: boolean;
  readonly ids: () => string;
  /** Whether rows may refer to contents elsewhere. */
  readonly hasBlobs: boolean;
}

/** The leases of a journal, over a backend with its tables. While it holds any, it gives the backend a beat to renew them. */
class LeasedJournal implements LeasedRunJournal {
  readonly ledger?: JournalLedger;
  readonly #parts: JournalParts;
  readonly #held = new Map<string, HeldLease>();
  #cancelBeat: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: JournalParts) {
    this.#parts = parts;
    const { ledger } = parts.backend;
    if (ledger === undefined) return;
    this.ledger = leasedLedger(ledger, {
      moment: () => this.#moment(),
      assertWritable: () => this.#assertWritable(),
      ask: (work) => this.#do(work),
      askAsOwner: (lease, work) => this.#underLease(lease, (_backend, key) => work(key)),
    });
  }

  append(batch: JournalBatch, lease: RunLease): Promise<RunInbox> {
    return this.#underLease(lease, (backend, key) => backend.append(batch, key, this.#moment()));
  }

  async #underLease<T>(
    lease: RunLease,
    work: (backend: JournalBackend, key: LeaseKey) => Promise<T>,
  ): Promise<T> {
    this.#assertWritable();
    lease.signal.throwIfAborted();
    try {
      // What follows an append may be under another lease, such as that of a folder.
      if (this.#isBeatLate()) await this.#do(() => this.#renew());
      return await this.#do((backend) => work(backend, keyOf(lease)));
    } catch (error) {
      // It was because of the lease, not of the rows.
      if (JournalFencedError.isInstance(error) && 'epoch' in error.details) this.#lose(lease.owner, error);
      throw error;
    }
  }

  async read(runId: string, from = 0): Promise<readonly JournalRow[]> {
    const rows = await this.#do((backend) => backend.read(runId, from));
    if (!this.#parts.hasBlobs) assertNoneStored(runId, rows);
    return rows;
  }

  async acquire(sessionId: string, ended?: RunLeaseIdentity): Promise<RunLease> {
    this.#assertWritable();
    const owner = this.#parts.ids();
    // A lease has a signal, which cannot be sent to a thread.
    const identity = ended === undefined ? undefined : { owner: ended.owner, epoch: ended.epoch };
    const renewedMs = this.#parts.timeMs();
    const moment = this.#moment();
    const { epoch, formerOwner } = await this.#do((backend) =>
      backend.acquire(sessionId, owner, moment, identity),
    );
    this.#fence(formerOwner);
    const controller = new AbortController();
    const watchers: HeldLease['watchers'] = new Map();
    const lease: RunLease = Object.freeze({
      sessionId,
      owner,
      epoch,
      ...present({ formerOwner }),
      signal: controller.signal,
      isHeld: () => this.#isHeld(owner),
      watch: (runId: string, onMessage: (inbox: RunInbox) => void) => {
        watchers.set(runId, onMessage);
        return () => void watchers.delete(runId);
      },
      release: () => this.#release(lease),
    });
    if (this.#isClosed) {
      await this.#release(lease);
      throw closedError();
    }
    this.#held.set(owner, { lease, controller, renewedMs, watchers });
    this.#beatLater();
    return lease;
  }

  async revoke(sessionId: string): Promise<void> {
    this.#assertWritable();
    const owner = await this.#do((backend) => backend.revoke(sessionId));
    this.#fence(owner);
  }

  async send(runId: string, message: RunMessage): Promise<RunInbox | undefined> {
    this.#assertWritable();
    const inbox = await this.#do((backend) => backend.send(runId, message));
    if (inbox !== undefined) this.#notify(runId, inbox);
    return inbox;
  }

  async messages(runId: string): Promise<readonly RunMessage[]> {
    return this.#do((backend) => backend.messages(runId));
  }

  async runs(filter: RunFilter = {}): Promise<readonly JournaledRun[]> {
    return this.#do((backend) => backend.runs(filter, this.#moment()));
  }

  async remove(runId: string, lease?: RunLease): Promise<void> {
    this.#assertWritable();
    const key = lease === undefined ? undefined : keyOf(lease);
    await this.#do((backend) => backend.remove(runId, key, this.#moment()));
  }

  /** Releases the leases and ends the use of the database; a database that was given stays open. Never rejects. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await Promise.all([...this.#held.values()].map(({ lease }) => lease.release()));
    await this.#parts.backend.close();
  }

  /** Tells the owner of a lease that it has ended. */
  #lose(owner: string, reason: JournalFencedError): void {
    const held = this.#held.get(owner);
    if (held === undefined) return;
    this.#drop(owner);
    held.controller.abort(reason);
  }

  /** All leases are lost: what holds them cannot be reached any more, or has lost what it had answered. */
  loseAll(cause: unknown): void {
    for (const { lease } of [...this.#held.values()]) {
      const { sessionId, epoch } = lease;
      this.#lose(
        lease.owner,
        new JournalFencedError(
          `The lease of the session "${sessionId}" is lost: its journal has failed. Resume the run to continue.`,
          { cause, details: { sessionId, epoch } },
        ),
      );
    }
  }

  #assertWritable(): void {
    if (!this.#parts.isReadOnly) return;
    throw new JournalError(
      'journal-read-only',
      'The journal was opened with the option readOnly. Open it without, to write to it.',
    );
  }

  /** Notifies an owner of this journal whose lease is another's now, or no one's. */
  #fence(owner: string | undefined): void {
    const lease = owner === undefined ? undefined : this.#held.get(owner)?.lease;
    if (lease !== undefined) this.#lose(lease.owner, fenced(lease));
  }

  async #release(lease: RunLease): Promise<void> {
    this.#drop(lease.owner);
    try {
      await this.#parts.backend.release(keyOf(lease));
    } catch {
      // It ends by itself when its time is up.
    }
  }

  #drop(owner: string): void {
    this.#held.delete(owner);
    if (this.#held.size > 0) return;
    this.#cancelBeat?.();
    this.#cancelBeat = undefined;
  }

  #beatLater(): void {
    const { clock, leaseTimeoutMs } = this.#parts;
    this.#cancelBeat ??= clock.schedule(leaseTimeoutMs / beatsPerTimeout, () => void this.#beat());
  }

  #isHeld(owner: string): boolean {
    const held = this.#held.get(owner);
    if (held === undefined) return false;
    const sinceMs = this.#parts.timeMs() - held.renewedMs;
    // A clock that was set back says nothing.
    return sinceMs >= 0 && sinceMs < this.#parts.leaseTimeoutMs;
  }

  /** Whether a lease should have been renewed before: the process did not run, or its thread was busy. */
  #isBeatLate(): boolean {
    const nowMs = this.#parts.timeMs();
    const { leaseTimeoutMs } = this.#parts;
    return [...this.#held.values()].some(
      ({ renewedMs }) => nowMs < renewedMs || nowMs - renewedMs > leaseTimeoutMs / 2,
    );
  }

  async #renew(): Promise<void> {
    const held = [...this.#held.values()];
    const renewedMs = this.#parts.timeMs();
    const moment = this.#moment();
    const lost = await this.#parts.backend.renew(
      held.map(({ lease }) => keyOf(lease)),
      moment,
    );
    for (const each of held) {
      if (lost.includes(each.lease.owner)) this.#lose(each.lease.owner, fenced(each.lease));
      else each.renewedMs = renewedMs;
    }
  }

  /** Tells the owner of a run in this journal what waits for it. */
  #notify(runId: string, inbox: RunInbox): void {
    if (inbox.waiting === 0) return;
    for (const { watchers } of [...this.#held.values()]) watchers.get(runId)?.(inbox);
  }

  /** Finds out what other processes have sent to the runs that are watched. */
  async #readInboxes(): Promise<void> {
    const runIds = [...this.#held.values()].flatMap(({ watchers }) => [...watchers.keys()]);
    if (runIds.length === 0) return;
    const inboxes = await this.#parts.backend.inboxes(runIds);
    for (const [at, inbox] of inboxes.entries()) this.#notify(runIds[at] ?? '', inbox);
  }

  async #beat(): Promise<void> {
    try {
      await this.#renew();
      await this.#readInboxes();
    } catch {
      // The next beat finds out whether it was too late.
    }
    this.#cancelBeat = undefined;
    if (this.#held.size > 0) this.#beatLater();
  }

  async #do<T>(work: (backend: JournalBackend) => Promise<T>): Promise<T> {
    if (this.#isClosed) throw closedError();
    try {
      return await work(this.#parts.backend);
    } catch (error) {
      throw journalFailure(error, this.#parts.backend);
    }
  }

  #moment(): LeaseMoment {
    const { clock, leaseTimeoutMs: timeoutMs, tickMs, holder } = this.#parts;
    return { nowMs: clock.now(), timeoutMs, holder, ...present({ tickMs: tickMs?.() }) };
  }
}

const keyOf = ({ sessionId, owner, epoch }: RunLease): LeaseKey => ({ sessionId, owner, epoch });

function closedError(): JournalError {
  return new JournalError('journal-closed', 'The journal was disposed. Create another one.');
}

/** What a journal rejects with when the database failed: an error of this library as it is, any other as the cause of one. */
export function journalFailure(error: unknown, backend: Pick<JournalBackend, 'isDamage'>): WinkError {
  if (WinkError.isInstance(error)) return error;
  if (backend.isDamage?.(error) === true) {
    return new JournalError(
      'journal-damaged',
      `The database of the journal is damaged: ${describeError(error)}. Restore it from a backup, or use another one.`,
      { cause: error },
    );
  }
  return new JournalError(
    'journal-failed',
    `The database of the journal failed: ${describeError(error)}. The journal can be used again when the reason is gone.`,
    { cause: error },
  );
}
