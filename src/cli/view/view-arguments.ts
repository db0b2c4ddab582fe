import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { type JournalNames, readJournalNames } from '../options/journal-names.ts';
import { readRecordName } from '../options/option-values.ts';
import { UsageError } from '../process/errors.ts';

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

/** Reads the arguments after `view`. */
export const readViewArguments: ArgumentReader<ViewRequest> = argumentReader(
  'view',
  { texts: ['out', 'journal', 'blobs'], flags: ['no-open', 'follow'], lists: ['redact'] },
  (values, [name, ...others]) => {
    const file = readRecordName(name, 'view RUN');
    if (others.length > 0) throw new UsageError(`one record at a time, not ${1 + others.length}.`);
    if (values.out === '') throw new UsageError('the name of the file for the page is empty.');
    if (values.out !== undefined && values.follow === true) {
      throw new UsageError('--out writes the page once, and --follow serves it: choose one.');
    }
    return {
      file,
      journalNames: readJournalNames(values),
      out: values.out,
      // A page that was written to a chosen place is there to be kept or sent.
      isOpened: values['no-open'] !== true && values.out === undefined,
      isFollowing: values.follow === true,
    };
  },
);
