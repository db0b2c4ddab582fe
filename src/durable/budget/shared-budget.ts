import {
  assertKeptName,
  assertOptions,
  keptName,
  type OptionsOf,
  PromptValidationError,
  required,
  rule,
} from '../../core/error/index.ts';
import { BudgetTracker, type RunJournal, type SharedBudget } from '../../core/runtime/index.ts';
import type { Budget, SharedBudgetPort } from '../../core/tool/index.ts';
import { BudgetShareOfRun } from './budget-share.ts';

/** Options of {@link sharedBudget}. */
export interface SharedBudgetOptions {
  /** Where the budget is kept: the journal of its runs. It must have a ledger. Default: in the journal of each run, whichever it is, as for agents that `wink` runs. */
  readonly journal?: RunJournal;
  /** Name of the budget, 1 to 200 characters, such as that of an agent or a tenant. Budgets of one name are one budget in all processes, and within a run: give them the same period and limits. */
  readonly name: string;
  /**
   * For how long the limits hold, in UTC: a day or a month of the calendar, or a function that names the period of a time in milliseconds since the Unix epoch. A name has 1 to 200
   * characters; the same name is the same period. The function must not throw.
   */
  readonly period: 'day' | 'month' | ((atMs: number) => string);
  /** What all runs together may spend in a period: at least one limit. Prices: those of the models by default. */
  readonly limits: Budget;
}

const checks: OptionsOf<SharedBudgetOptions> = {
  journal: 'object',
  name: required(keptName),
  period: required(
    rule(
      (value) => value === 'day' || value === 'month' || typeof value === 'function',
      '"day", "month" or a function',
    ),
  ),
  limits: 'object!',
};

/**
 * A budget over several runs with a journal, at once and one after the other, in any number of processes: give it to each of them as `limits.budget`.
 *
 * A run reserves a part of what is left before it asks its model, and writes what the model took with its own rows. A turn begins only when what is reserved suffices for one that is a
 * quarter larger than the largest one so far of the period. So the limits are passed only by a turn that is larger than that, or by several evaluations of one run at the same time. A run
 * that gets no part ends as at any used-up budget, with a `BudgetExceededError` as the cause.
 *
 * @throws {PromptValidationError} for an option that is unknown, missing or out of its range, limits without one, and a journal that has no ledger.
 * @example
 * ```ts
 * import { promptTemplate, section } from 'weakincentives';
 * import { sharedBudget } from 'weakincentives/durable';
 * import { memoryJournal, scriptedAdapter } from 'weakincentives/testing';
 *
 * const journal = memoryJournal();
 * const budget = sharedBudget({ journal, name: 'tenant-1', period: 'day', limits: { maxTotalTokens: 50_000 } });
 * const greeting = section({ title: 'Task', key: 'task', template: 'Say hello.' });
 * const prompt = promptTemplate({ ns: 'demo', key: 'hello', sections: [greeting] }).bind();
 * const adapter = scriptedAdapter([{ text: 'Hello.', usage: { inputTokens: 900, outputTokens: 100 } }]);
 * await adapter.evaluate(prompt, { journal, limits: { budget } });
 * ```
 * @see docs/spec/durable-runs.md §17
 */
export function sharedBudget(options: SharedBudgetOptions): SharedBudgetPort {
  assertOptions('sharedBudget()', options, checks);
  const { journal, name, period, limits } = options;
  const ledger = journal?.ledger;
  if (journal !== undefined && ledger === undefined) {
    throw new PromptValidationError(
      `sharedBudget(): the journal has no ledger, which would keep the budget "${name}". Use one that has, such as sqliteJournal() or postgresJournal().`,
      { details: { option: 'journal', budget: name } },
    );
  }
  const { budget } = new BudgetTracker(limits);
  const periodOf = (atMs: number): string => {
    const named = periodName(period, atMs);
    assertKeptName('sharedBudget()', 'the name of a period', named);
    return named;
  };
  const shared: SharedBudget = {
    kind: 'shared-budget',
    name,
    '~periodOf': periodOf,
    '~open': (run) => {
      if (ledger === undefined || run.ledger === ledger)
        return BudgetShareOfRun.open({ name, budget, periodOf, run });
      throw new PromptValidationError(
        `The budget "${name}" is in another journal than the run "${run.runId}". Pass the run the journal that sharedBudget() has.`,
        { details: { option: 'journal', budget: name } },
      );
    },
  };
  return shared;
}

function periodName(period: SharedBudgetOptions['period'], atMs: number): string {
  if (typeof period === 'function') return period(atMs);
  return new Date(atMs).toISOString().slice(0, period === 'day' ? 10 : 7);
}
