import { type ArgumentReader, argumentReader, type CommandRequest } from '../options/command-line.ts';
import { UsageError } from '../process/errors.ts';

/** A request to do something with a journal as a whole. */
export interface JournalRequest extends CommandRequest<'journal'> {
  readonly action: 'migrate';
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalName: string | undefined;
}

/** Reads the arguments after `journal`. */
export const readJournalArguments: ArgumentReader<JournalRequest> = argumentReader(
  'journal',
  { texts: ['journal'], flags: [] },
  ({ journal: journalName }, [action, ...others]) => {
    if (action === undefined) throw new UsageError('say what is to be done with it: wink journal migrate.');
    if (action !== 'migrate') throw new UsageError(`"${action}" is not known: use wink journal migrate.`);
    if (others.length > 0) throw new UsageError('name the journal with --journal.');
    return { action, journalName };
  },
);
