import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunJournal, RunLease } from 'weakincentives';
import { memoryJournal } from 'weakincentives/testing';
import { ledgerOf } from '../contract/journal-ledger.ts';
import { amounts, budgetRequest, budgetSpends, spendingIn, spendRow } from '../contract/journal-spending.ts';
import { draws } from '../support/draws.ts';
import { noSqlite, openDatabase, openJournal, sqliteSuite } from '../support/sqlite.ts';

/** One step of a program of runs in sessions of their own. */
interface Command {
  readonly kind: 'reserve' | 'spend' | 'spend-again' | 'give-back' | 'die' | 'spend-late' | 'prune';
  readonly run: number;
  /** Of the largest turn that the run knows, or what it spends more. */
  readonly tokens: number;
}

const runs = 4;
const limit = 1_000;
const commands: fc.Arbitrary<readonly Command[]> = fc.array(
  fc.record({
    kind: fc.constantFrom(
      'reserve',
      'spend',
      'spend-again',
      'give-back',
      'die',
      'spend-late',
      'prune',
      'reserve',
      'spend',
    ),
    run: fc.nat({ max: runs - 1 }),
    tokens: fc.constantFrom(0, 1, 10, 40, 100, 150, 400),
  }),
  { minLength: 5, maxLength: 60, size: 'max' },
);

/** What is true of a run, told in other words than the ledger has. */
interface Model {
  spent: number;
  /** Left of what it may spend; 0 where it has none. */
  rest: number;
  /** Whether it has reserved under the lease that it holds. */
  isRunning: boolean;
}

async function follow(journal: RunJournal, program: readonly Command[]): Promise<void> {
  const ledger = ledgerOf(journal);
  const leases = new Map<number, RunLease>();
  const leaseOf = async (run: number): Promise<RunLease> => {
    const lease = leases.get(run) ?? (await journal.acquire(`s${run}`));
    leases.set(run, lease);
    return lease;
  };
  const models: readonly Model[] = Array.from({ length: runs }, () => ({
    spent: 0,
    rest: 0,
    isRunning: false,
  }));
  let late = 0;
  let largest = 0;
  /** Whether something was reserved or spent since the budget was forgotten. */
  let isKnown = false;
  for (const { kind, run, tokens } of program) {
    const model = models[run];
    if (model === undefined) throw new Error('There is no such run.');
    const runId = `r${run}`;
    switch (kind) {
      case 'reserve':
      case 'give-back': {
        const request = budgetRequest(runId, { kind, largestTurn: amounts({ totalTokens: tokens }) });
        const share = await ledger.reserve(request, await leaseOf(run));
        const turn = Math.ceil(Math.max(tokens, largest) * 1.25);
        const others = models.reduce(
          (sum, each) => sum + (each === model ? 0 : each.spent + each.rest),
          late,
        );
        const free = Math.max(0, limit - others - model.spent);
        model.rest = kind === 'give-back' ? 0 : Math.min(free, Math.max(4 * turn, limit / 50));
        model.isRunning = kind === 'reserve';
        isKnown = true;
        expect(share.spent.totalTokens).toBe(model.spent);
        expect(share.upTo.totalTokens).toBe(model.spent + model.rest);
        expect(share.spentByOthers.totalTokens).toBe(
          models.reduce((sum, each) => sum + (each === model ? 0 : each.spent), late),
        );
        break;
      }
      case 'spend':
      case 'spend-again': {
        const more = kind === 'spend' ? tokens : 0;
        const spends = budgetSpends(model.spent + more, { largestTurn: amounts({ totalTokens: more }) });
        await spendRow(journal, await leaseOf(run), runId, spends);
        model.spent += more;
        isKnown = true;
        model.rest = Math.max(0, model.rest - more);
        largest = Math.max(largest, more);
        break;
      }
      case 'die':
        await leases.get(run)?.release();
        leases.delete(run);
        model.rest = 0;
        model.isRunning = false;
        break;
      case 'spend-late':
        await ledger.spend('late', budgetSpends(late + tokens, { largestTurn: amounts() }));
        late += tokens;
        isKnown = true;
        break;
      case 'prune': {
        const isPruned = isKnown && !models.some((each) => each.isRunning);
        expect(await ledger.pruneBudgets(Number.MAX_SAFE_INTEGER)).toBe(isPruned ? 1 : 0);
        if (!isPruned) break;
        for (const each of models) each.spent = 0;
        [late, largest, isKnown] = [0, 0, false];
        break;
      }
    }
    const { spent, reserved, running } = await spendingIn(journal, {
      budget: 'tenant-1',
      period: '2026-01-31',
    });
    expect(running).toBe(models.filter((each) => each.isRunning).length);
    const reservedByAlive = models.reduce((sum, { rest }) => sum + rest, 0);
    expect(spent.totalTokens).toBe(models.reduce((sum, each) => sum + each.spent, late));
    expect(reserved.totalTokens).toBe(reservedByAlive);
    // What was spent without being reserved may be more.
    if (reservedByAlive > 0 && program.every((each) => each.kind !== 'spend' && each.kind !== 'spend-late'))
      expect(spent.totalTokens + reserved.totalTokens).toBeLessThanOrEqual(limit);
  }
}

const programs = (open: () => RunJournal) => fc.asyncProperty(commands, (program) => follow(open(), program));

describe('the budgets of a ledger are what a model says, whatever runs do and whenever their processes end', () => {
  it('in memory', () => fc.assert(programs(memoryJournal), { numRuns: draws(300) }));

  it.skipIf(noSqlite !== undefined)(sqliteSuite('in SQLite'), () =>
    fc.assert(
      programs(() => openJournal({ database: openDatabase() })),
      { numRuns: draws(300) },
    ),
  );
});
