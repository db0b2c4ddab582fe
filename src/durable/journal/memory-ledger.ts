import { JournalFencedError } from '../../core/error/index.ts';
import {
  answerOnce,
  type BudgetPeriod,
  type BudgetRequest,
  type BudgetShare,
  type BudgetSpending,
  type BudgetSpends,
  budgetNameOf,
  changeOnce,
  type IsAlive,
  isOverSince,
  type JournalLedger,
  type KeptOnce,
  keptOnce,
  listOnce,
  listSpendings,
  type OnceAnswer,
  type OnceCall,
  type OnceChange,
  type OnceFilter,
  type OnceKey,
  type OnceOutcome,
  type OncePurpose,
  type OnceRow,
  type RunLease,
  reserveShare,
  type SpendingRow,
  type SpendingTotal,
  settledOnce,
  spendingOf,
  spendMore,
} from '../../core/runtime/index.ts';

/** What runs spend of a budget in a period, by source. */
interface KeptBudget extends BudgetPeriod {
  total: SpendingTotal | undefined;
  readonly rows: Map<string, SpendingRow>;
}

/** The ledger of a journal in memory. */
export class MemoryLedger implements JournalLedger {
  readonly #keys = new Map<string, OnceKey & { readonly row: OnceRow }>();
  readonly #budgets = new Map<string, KeptBudget>();
  readonly #isPresent: (lease: RunLease) => boolean;
  readonly #isAlive: IsAlive;
  readonly #now: () => number;

  /** @param options `isPresent`: whether a lease is the present one of its session. `isAlive`: whether the owner of a key has its lease still. `now`: milliseconds since the Unix epoch. */
  constructor(options: {
    readonly isPresent: (lease: RunLease) => boolean;
    readonly isAlive: IsAlive;
    readonly now: () => number;
  }) {
    this.#now = options.now;
    this.#isPresent = options.isPresent;
    this.#isAlive = options.isAlive;
  }

  async once(call: OnceCall, lease: RunLease, purpose: OncePurpose): Promise<OnceAnswer> {
    if (!this.#isPresent(lease))
      throw new JournalFencedError(`The lease of the session "${lease.sessionId}" has ended.`);
    const row = this.#keys.get(nameOf(call))?.row;
    const { answer, write } = answerOnce(row, call, lease, purpose, this.#isAlive);
    if (write !== undefined) this.#write(call, write);
    return answer;
  }

  /**
   * Writes what a batch says of keys: all of it, or nothing.
   *
   * @throws {JournalFencedError}
   */
  change(changes: readonly OnceChange[], lease: RunLease): void {
    const rows = new Map<string, { readonly key: OnceKey; readonly row: OnceRow | undefined }>();
    for (const change of changes) {
      const name = nameOf(change);
      const before = rows.has(name) ? rows.get(name)?.row : this.#keys.get(name)?.row;
      rows.set(name, { key: change, row: changeOnce(before, change, lease) });
    }
    for (const { key, row } of rows.values()) this.#write(key, row);
  }

  async onceKeys(filter: OnceFilter = {}): Promise<readonly KeptOnce[]> {
    return listOnce(
      [...this.#keys.values()].map((kept) => keptOnce(kept, kept.row, this.#isAlive)),
      filter,
    );
  }

  async settleOnce(key: OnceKey, outcome: OnceOutcome): Promise<KeptOnce | undefined> {
    const row = this.#keys.get(nameOf(key))?.row;
    const kept = row && keptOnce(key, row, this.#isAlive);
    if (row !== undefined && kept?.state === 'in-doubt') this.#write(key, settledOnce(row, outcome));
    return kept;
  }

  async pruneOnce(beforeMs: number): Promise<number> {
    const pruned = [...this.#keys.values()].filter(({ row }) => row.state === 'done' && row.atMs < beforeMs);
    for (const key of pruned) this.#keys.delete(nameOf(key));
    return pruned.length;
  }

  async reserve(request: BudgetRequest, lease: RunLease): Promise<BudgetShare> {
    if (!this.#isPresent(lease))
      throw new JournalFencedError(`The lease of the session "${lease.sessionId}" has ended.`);
    const kept = this.#budget(request);
    const row = kept.rows.get(request.runId);
    const nowMs = this.#now();
    let reserved = reserveShare(kept.total, row, request, lease, nowMs);
    if (reserved.isShort) {
      const ended = [...kept.rows].flatMap(([source, each]) =>
        each.holder === undefined || source === request.runId || this.#isAlive(each.holder)
          ? []
          : [{ source, row: each }],
      );
      reserved = reserveShare(kept.total, row, request, lease, nowMs, ended);
    }
    for (const { source, row: freed } of reserved.freed) kept.rows.set(source, freed);
    kept.rows.set(request.runId, reserved.row);
    kept.total = reserved.total;
    return reserved.share;
  }

  async spend(source: string, spends: BudgetSpends): Promise<void> {
    this.count(source, spends);
  }

  async budgets(filter: Partial<BudgetPeriod> = {}): Promise<readonly BudgetSpending[]> {
    return listSpendings(this.#spendings(), filter);
  }

  async pruneBudgets(beforeMs: number): Promise<number> {
    const over = this.#spendings().filter((each) => isOverSince(each, beforeMs));
    for (const each of over) this.#budgets.delete(budgetNameOf(each));
    return over.length;
  }

  /** Counts what a source has spent. */
  count(source: string, spends: BudgetSpends): void {
    const kept = this.#budget(spends);
    const { total, row } = spendMore(kept.total, kept.rows.get(source), spends, this.#now());
    kept.rows.set(source, row);
    kept.total = total;
  }

  #spendings(): readonly BudgetSpending[] {
    return [...this.#budgets.values()].flatMap(({ budget, period, total, rows }) => {
      if (total === undefined) return [];
      const held = [...rows.values()].filter(({ holder }) => holder !== undefined && this.#isAlive(holder));
      return [spendingOf({ budget, period, total, runs: rows.size, held })];
    });
  }

  #budget({ budget, period }: BudgetPeriod): KeptBudget {
    const name = budgetNameOf({ budget, period });
    const kept: KeptBudget = this.#budgets.get(name) ?? { budget, period, total: undefined, rows: new Map() };
    this.#budgets.set(name, kept);
    return kept;
  }

  #write({ toolName, key }: OnceKey, row: OnceRow | undefined): void {
    const name = nameOf({ toolName, key });
    if (row === undefined) this.#keys.delete(name);
    else this.#keys.set(name, { toolName, key, row });
  }
}

function nameOf({ toolName, key }: OnceKey): string {
  return JSON.stringify([toolName, key]);
}
