import { JournalFencedError, SessionBusyError } from '../../core/error/index.ts';
import {
  inboxOf,
  type JournalBatch,
  type JournaledRun,
  type JournalRow,
  listRuns,
  type RunFilter,
  type RunInbox,
  type RunJournal,
  type RunLease,
  type RunLeaseIdentity,
  type RunMessage,
  type RunSummary,
  rowsWith,
} from '../../core/runtime/index.ts';
import { randomIds, systemClock } from '../../core/session/index.ts';
import { MemoryLedger } from './memory-ledger.ts';

interface KeptRun {
  readonly sessionId: string;
  readonly rows: JournalRow[];
  summary: RunSummary;
  readonly messages: RunMessage[];
  /** Ids of all messages that the run ever had. */
  readonly messageIds: Set<string>;
}

type OnMessage = (inbox: RunInbox) => void;

/**
 * A journal in memory, for tests: runs outlive the session and the evaluation, but not the process. Leases last until they are released.
 *
 * @see docs/spec/durable-runs.md §1
 */
export function memoryJournal(): RunJournal {
  return new MemoryJournal();
}

class MemoryJournal implements RunJournal {
  readonly #runs = new Map<string, KeptRun>();
  readonly #owners = new Map<string, RunLease>();
  readonly #controllers = new WeakMap<RunLease, AbortController>();
  readonly #watchers = new Map<string, OnMessage>();
  readonly ledger: MemoryLedger = new MemoryLedger({
    isPresent: (lease) => this.#owners.get(lease.sessionId) === lease,
    isAlive: ({ sessionId, owner }) => this.#owners.get(sessionId)?.owner === owner,
    now: () => systemClock.now(),
  });
  #epochs = 0;

  async append(batch: JournalBatch, lease: RunLease): Promise<RunInbox> {
    const { runId, rows, summary, takes = [], once = [], spends = [] } = batch;
    if (this.#owners.get(lease.sessionId) !== lease)
      throw new JournalFencedError(`The lease of the session "${lease.sessionId}" has ended.`);
    const run = this.#runs.get(runId);
    rowsWith(batch, lease.sessionId, run && { sessionId: run.sessionId, rows: run.rows.length });
    this.ledger.change(once, lease);
    for (const each of spends) this.ledger.count(runId, each);
    if (run === undefined) {
      const nothingSent = { messages: [], messageIds: new Set<string>() };
      this.#runs.set(runId, { sessionId: lease.sessionId, rows: [...rows], summary, ...nothingSent });
      return inboxOf([]);
    }
    run.rows.push(...rows);
    run.summary = summary;
    const { messages } = run;
    messages.splice(0, Infinity, ...messages.filter(({ id }) => !takes.includes(id)));
    return inboxOf(messages);
  }

  async read(runId: string, from = 0): Promise<readonly JournalRow[]> {
    return this.#runs.get(runId)?.rows.slice(from) ?? [];
  }

  async acquire(sessionId: string, ended?: RunLeaseIdentity): Promise<RunLease> {
    const held = this.#owners.get(sessionId);
    if (held !== undefined && held.owner === ended?.owner && held.epoch === ended.epoch) this.#fence(held);
    else if (held !== undefined) throw busy(sessionId);
    this.#epochs += 1;
    const controller = new AbortController();
    const lease: RunLease = Object.freeze({
      sessionId,
      owner: randomIds(),
      epoch: this.#epochs,
      signal: controller.signal,
      isHeld: () => this.#owners.get(sessionId) === lease,
      release: async () => {
        if (this.#owners.get(sessionId) === lease) this.#owners.delete(sessionId);
      },
      watch: (runId: string, onMessage: OnMessage) => {
        this.#watchers.set(runId, onMessage);
        return () => void this.#watchers.delete(runId);
      },
    });
    this.#owners.set(sessionId, lease);
    this.#controllers.set(lease, controller);
    return lease;
  }

  async revoke(sessionId: string): Promise<void> {
    const owner = this.#owners.get(sessionId);
    if (owner !== undefined) this.#fence(owner);
  }

  async send(runId: string, message: RunMessage): Promise<RunInbox | undefined> {
    const run = this.#runs.get(runId);
    if (run === undefined) return undefined;
    if (!run.messageIds.has(message.id)) {
      run.messageIds.add(message.id);
      run.messages.push(message);
    }
    const inbox = inboxOf(run.messages);
    if (inbox.waiting > 0 && this.#owners.has(run.sessionId)) this.#watchers.get(runId)?.(inbox);
    return inbox;
  }

  async messages(runId: string): Promise<readonly RunMessage[]> {
    return [...(this.#runs.get(runId)?.messages ?? [])];
  }

  async runs(filter: RunFilter = {}): Promise<readonly JournaledRun[]> {
    const runs = [...this.#runs].map(([runId, { sessionId, rows, summary }]) => {
      return { runId, sessionId, rows: rows.length, summary, isHeld: this.#owners.has(sessionId) };
    });
    return listRuns(runs, filter, systemClock.now());
  }

  async remove(runId: string, lease?: RunLease): Promise<void> {
    const run = this.#runs.get(runId);
    if (run === undefined) return;
    const owner = this.#owners.get(run.sessionId);
    if (owner !== undefined && owner !== lease) throw busy(run.sessionId);
    this.#runs.delete(runId);
  }

  #fence(lease: RunLease): void {
    this.#owners.delete(lease.sessionId);
    const message = `The lease of the session "${lease.sessionId}" was taken from its owner.`;
    this.#controllers.get(lease)?.abort(new JournalFencedError(message));
  }
}

function busy(sessionId: string): SessionBusyError {
  return new SessionBusyError(`Another owner holds the session "${sessionId}".`, { details: { sessionId } });
}
