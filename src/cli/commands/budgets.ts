import { present } from '../../core/internal/index.ts';
import type { BudgetPeriod } from '../../core/runtime/index.ts';
import type { CommandRequest } from '../options/command-request.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { textOption } from '../options/make-option.ts';
import * as output from '../options/output-options.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { actionOf } from './positionals.ts';

/** A request of `wink budgets`. */
export interface BudgetsRequest extends CommandRequest<'budgets'> {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Which are listed: those of this name and this period. */
  readonly filter: Partial<BudgetPeriod>;
  readonly isJson: boolean;
}

/** `wink budgets` */
export const budgetsDefinition: CommandDefinition<BudgetsRequest> = defineCommand<BudgetsRequest>('budgets')(
  {
    actions: ['list'],
    names: '',
    summary: 'What runs spent of the budgets that they share',
    usage: ['[list] [--name NAME] [--period PERIOD] [--json]'],
    tooMany: 'For some of them use --name NAME or --period PERIOD.',
    description:
      'What runs have spent of budgets that they share, in each period, and what is reserved for runs that have not ended. Limits are those of the program, and not listed.',
  },
  (command) =>
    command
      .argument('[ACTION]')
      .optionsGroup('List:')
      .addOption(textOption('--name <NAME>', 'Of this budget only'))
      .addOption(textOption('--period <PERIOD>', 'Of this period only, such as 2026-11-29'))
      .addOption(output.json('One object a line'))
      .optionsGroup('Where the runs are:')
      .addOption(kept.journal())
      .addOption(output.verbose()),
  ({ journal, name: budget, period, json = false }, word) => {
    actionOf(word, 'budgets', { list: [] });
    return {
      journalNames: journalNamesOf({ journal }),
      filter: present({ budget, period }),
      isJson: json,
    };
  },
);
