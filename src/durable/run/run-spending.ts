import { describeError, PromptValidationError } from '../../core/error/index.ts';
import type {
  BudgetSpends,
  RunShare,
  SharedBudget,
  SpendingHooks,
  SpendingRun,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { JournalWriter, SpendingRows } from '../rows/journal-writer.ts';
import type { RunHooksParts } from './run-hooks.ts';

/** What a {@link RunSpending} has of its run. */
export interface RunSpendingParts
  extends Pick<RunHooksParts, 'journal' | 'lease' | 'runId' | 'options' | 'resumed'> {
  readonly clock: Pick<Clock, 'now'>;
  readonly writer: () => JournalWriter;
}

/**
 * What a run with a journal spends of budgets that it shares with other runs. Every process that is killed, at any time, leaves a budget as it is:
 *
 * - an answer whose row is durable is counted in the same transaction, once: it is not counted again when the rows answer;
 * - an answer whose row is not durable is counted by no one, as the run does not know of it either;
 * - what is reserved stays so until the lease has ended.
 */
export class RunSpending implements SpendingHooks, SpendingRows {
  readonly #parts: RunSpendingParts;
  readonly #shares = new Map<SharedBudget, Promise<RunShare>>();
  #opened: readonly RunShare[] = [];

  constructor(parts: RunSpendingParts) {
    this.#parts = parts;
  }

  async shareOf(budget: SharedBudget): Promise<RunShare> {
    const known = this.#shares.get(budget);
    if (known !== undefined) return known;
    const opening = this.#open(budget);
    this.#shares.set(budget, opening);
    return opening;
  }

  unwritten(): readonly BudgetSpends[] {
    return this.#opened.flatMap((share) => share.unwritten());
  }

  written(spends: readonly BudgetSpends[]): void {
    for (const share of this.#opened) share.written(spends);
  }

  /** The run has ended. Never rejects. */
  async end(): Promise<void> {
    await Promise.all(this.#opened.map((share) => share.end()));
  }

  async #open(budget: SharedBudget): Promise<RunShare> {
    const share = await budget['~open'](this.#run());
    this.#opened = [...this.#opened, share];
    return share;
  }

  #run(): SpendingRun {
    const { journal, lease, runId, options, resumed, clock, writer } = this.#parts;
    const ledger = (): NonNullable<typeof journal.ledger> => {
      if (journal.ledger !== undefined) return journal.ledger;
      throw new PromptValidationError('The journal of the run has no ledger.', {
        details: { option: 'journal' },
      });
    };
    return {
      runId,
      journal,
      now: () => clock.now(),
      isRepeating: () => resumed !== undefined && !resumed.isUsedUp,
      flush: () => writer().flush(),
      reserve: (request) => writer().untilDone(() => ledger().reserve(request, lease)),
      spendLate: async (spends) => {
        try {
          // The lease names this process, so that another one does not write the same source.
          await ledger().spend(`${runId} after its end ${lease.owner}`, spends);
        } catch (error) {
          options.logger?.warn('What a run has spent after its end could not be counted.', {
            budget: spends.budget,
            runId,
            error: describeError(error),
          });
        }
      },
    };
  }
}
