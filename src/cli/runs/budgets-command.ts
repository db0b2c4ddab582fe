import { escapeInvisible } from '../../core/internal/index.ts';
import type { BudgetAmounts, BudgetSpending } from '../../core/runtime/index.ts';
import type { BudgetsRequest } from '../commands/budgets.ts';
import { journalsOf } from '../journal/open-journal.ts';
import { type CliEnvironment, exitCodes, writeLines } from '../process/environment.ts';
import { UsageError } from '../process/errors.ts';
import { readableTime } from '../process/plain-text.ts';
import { resultLines } from '../query/result-text.ts';
import { costText } from '../report/text/spending.ts';
import type { RunsParts } from './runs-command.ts';

/**
 * Lists what runs have spent of the budgets that they share, and what is reserved for them.
 *
 * @returns the exit code of the process.
 * @throws {UsageError} for a journal that cannot be read or has no ledger.
 */
export async function budgetsCommand(
  { journalNames, filter, isJson }: BudgetsRequest,
  environment: CliEnvironment,
  { journals = journalsOf(environment) }: Partial<Pick<RunsParts, 'journals'>> = {},
): Promise<number> {
  await using journal = await journals.openExisting(journalNames, { readOnly: true });
  if (journal !== undefined && journal.ledger === undefined) {
    throw new UsageError('the journal has no ledger.');
  }
  const budgets = (await journal?.ledger?.budgets(filter)) ?? [];
  writeLines(environment.stdout, isJson ? budgets.map(jsonLine) : table(budgets));
  return exitCodes.done;
}

const columns = [
  ...['budget', 'period', 'input', 'output', 'tokens', 'cost', 'uncounted'],
  ...['reserved tokens', 'reserved cost', 'runs', 'running', 'changed'],
];

function table(budgets: readonly BudgetSpending[]): readonly string[] {
  if (budgets.length === 0) return ['there are no budgets.'];
  return resultLines(
    { columns, rows: budgets.map(cellsOf) },
    { width: Infinity, style: (_tone, text) => text },
  );
}

function cellsOf(listed: BudgetSpending): readonly (string | number)[] {
  const { budget, period, spent, reserved, runs, running, changedAtMs } = listed;
  return [
    ...[budget, period, spent.inputTokens, spent.outputTokens, spent.totalTokens],
    ...[costOf(spent), spent.uncountedTurns],
    // Of input and output alone a run reserves where one of these is limited.
    ...[mostOf(reserved), costOf(reserved), runs, running],
    changedAtMs === undefined ? '' : readableTime(changedAtMs),
  ];
}

function mostOf({ inputTokens, outputTokens, totalTokens }: BudgetAmounts): number {
  return Math.max(totalTokens, inputTokens + outputTokens);
}

function costOf({ costMillionths }: BudgetAmounts): string {
  return costText(costMillionths / 1e6);
}

/** One budget as a line of JSON. */
function jsonLine(listed: BudgetSpending): string {
  return escapeInvisible(JSON.stringify(listed));
}
