import type { OnceKey } from '../../core/runtime/index.ts';
import type { CommandRequest } from '../options/command-request.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { flagOption, textOption, valueOption } from '../options/make-option.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { actionOf, refuseOthers } from './positionals.ts';

/** A request of `wink once`. */
export type OnceRequest = CommandRequest<'once'> & {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
} & (
    | {
        readonly action: 'list';
        readonly toolName: string | undefined;
        readonly isInDoubt: boolean;
        readonly isJson: boolean;
      }
    | (OnceKey & {
        readonly action: 'settle';
        /** What was done; undefined: it was not. */
        readonly result: string | undefined;
      })
  );

/** The options of each action. */
const optionsOf = {
  list: ['tool', 'inDoubt', 'json'],
  settle: ['done', 'notDone'],
} as const satisfies Record<OnceRequest['action'], readonly string[]>;

/** `wink once` */
export const onceDefinition: CommandDefinition<OnceRequest> = defineCommand<OnceRequest>('once')(
  {
    actions: Object.keys(optionsOf),
    names: '',
    summary: 'What tools did once for a key, and what is in doubt',
    usage: ['[list] [--tool NAME] [--in-doubt] [--json]', 'settle TOOL KEY --done TEXT|--not-done'],
    description:
      'What tools with "once" have done, over all runs of a journal. A call whose process ended before its answer is in doubt: no run does it again until "settle" says whether it was done.',
    after: ['  wink once settle charge invoice-7 --done "charged on 2026-11-29"'],
  },
  (command) =>
    command
      .argument('[ACTION]')
      .argument('[TOOL]')
      .argument('[KEY]')
      .optionsGroup('List:')
      .addOption(textOption('--tool <NAME>', 'Of this tool only'))
      .addOption(flagOption('--in-doubt', 'Only what is in doubt'))
      .addOption(output.json('One object a line'))
      .optionsGroup('Settle:')
      .addOption(valueOption('--done <TEXT>', 'It was done; later calls read TEXT', (_name, text) => text))
      .addOption(flagOption('--not-done', 'It was not: the next call does it'))
      .optionsGroup('Where the runs are:')
      .addOption(kept.journal())
      .addOption(output.verbose()),
  ({ journal, verbose: _verbose, ...values }, word, toolName, key) => {
    const action = actionOf(word, 'once', optionsOf);
    refuseOthers(values, optionsOf[action], `wink once ${action}`);
    const journalNames = journalNamesOf({ journal });
    if (action === 'list') {
      if (toolName !== undefined)
        throw new UsageError('wink once list lists all keys: use --tool NAME for one tool.');
      const { tool, inDoubt = false, json = false } = values;
      return { journalNames, action, toolName: tool, isInDoubt: inDoubt, isJson: json };
    }
    if (toolName === undefined || key === undefined || toolName === '' || key === '') {
      throw new UsageError('name a tool and a key: wink once settle TOOL KEY; "wink once list" lists them.');
    }
    const { done: result } = values;
    if ((result === undefined) !== (values.notDone === true)) {
      throw new UsageError('say whether it was done: --done TEXT, which later calls read, or --not-done.');
    }
    return { journalNames, action, toolName, key, result };
  },
);
