import { JournalFencedError, SessionBusyError } from '../../core/error/index.ts';
import {
  isListed,
  type JournalBatch,
  type JournaledRun,
  type JournalRow,
  listedRun,
  type RunFilter,
  type RunJournal,
  type RunLease,
  type RunLeaseIdentity,
  type RunSummary,
  rowsWith,
} from '../../core/runtime/index.ts';
import { randomIds } from '../../core/session/index.ts';

interface KeptRun {
  readonly sessionId: string;
  readonly rows: JournalRow[];
  summary: RunSummary;
}

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
  #epochs = 0;

  async append(batch: JournalBatch, lease: RunLease): Promise<void> {
    const { runId, rows, summary } = batch;
    if (this.#owners.get(lease.sessionId) !== lease)
      throw new JournalFencedError(`The lease of the session "${lease.sessionId}" has ended.`);
    const run = this.#runs.get(runId);
    rowsWith(batch, lease.sessionId, run && { sessionId: run.sessionId, rows: run.rows.length });
    if (run === undefined) this.#runs.set(runId, { sessionId: lease.sessionId, rows: [...rows], summary });
    else {
      run.rows.push(...rows);
      run.summary = summary;
    }
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
    });
    this.#owners.set(sessionId, lease);
    this.#controllers.set(lease, controller);
    return lease;
  }

  async revoke(sessionId: string): Promise<void> {
    const owner = this.#owners.get(sessionId);
    if (owner !== undefined) this.#fence(owner);
  }

  async runs(filter: RunFilter = {}): Promise<readonly JournaledRun[]> {
    return [...this.#runs]
      .map(([runId, { sessionId, rows, summary }]) =>
        listedRun(runId, { sessionId, rows: rows.length }, summary, this.#owners.has(sessionId)),
      )
      .filter((run) => isListed(run, filter))
      .sort((left, right) => right.updatedAtMs - left.updatedAtMs);
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
