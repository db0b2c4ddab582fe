import type { CommandRequest } from '../options/command-request.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { textOption } from '../options/make-option.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { oneRun } from './positionals.ts';

/** A request of `wink say`. */
export interface SayRequest extends CommandRequest<'say'> {
  /** What names the run. */
  readonly runId: string;
  /** What is said: a text, `@FILE`, or `-` for the standard input. */
  readonly text: string;
  /** Who says it; undefined: not said. */
  readonly by: string | undefined;
  /** Name of the message; undefined: a new one. */
  readonly id: string | undefined;
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
}

/** `wink say` */
export const sayDefinition: CommandDefinition<SayRequest> = defineCommand<SayRequest>('say')(
  {
    names: 'RUN TEXT',
    summary: 'Say something to a run while it works',
    tooMany: 'Put the text in quotes.',
    usage: ['RUN TEXT [--by NAME] [--id ID]'],
    description:
      'Its model reads TEXT before its next turn, once. A run that waits for answers reads it after them, one that was interrupted when it is resumed. TEXT may be @FILE, or - for stdin.',
    after: ['  wink say last "Leave the tests as they are."'],
  },
  (command) =>
    command
      .argument('[RUN]')
      .argument('[TEXT]')
      .optionsGroup('Message:')
      .addOption(textOption('--by <NAME>', 'Who says it'))
      .addOption(textOption('--id <ID>', 'Its name: said once, however often it is tried'))
      .optionsGroup('Where the run is:')
      .addOption(kept.journal())
      .addOption(kept.blobs())
      .addOption(output.verbose()),
  ({ by, id, ...values }, run, text) => {
    const runId = oneRun(run, 'say RUN TEXT');
    if (text === undefined || text === '')
      throw new UsageError('say what the run is to read: wink say RUN TEXT.');
    return { runId, text, by, id, journalNames: journalNamesOf(values) };
  },
);
