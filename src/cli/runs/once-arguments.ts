import type { OnceKey } from '../../core/runtime/index.ts';
import {
  type ArgumentReader,
  argumentReader,
  type CommandRequest,
  refuseOthers,
} from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import { UsageError } from '../process/errors.ts';

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
const optionsOf: Readonly<Record<OnceRequest['action'], readonly string[]>> = {
  list: ['tool', 'in-doubt', 'json'],
  settle: ['done', 'not-done'],
};

/** Reads the arguments after `once`. */
export const readOnceArguments: ArgumentReader<OnceRequest> = argumentReader(
  'once',
  { texts: ['journal', 'tool', 'done'], flags: ['in-doubt', 'json', 'not-done'] },
  (values, [action = 'list', ...names]) => {
    if (!isAction(action)) {
      throw new UsageError(
        `"${action}" is not known: use wink once list, or wink once settle TOOL KEY --done TEXT or --not-done.`,
      );
    }
    refuseOthers(values, optionsOf[action], `wink once ${action}`);
    const journalNames = readJournalNames(values);
    if (action === 'list') {
      if (names.length > 0)
        throw new UsageError('wink once list lists all keys: use --tool NAME for one tool.');
      const { tool: toolName, json = false } = values;
      return { journalNames, action, toolName, isInDoubt: values['in-doubt'] === true, isJson: json };
    }
    const [toolName = '', key = '', ...others] = names;
    if (toolName === '' || key === '' || others.length > 0) {
      throw new UsageError('name a tool and a key: wink once settle TOOL KEY; "wink once list" lists them.');
    }
    const { done: result } = values;
    if ((result === undefined) !== (values['not-done'] === true)) {
      throw new UsageError('say whether it was done: --done TEXT, which later calls read, or --not-done.');
    }
    return { journalNames, action, toolName, key, result };
  },
);

function isAction(word: string): word is OnceRequest['action'] {
  return Object.hasOwn(optionsOf, word);
}
