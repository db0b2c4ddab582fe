import type { CommandRequest } from '../options/command-request.ts';
import { flagOption, readChoice, textOption } from '../options/make-option.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { noHeading } from './help-layout.ts';

/** The shells that have completion. */
export const shells = ['bash', 'zsh', 'fish'] as const;

/** A request of `wink complete`. */
export type CompleteRequest = CommandRequest<'complete'> &
  (
    | { readonly action: 'script'; readonly shell: (typeof shells)[number] }
    | {
        readonly action: 'line';
        /** The command line so far, with the name of the program. */
        readonly line: string;
        /** Where its cursor is, in characters. */
        readonly point: number;
        /** Whether words are printed whole. Otherwise they begin after the last `=` or `:` of the word at the cursor, which bash leaves as it is. */
        readonly isWhole: boolean;
      }
  );

/** `wink complete` */
export const completeDefinition: CommandDefinition<CompleteRequest> = defineCommand<CompleteRequest>(
  'complete',
)(
  {
    names: 'SHELL',
    summary: 'Print completion for bash, zsh, fish',
    usage: ['bash|zsh|fish'],
    actions: shells,
    description:
      'Prints a script for the shell that completes commands, options, their values, and the last runs and records.',
    after: [
      '  source <(wink complete bash)',
      '  source <(wink complete zsh)',
      '  wink complete fish | source',
    ],
  },
  (command) =>
    command
      .argument('[SHELL]')
      .optionsGroup(noHeading)
      // What the scripts call.
      .addOption(textOption('--line <LINE>', 'The command line').hideHelp())
      .addOption(flagOption('--whole', 'Whole words').hideHelp())
      .addOption(output.verbose()),
  ({ line, whole }, word) => {
    if (line !== undefined) {
      if (word === undefined || !/^\d{1,9}$/.test(word)) {
        throw new UsageError('--line is followed by the place of the cursor, a number.');
      }
      return { action: 'line', line, point: Number(word), isWhole: whole === true };
    }
    if (word === undefined) throw new UsageError(`name a shell: wink complete ${shells.join('|')}.`);
    return { action: 'script', shell: readChoice('the shell', word, shells) };
  },
);
