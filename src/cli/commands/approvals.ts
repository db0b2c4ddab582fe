import type { CommandRequest } from '../options/command-request.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { flagOption, shownAs, textOption } from '../options/make-option.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { noHeading } from './help-layout.ts';
import { actionOf, refuseOthers } from './positionals.ts';
import { type ResumeRequest, resumptionOf } from './resume.ts';

/** A request of `wink approvals`. */
export type ApprovalsRequest = CommandRequest<'approvals'> & {
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
} & (
    | { readonly action: 'list'; readonly folder: string | undefined; readonly isJson: boolean }
    | {
        readonly action: 'show';
        readonly runId: string;
        readonly question: string | undefined;
        readonly isJson: boolean;
      }
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
  /** How the run continues once no question is open; undefined: it does not. */
  readonly resume: ResumeRequest | undefined;
}

/** The options of each action. */
const optionsOf = {
  list: ['folder', 'json'],
  show: ['json'],
  answer: ['yes', 'no', 'note', 'by', 'all', 'resume'],
} as const satisfies Record<ApprovalsRequest['action'], readonly string[]>;

/** `wink approvals` */
export const approvalsDefinition: CommandDefinition<ApprovalsRequest> = defineCommand<ApprovalsRequest>(
  'approvals',
)(
  {
    actions: Object.keys(optionsOf),
    names: '',
    summary: 'List, show, answer the questions of waiting runs',
    usage: [
      '[list] [--folder DIR] [--json]',
      'show RUN [ID] [--json]',
      'answer RUN [ID] --yes|--no [options]',
    ],
    description:
      'Questions of runs that wait. A yes lands exactly the changes that "show" prints; if files changed meanwhile, the call runs and asks again. A no is final.',
    after: [
      'ID is the number of the question, or the beginning of its digest: an answer with the digest is to what was shown and to nothing that is asked later.',
      '',
      '  wink approvals answer c1 3fa4c1d2 --yes --resume',
    ],
  },
  (command) =>
    command
      .argument('[ACTION]')
      .argument('[RUN]')
      .argument('[ID]')
      .optionsGroup('Answer:')
      .addOption(shownAs(flagOption('--yes', 'One of both'), '--yes, --no'))
      // Not what commander makes of `--no`: an answer of its own.
      .addOption(flagOption('--no', 'Deny it'))
      .addOption(textOption('--note <TEXT>', 'For the model, after a no'))
      .addOption(textOption('--by <NAME>', 'Who answers (default: the user of the system)'))
      .addOption(flagOption('--all', 'All open questions of the run'))
      .addOption(flagOption('--resume', 'Go on with the run at once'))
      .optionsGroup('List and show:')
      .addOption(textOption('--folder <DIR>', 'Runs on this folder only'))
      .addOption(output.json('One object a line'))
      .optionsGroup(noHeading)
      .addOption(kept.journal())
      .addOption(kept.blobs())
      .addOption(output.verbose()),
  ({ journal, blobs, verbose, ...values }, word, runId, question) => {
    const action = actionOf(word, 'approvals', optionsOf);
    refuseOthers(values, optionsOf[action], `wink approvals ${action}`);
    const journalNames = journalNamesOf({ journal, blobs });
    if (action === 'list') {
      if (runId !== undefined) {
        throw new UsageError(
          'wink approvals list lists all suspended runs: leave the name out, or use wink approvals show RUN.',
        );
      }
      return { journalNames, action, folder: values.folder, isJson: values.json === true };
    }
    if (runId === undefined || runId === '') {
      throw new UsageError(`name a run: wink approvals ${action} RUN; "wink approvals list" lists them.`);
    }
    if (question === '') throw new UsageError(`name one question: wink approvals ${action} RUN ID.`);
    if (action === 'show') return { journalNames, action, runId, question, isJson: values.json === true };
    const { yes = false, no = false, all = false, note, by } = values;
    if (yes === no) throw new UsageError('say what the answer is: --yes or --no.');
    if (all && question !== undefined) throw new UsageError('name one question, or use --all, not both.');
    const resume =
      values.resume === true
        ? ({
            kind: 'resume',
            isVerbose: verbose === true,
            ...resumptionOf({ journal, blobs, verbose }, runId, 'approvals answer RUN'),
          } as const)
        : undefined;
    return { journalNames, action, runId, question, isForAll: all, approved: yes, note, by, resume };
  },
);
