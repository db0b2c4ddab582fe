import type { CommandRequest } from '../options/command-request.ts';
import * as kept from '../options/journal-options.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { noHeading } from './help-layout.ts';
import { actionOf } from './positionals.ts';

/** A request to do something with a journal as a whole. */
export interface JournalRequest extends CommandRequest<'journal'> {
  readonly action: 'migrate';
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalName: string | undefined;
}

/** `wink journal` */
export const journalDefinition: CommandDefinition<JournalRequest> = defineCommand<JournalRequest>('journal')(
  {
    actions: ['migrate'],
    names: 'migrate',
    summary: 'Make or update the tables of a journal in PostgreSQL',
    usage: ['migrate [--journal postgres://...]'],
    tooMany: 'The journal is --journal postgres://...',
    description:
      'Makes the tables of a journal in PostgreSQL, or brings those of an earlier version up to date. It may be called again. A journal in a file does this itself.',
    after: ['  WINK_JOURNAL=postgres://wink@db.example/agents wink journal migrate'],
  },
  (command) =>
    command
      .argument('[ACTION]')
      .optionsGroup(noHeading)
      .addOption(kept.database())
      .addOption(output.verbose()),
  ({ journal: journalName }, word) => {
    if (word === undefined) throw new UsageError('say what is to be done with it: wink journal migrate.');
    return { action: actionOf(word, 'journal', { migrate: [] }), journalName };
  },
);
