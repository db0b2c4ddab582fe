import { describeError, PromptValidationError } from '../../core/error/index.ts';
import type { EvaluateOptions } from '../../core/evaluation/index.ts';
import type {
  BudgetSpends,
  JournalLedger,
  RunJournal,
  RunLease,
  RunShare,
  SharedBudget,
  SpendingHooks,
  SpendingRun,
} from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import type { JournalWriter, SpendingRows } from '../rows/journal-writer.ts';

/** What a {@link RunSpending} has of its run. */
export interface RunSpendingParts {
  readonly journal: RunJournal;
  readonly lease: RunLease;
  readonly runId: string;
  readonly options: Pick<EvaluateOptions, 'logger'>;
  /** Undefined: it is a new run. */
  readonly resumed?: Pick<ResumedRun, 'isUsedUp'> | undefined;
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
  /** Shares are opened one after the other. */
  #opening: Promise<unknown> = Promise.resolve();

  constructor(parts: RunSpendingParts) {
    this.#parts = parts;
  }

  shareOf(budget: SharedBudget): Promise<RunShare> {
    const known = this.#shares.get(budget);
    if (known !== undefined) return known;
    const opening = this.#opening.then(() => this.#open(budget));
    this.#opening = opening.catch(() => undefined);
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

  /** Budgets of one name are one: a second share would write the same row. */
  async #open(budget: SharedBudget): Promise<RunShare> {
    const period = budget['~periodOf'](this.#parts.clock.now());
    const known = this.#opened.find((share) => share.isOf(budget.name, period));
    if (known !== undefined) return known;
    const { journal, runId } = this.#parts;
    const { ledger } = journal;
    if (ledger === undefined) {
      throw new PromptValidationError(
        `The journal of the run "${runId}" has no ledger, which would keep the budget "${budget.name}". Use one that has, such as sqliteJournal() or postgresJournal().`,
        { details: { option: 'journal', budget: budget.name } },
      );
    }
    const share = await budget['~open'](this.#run(ledger));
    this.#opened = [...this.#opened, share];
    return share;
  }

  #run(ledger: JournalLedger): SpendingRun {
    const { lease, runId, options, resumed, clock, writer } = this.#parts;
    return {
      runId,
      ledger,
      now: () => clock.now(),
      isResuming: () => resumed !== undefined && !resumed.isUsedUp,
      flush: () => writer().flush(),
      reserve: (request) => writer().untilDone(() => ledger.reserve(request, lease)),
      spendLate: async (spends) => {
        try {
          // The lease names this process, so that another one does not write the same source.
          await ledger.spend(`${runId} after its end ${lease.owner}`, spends);
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
