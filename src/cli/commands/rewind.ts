import type { CommandRequest } from '../options/command-request.ts';
import * as file from '../options/file-options.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import { flagOption, valueOption } from '../options/make-option.ts';
import { readCall } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { oneRun } from './positionals.ts';

/** A request of `wink rewind`. */
export interface RewindRequest extends CommandRequest<'rewind'> {
  readonly runId: string;
  /** The last commit whose changes stay, or with `isBefore` the first one that is undone: its number, or the id of its call. */
  readonly to: number | string;
  readonly isBefore: boolean;
  /** The folder to put back; undefined: that of the run. */
  readonly workspace: string | undefined;
  /** Whether the folder is written. */
  readonly isApplied: boolean;
  /** Whether the diff is shown in full. */
  readonly isFull: boolean;
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
}

/** `wink rewind` */
export const rewindDefinition: CommandDefinition<RewindRequest> = defineCommand<RewindRequest>('rewind')(
  {
    names: 'RUN',
    summary: 'Put the folder of a run back',
    usage: ['RUN --to CALL|--before CALL [options]'],
    description:
      'Shows what puts the folder of a run back to how it was after a call, or before it; with --apply it does so. CALL is the id of a call or the number of a commit. Files that others changed since are refused.',
    after: ['  wink rewind 3fa4c1d2 --before 4 --apply'],
  },
  (command) =>
    command
      .argument('[RUN]')
      .optionsGroup('How far:')
      .addOption(valueOption('--to <CALL>', 'What CALL did stays', readCall))
      .addOption(valueOption('--before <CALL>', 'What CALL did is undone, too', readCall))
      .optionsGroup('Folder:')
      .addOption(flagOption('--apply', 'Write the folder; without it nothing changes'))
      .addOption(file.workspace('This folder (default: that of the run)'))
      .optionsGroup('Where the run is:')
      .addOption(kept.journal())
      .addOption(kept.blobs())
      .optionsGroup('Output:')
      .addOption(output.full('The whole diff'))
      .addOption(output.verbose()),
  (values, run) => {
    const runId = oneRun(run, 'rewind RUN --to CALL');
    const { before, to } = values;
    if (before !== undefined && to !== undefined) {
      throw new UsageError('--to and --before both say how far to go back: choose one.');
    }
    const mark = before ?? to;
    if (mark === undefined) {
      throw new UsageError(
        'say how far to go back: wink rewind RUN --to CALL keeps what CALL did, --before CALL undoes it, too; CALL is the id of a call or the number of a commit.',
      );
    }
    return {
      runId,
      to: mark,
      isBefore: before !== undefined,
      workspace: values.workspace,
      isApplied: values.apply === true,
      isFull: values.full === true,
      journalNames: journalNamesOf(values),
    };
  },
);
