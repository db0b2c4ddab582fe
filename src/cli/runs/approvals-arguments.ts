import {
  type ArgumentReader,
  argumentReader,
  type CommandRequest,
  refuseOthers,
} from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import { UsageError } from '../process/errors.ts';

/** A request of `wink approvals`. */
export type ApprovalsRequest = CommandRequest<'approvals'> & {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
} & (
    | { readonly action: 'list'; readonly folder: string | undefined; readonly isJson: boolean }
    | { readonly action: 'show'; readonly runId: string; readonly question: string | undefined }
    | AnswerRequest
  );

/** An answer to questions of a run. */
export interface AnswerRequest {
  readonly action: 'answer';
  readonly runId: string;
  /** What names the question; undefined: the only one. */
  readonly question: string | undefined;
  /** Whether all questions that are open get the answer. */
  readonly isForAll: boolean;
  readonly approved: boolean;
  readonly note: string | undefined;
  readonly by: string | undefined;
}

/** The options of each action. */
const optionsOf: Readonly<Record<ApprovalsRequest['action'], readonly string[]>> = {
  list: ['folder', 'json'],
  show: [],
  answer: ['yes', 'no', 'note', 'by', 'all'],
};

/** Reads the arguments after `approvals`. */
export const readApprovalsArguments: ArgumentReader<ApprovalsRequest> = argumentReader(
  'approvals',
  { texts: ['journal', 'blobs', 'folder', 'note', 'by'], flags: ['json', 'yes', 'no', 'all'] },
  (values, [action = 'list', ...names]) => {
    if (!isAction(action)) {
      throw new UsageError(
        `"${action}" is not known: use wink approvals list, show RUN or answer RUN --yes|--no.`,
      );
    }
    refuseOthers(values, optionsOf[action], `wink approvals ${action}`);
    const journalNames = readJournalNames(values);
    switch (action) {
      case 'list':
        if (names.length > 0) {
          throw new UsageError(
            'wink approvals list lists all suspended runs: leave the name out, or use wink approvals show RUN.',
          );
        }
        return { journalNames, action, folder: values.folder, isJson: values.json === true };
      case 'show':
        return { journalNames, action, ...readNames(action, names) };
      case 'answer': {
        const { yes = false, no = false, all = false, note, by } = values;
        const named = readNames(action, names);
        if (yes === no) throw new UsageError('say what the answer is: --yes or --no.');
        if (all && named.question !== undefined) {
          throw new UsageError('name one question, or use --all, not both.');
        }
        return { journalNames, action, ...named, isForAll: all, approved: yes, note, by };
      }
    }
  },
);

function isAction(word: string): word is ApprovalsRequest['action'] {
  return Object.hasOwn(optionsOf, word);
}

function readNames(
  action: string,
  [runId, question, ...others]: readonly string[],
): { readonly runId: string; readonly question: string | undefined } {
  if (runId === undefined || runId === '') {
    throw new UsageError(`name a run: wink approvals ${action} RUN; "wink approvals list" lists them.`);
  }
  if (question === '' || others.length > 0) {
    throw new UsageError(`name one question: wink approvals ${action} RUN ID.`);
  }
  return { runId, question };
}
