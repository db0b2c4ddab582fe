import type { CommandRequest } from '../options/command-request.ts';
import * as file from '../options/file-options.ts';
import * as kept from '../options/journal-options.ts';
import * as limit from '../options/limit-options.ts';
import { valueOption } from '../options/make-option.ts';
import * as model from '../options/model-options.ts';
import { readCall } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { exitCodeText } from './help-layout.ts';
import { type ResumeRequest, resumptionOf, strict } from './resume.ts';

/** A request of `wink fork`. */
export interface ForkRequest extends CommandRequest<'fork'> {
  /** The last commit that the fork has: its number, or the id of its call. */
  readonly at: number | string;
  /** Name of the fork; undefined: a new one. */
  readonly newRunId: string | undefined;
  /** The folder that the fork works on; undefined: that of the run. */
  readonly workspace: string | undefined;
  /** How the fork continues, under the name of the run that is forked. */
  readonly resume: ResumeRequest;
}

/** `wink fork` */
export const forkDefinition: CommandDefinition<ForkRequest> = defineCommand<ForkRequest>('fork')(
  {
    names: 'RUN',
    summary: 'Begin another run in the middle of this one',
    usage: ['RUN --at CALL [options]'],
    description:
      'Begins another run with what a run did up to CALL, and continues it. CALL is the id of a call, the number of a commit, or 0. The folder must be as the run had it there or, without --apply=each, at its beginning: "wink rewind" puts it back, --workspace names a copy.',
    after: [exitCodeText, '', '  wink fork 3fa4c1d2 --at 4 --input "Take the other way."'],
  },
  (command) =>
    command
      .argument('[RUN]')
      .optionsGroup('Fork:')
      .addOption(valueOption('--at <CALL>', 'The last call that the fork has', readCall))
      .addOption(kept.runId('Name of the fork (default: a new one)'))
      .addOption(file.workspace('Folder of the fork (default: that of the run)'))
      .addOption(strict())
      .optionsGroup('Input:')
      .addOption(model.input('What to say to the agent now; @FILE, - for stdin'))
      .optionsGroup('Model:')
      .addOption(model.model('Another one, as for "wink run"'))
      .addOption(model.baseUrl())
      .optionsGroup('Limits:')
      .addOption(limit.maxTurns())
      .addOption(limit.maxRepeatedFailures())
      .addOption(limit.maxTokens())
      .addOption(limit.maxCost())
      .addOption(limit.prices())
      .addOption(limit.deadline())
      .addOption(limit.timeout())
      .addOption(limit.idleTimeout())
      .optionsGroup('Where the run is:')
      .addOption(kept.journal())
      .addOption(kept.blobs())
      .optionsGroup('Questions of policies:')
      .addOption(kept.suspend())
      .addOption(kept.expires())
      .addOption(kept.onSuspend())
      .optionsGroup('Output:')
      .addOption(output.json('Events as JSON lines, nothing else'))
      .addOption(output.log())
      .addOption(output.deltas())
      .addOption(output.fullOrQuiet())
      .addOption(output.quiet())
      .addOption(output.otel())
      .addOption(output.redact())
      .addOption(output.verbose("Log lines, the model's words, stacks of errors")),
  (values, run) => {
    const resumption = resumptionOf(values, run, 'fork RUN --at CALL');
    if (values.at === undefined) {
      throw new UsageError(
        'say where the fork begins: wink fork RUN --at CALL, with the id of a call, the number of a commit, or 0.',
      );
    }
    return {
      at: values.at,
      newRunId: values.runId,
      workspace: values.workspace,
      resume: { kind: 'resume', isVerbose: values.verbose === true, ...resumption },
    };
  },
);
