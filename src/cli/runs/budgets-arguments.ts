import { present } from '../../core/internal/index.ts';
import type { BudgetPeriod } from '../../core/runtime/index.ts';
import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink budgets`. */
export interface BudgetsRequest extends CommandRequest<'budgets'> {
  readonly action: 'list';
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Which are listed: those of this name and this period. */
  readonly filter: Partial<BudgetPeriod>;
  readonly isJson: boolean;
}

/** Reads the arguments after `budgets`. */
export const readBudgetsArguments: ArgumentReader<BudgetsRequest> = argumentReader(
  'budgets',
  { texts: ['journal', 'name', 'period'], flags: ['json'] },
  (values, [action = 'list', ...names]) => {
    if (action !== 'list') throw new UsageError(`"${action}" is not known: use wink budgets list.`);
    if (names.length > 0) {
      throw new UsageError(
        'wink budgets list lists all budgets: use --name NAME or --period PERIOD for some.',
      );
    }
    const { name: budget, period, json = false } = values;
    const journalNames = readJournalNames(values);
    return { action, journalNames, filter: present({ budget, period }), isJson: json };
  },
);
