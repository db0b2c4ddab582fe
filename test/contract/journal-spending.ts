import { describe, expect, it } from 'vitest';
import {
  type BudgetAmounts,
  type BudgetPeriod,
  type BudgetRequest,
  type BudgetShare,
  type BudgetSpending,
  type BudgetSpends,
  JournalFencedError,
  type JournalLedger,
  type RunJournal,
  type RunLease,
} from 'weakincentives';
import { rowsOf, summaryOf } from './run-journal.ts';

/** Amounts of which the others are 0. */
export const amounts = (some: Partial<BudgetAmounts> = {}): BudgetAmounts => ({
  inputTokens: 0,
  outputTokens: 0,
  totalTokens: 0,
  costMillionths: 0,
  uncountedTurns: 0,
  ...some,
});

const day = { budget: 'tenant-1', period: '2026-01-31' } as const;
/** The largest turn so far is 100 tokens, so that a part is 4 of 125. */
const hundred = amounts({ totalTokens: 100 });

/** What a run asks for. */
export const budgetRequest = (runId: string, changes: Partial<BudgetRequest> = {}): BudgetRequest => ({
  ...day,
  kind: 'reserve',
  runId,
  limits: { totalTokens: 1_000 },
  largestTurn: hundred,
  ...changes,
});

/** What a run has spent. */
export const budgetSpends = (totalTokens: number, changes: Partial<BudgetSpends> = {}): BudgetSpends => ({
  ...day,
  spent: amounts({ totalTokens }),
  largestTurn: hundred,
  ...changes,
});

function ledgerOf({ ledger }: RunJournal): JournalLedger {
  if (ledger === undefined) throw new Error('The journal has no ledger.');
  return ledger;
}

/** What is listed of one budget in one period; without runs where nothing was spent or reserved. */
export async function spendingIn(journal: RunJournal, period: BudgetPeriod): Promise<BudgetSpending> {
  const [found, ...others] = await ledgerOf(journal).budgets(period);
  if (others.length > 0) throw new Error('More than one is listed.');
  return found ?? { ...period, spent: amounts(), reserved: amounts(), runs: 0, running: 0 };
}

/** Writes what a run has spent, with its next row. */
export async function spendRow(
  journal: RunJournal,
  lease: RunLease,
  runId: string,
  ...spends: readonly BudgetSpends[]
): Promise<void> {
  const { length } = await journal.read(runId);
  await journal.append({ runId, rows: rowsOf(length, 1), summary: summaryOf(), spends }, lease);
}

/**
 * The contract of the budgets in the ledger of a {@link RunJournal}.
 *
 * @param open makes a journal that no other test uses.
 */
export function journalSpendingContract(open: () => RunJournal): void {
  const reserve = (journal: RunJournal, lease: RunLease, request: BudgetRequest): Promise<BudgetShare> =>
    ledgerOf(journal).reserve(request, lease);
  const spendingOf = async (journal: RunJournal): Promise<readonly [number, number]> => {
    const { spent, reserved } = await spendingIn(journal, day);
    return [spent.totalTokens, reserved.totalTokens];
  };

  describe('a budget of several runs', () => {
    it('begins with nothing', async () => {
      expect(await ledgerOf(open()).budgets()).toEqual([]);
    });

    it('gives each run four turns or a fiftieth of the limit, until there is no more', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const small = { limits: { totalTokens: 1_000 }, largestTurn: amounts() };
      const first = await reserve(journal, lease, budgetRequest('a', small));
      expect(first).toEqual({
        spent: amounts(),
        upTo: amounts({ totalTokens: 20 }),
        spentByOthers: amounts(),
        reservedByOthers: amounts(),
        largestTurn: amounts(),
      });
      expect((await reserve(journal, lease, budgetRequest('b'))).upTo.totalTokens).toBe(500);
      const last = await reserve(journal, lease, budgetRequest('c'));
      expect([last.upTo.totalTokens, last.reservedByOthers.totalTokens]).toEqual([480, 520]);
      expect((await reserve(journal, lease, budgetRequest('d'))).upTo.totalTokens).toBe(0);
      expect(await spendingOf(journal)).toEqual([0, 1_000]);
    });

    it('gives the same when it is asked again', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const first = await reserve(journal, lease, budgetRequest('a'));
      expect(await reserve(journal, lease, budgetRequest('a'))).toEqual(first);
      expect(await spendingOf(journal)).toEqual([0, 500]);
    });

    it('takes what is spent out of what is reserved, with the rows of the run, and once', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await reserve(journal, lease, budgetRequest('a'));
      await spendRow(journal, lease, 'a', budgetSpends(100));
      expect(await spendingOf(journal)).toEqual([100, 400]);
      await spendRow(journal, lease, 'a', budgetSpends(100));
      await spendRow(journal, lease, 'a', budgetSpends(90));
      expect(await spendingOf(journal)).toEqual([100, 400]);
      await spendRow(journal, lease, 'a', budgetSpends(700));
      expect(await spendingOf(journal)).toEqual([700, 0]);
      const share = await reserve(journal, lease, budgetRequest('b'));
      expect([share.upTo.totalTokens, share.spentByOthers.totalTokens]).toEqual([300, 700]);
    });

    it('writes nothing of a batch that is refused', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const wrong = { runId: 'a', rows: rowsOf(3, 1), summary: summaryOf(), spends: [budgetSpends(100)] };
      await expect(journal.append(wrong, lease)).rejects.toSatisfy(JournalFencedError.isInstance);
      expect(await spendingOf(journal)).toEqual([0, 0]);
      await lease.release();
      await expect(spendRow(journal, lease, 'a', budgetSpends(100))).rejects.toThrow();
      await expect(reserve(journal, lease, budgetRequest('a'))).rejects.toSatisfy(
        JournalFencedError.isInstance,
      );
      expect(await spendingOf(journal)).toEqual([0, 0]);
    });

    it('gets back what is left when a run has ended', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await reserve(journal, lease, budgetRequest('a'));
      await spendRow(journal, lease, 'a', budgetSpends(100));
      await reserve(journal, lease, budgetRequest('a', { kind: 'give-back' }));
      expect(await spendingOf(journal)).toEqual([100, 0]);
    });

    it('keeps what is reserved while its lease is held, and frees it for who needs it after that', async () => {
      const journal = open();
      const [lease, other] = [await journal.acquire('s'), await journal.acquire('t')];
      const all = { largestTurn: amounts({ totalTokens: 200 }) };
      expect((await reserve(journal, lease, budgetRequest('a', all))).upTo.totalTokens).toBe(1_000);
      await spendRow(journal, lease, 'a', budgetSpends(100));
      expect((await reserve(journal, other, budgetRequest('b'))).upTo.totalTokens).toBe(0);
      await journal.revoke('s');
      expect(await spendingOf(journal)).toEqual([100, 0]);
      expect((await reserve(journal, other, budgetRequest('b'))).upTo.totalTokens).toBe(500);
      expect(await spendingOf(journal)).toEqual([100, 500]);
      // The run that was killed continues: what it has spent is its own.
      const again = await journal.acquire('s');
      const share = await reserve(journal, again, budgetRequest('a', all));
      expect([share.spent.totalTokens, share.upTo.totalTokens]).toEqual([100, 500]);
    });

    it('never has more reserved and spent than its limit, whoever asks at once', async () => {
      const journal = open();
      const runs = Array.from({ length: 12 }, (_, at) => `r${at}`);
      const leases = await Promise.all(runs.map((runId) => journal.acquire(runId)));
      const shares = await Promise.all(
        leases.map(async (lease, at) => {
          const runId = `r${at}`;
          const { upTo } = await reserve(journal, lease, budgetRequest(runId));
          await spendRow(journal, lease, runId, budgetSpends(upTo.totalTokens));
          return upTo.totalTokens;
        }),
      );
      expect(shares.reduce((sum, each) => sum + each, 0)).toBe(1_000);
      expect(await spendingOf(journal)).toEqual([1_000, 0]);
    });

    it('counts every amount by itself, and reserves those that are limited', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const limits = { inputTokens: 100, costMillionths: 5_000, uncountedTurns: 0 };
      const largestTurn = amounts({ inputTokens: 4, outputTokens: 7, costMillionths: 900.4 });
      const share = await reserve(journal, lease, budgetRequest('a', { limits, largestTurn }));
      expect(share.upTo).toEqual(amounts({ inputTokens: 20, costMillionths: 4_504 }));
      const spent = amounts({
        inputTokens: 1.5,
        outputTokens: 2,
        totalTokens: 3.5,
        costMillionths: 7,
        uncountedTurns: 1,
      });
      await spendRow(journal, lease, 'a', budgetSpends(0, { spent, largestTurn: spent }));
      const { spent: kept } = await spendingIn(journal, day);
      expect(kept).toEqual(spent);
      const { largestTurn: known } = await reserve(
        journal,
        lease,
        budgetRequest('b', { limits, largestTurn: amounts() }),
      );
      expect(known).toEqual(spent);
    });

    it('is one for each name and period, also in one batch, and keeps names as they are', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      const names = ['z', 'å "\'\n\u2028', '😀'];
      await spendRow(journal, lease, 'é "\'', ...names.map((budget, at) => budgetSpends(at + 1, { budget })));
      for (const [at, budget] of names.entries()) {
        const { spent } = await spendingIn(journal, { ...day, budget });
        expect(spent.totalTokens).toBe(at + 1);
      }
      const next = await spendingIn(journal, { budget: 'z', period: '2026-02-01' });
      expect(next.spent.totalTokens).toBe(0);
    });

    it('counts what comes after the end of a run, without a lease', async () => {
      const journal = open();
      const ledger = ledgerOf(journal);
      await ledger.spend('late', budgetSpends(100));
      await ledger.spend('late', budgetSpends(100));
      expect(await spendingOf(journal)).toEqual([100, 0]);
    });

    it('is listed with what it has spent, and what those have reserved who hold their lease', async () => {
      const journal = open();
      const ledger = ledgerOf(journal);
      const [lease, other] = [await journal.acquire('s'), await journal.acquire('t')];
      const names = [day, { ...day, period: '2026-02-01' }, { budget: 'Ä "\'\u0001😀', period: day.period }];
      for (const name of names) await reserve(journal, lease, budgetRequest('a', name));
      await reserve(journal, other, budgetRequest('b'));
      await spendRow(journal, lease, 'a', budgetSpends(100), budgetSpends(30, names[2]));
      await ledger.spend('late', budgetSpends(7));
      const [first, ...none] = await ledger.budgets(day);
      expect(none).toEqual([]);
      expect(first).toEqual({
        ...day,
        spent: amounts({ totalTokens: 107 }),
        reserved: amounts({ totalTokens: 900 }),
        runs: 3,
        running: 2,
        changedAtMs: expect.any(Number),
      });
      expect(Number.isInteger(first?.changedAtMs)).toBe(true);
      const all = await ledger.budgets();
      const texts = (found: readonly BudgetPeriod[]) =>
        found.map(({ budget, period }) => budget + period).sort();
      expect(texts(all)).toEqual(texts(names));
      const changes = all.map(({ changedAtMs = 0 }) => changedAtMs);
      expect(changes).toEqual(changes.toSorted((left, right) => right - left));
      expect(texts(await ledger.budgets({ period: day.period }))).toEqual(texts([day, ...names.slice(2)]));
      expect(texts(await ledger.budgets({ budget: day.budget }))).toEqual(texts(names.slice(0, 2)));
      expect(await ledger.budgets({ budget: 'another' })).toEqual([]);
      await other.release();
      expect(await ledger.budgets(day)).toMatchObject([
        { spent: { totalTokens: 107 }, reserved: { totalTokens: 400 }, runs: 3, running: 1 },
      ]);
      expect(await spendingIn(journal, names[2] ?? day)).toMatchObject({
        spent: { totalTokens: 30 },
        running: 1,
      });
    });

    it('is forgotten when nothing has changed it since a time, and no run holds a lease that reserved', async () => {
      const journal = open();
      const ledger = ledgerOf(journal);
      const [lease, other] = [await journal.acquire('s'), await journal.acquire('t')];
      const next = { ...day, period: '2026-02-01' };
      for (const name of [day, next]) await reserve(journal, lease, budgetRequest('a', name));
      await spendRow(journal, lease, 'a', budgetSpends(100), budgetSpends(200, next));
      await reserve(journal, other, budgetRequest('b', next));
      const changedAtMs = (await spendingIn(journal, day)).changedAtMs ?? 0;
      const laterMs = changedAtMs + 1_000_000;
      expect(await ledger.pruneBudgets(laterMs)).toBe(0);
      await lease.release();
      expect(await ledger.pruneBudgets(changedAtMs)).toBe(0);
      // The other run has its lease.
      expect(await ledger.pruneBudgets(changedAtMs + 1)).toBe(1);
      expect(await ledger.pruneBudgets(laterMs)).toBe(0);
      expect(await ledger.budgets()).toMatchObject([{ ...next, spent: { totalTokens: 200 }, running: 1 }]);
      expect(await spendingOf(journal)).toEqual([0, 0]);
      await reserve(journal, other, budgetRequest('b', { ...next, kind: 'give-back' }));
      expect(await ledger.pruneBudgets(laterMs)).toBe(1);
      expect(await ledger.budgets()).toEqual([]);
    });

    it('begins anew for a run that continues after it was forgotten', async () => {
      const journal = open();
      const ledger = ledgerOf(journal);
      const lease = await journal.acquire('s');
      await reserve(journal, lease, budgetRequest('a'));
      await spendRow(journal, lease, 'a', budgetSpends(100));
      await lease.release();
      expect(await ledger.pruneBudgets(Number.MAX_SAFE_INTEGER)).toBe(1);
      const again = await journal.acquire('s');
      // What its process had not written, and what comes after its end.
      await spendRow(journal, again, 'a', budgetSpends(150));
      await ledger.spend('late', budgetSpends(5));
      expect(await spendingOf(journal)).toEqual([155, 0]);
      const share = await reserve(journal, again, budgetRequest('a'));
      expect([share.spent.totalTokens, share.upTo.totalTokens]).toEqual([150, 650]);
      expect(await ledger.pruneBudgets(Number.MAX_SAFE_INTEGER)).toBe(0);
    });

    it('is forgotten as a whole or not at all, whoever spends meanwhile', async () => {
      const journal = open();
      const ledger = ledgerOf(journal);
      const spend = async (source: string, times: number): Promise<void> => {
        for (let time = 0; time < times; time += 1) await ledger.spend(source, budgetSpends(100));
      };
      const prune = async (times: number): Promise<void> => {
        for (let time = 0; time < times; time += 1) {
          await ledger.pruneBudgets(Number.MAX_SAFE_INTEGER);
          const { spent, runs } = await spendingIn(journal, day);
          expect(spent.totalTokens).toBe(100 * runs);
        }
      };
      const sources = Array.from({ length: 6 }, (_, at) => `source ${at}`);
      await Promise.all([prune(20), ...sources.map((source) => spend(source, 10))]);
      await spend('one', 1);
      await prune(1);
      expect(await ledger.budgets()).toEqual([]);
    });

    it('outlives the runs', async () => {
      const journal = open();
      const lease = await journal.acquire('s');
      await spendRow(journal, lease, 'a', budgetSpends(100));
      await lease.release();
      await journal.remove('a');
      expect(await spendingOf(journal)).toEqual([100, 0]);
    });
  });
}
