import type { CommandRequest } from '../options/command-request.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { flagOption, textOption } from '../options/make-option.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { oneRecord } from './positionals.ts';

/** A request of `wink view`. */
export interface ViewRequest extends CommandRequest<'view'> {
  /** Path of a record, or the name of a run in a journal. */
  readonly file: string;
  /** The journal that has the run; undefined: a file, or else the journal in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Where the page is written; undefined: into a private folder for temporary files. */
  readonly out: string | undefined;
  /** Whether the page is opened. */
  readonly isOpened: boolean;
  /** Whether the page is served, and shows rows as the run writes them. */
  readonly isFollowing: boolean;
}

/** `wink view` */
export const viewDefinition: CommandDefinition<ViewRequest> = defineCommand<ViewRequest>('view')(
  {
    names: 'RUN',
    summary: 'Open it as a page',
    usage: ['RUN [options]'],
    description:
      'Makes a page of a run, one file that requests nothing, and opens it: outcome, calls, changes, state, policies, problems.',
    after: ['  wink view last', '  wink view 3fa4c1d2 --out run.html'],
  },
  (command) =>
    command
      .argument('[RUN]')
      .optionsGroup('Page:')
      .addOption(textOption('--out <FILE>', 'Write it there, and do not open it'))
      .addOption(flagOption('--no-open', 'Print where it is, and do not open it'))
      .addOption(flagOption('--follow', 'Serve it on 127.0.0.1 while the run writes, until Ctrl-C'))
      .optionsGroup('Where the run is:')
      .addOption(kept.journal())
      .addOption(kept.blobs())
      .addOption(output.redact())
      .addOption(output.verbose()),
  (values, name) => {
    const file = oneRecord(name, 'view RUN');
    if (values.out !== undefined && values.follow === true) {
      throw new UsageError('--out writes the page once, and --follow serves it: choose one.');
    }
    return {
      file,
      journalNames: journalNamesOf(values),
      out: values.out,
      // A page that was written to a chosen place is there to be kept or sent.
      isOpened: values.open && values.out === undefined,
      isFollowing: values.follow === true,
    };
  },
);
