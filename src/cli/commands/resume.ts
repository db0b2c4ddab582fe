import type { ResumedFiles } from '../../durable/index.ts';
import type { CommandRequest } from '../options/command-request.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import * as limit from '../options/limit-options.ts';
import { choiceOption, type FlagOption, flagOption } from '../options/make-option.ts';
import * as model from '../options/model-options.ts';
import * as output from '../options/output-options.ts';
import type { RunOutputs, SuspensionChoice } from '../options/run-task.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { exitCodeText } from './help-layout.ts';
import { oneRun } from './positionals.ts';

/** A request of `wink resume`. */
export interface ResumeRequest extends CommandRequest<'resume'> {
  /** What names the run. */
  readonly runId: string;
  /** Undefined: the journal of the environment, or else the one in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Whether a changed prompt, tools, policies or model are refused. */
  readonly isStrict: boolean;
  /** What to do about a folder that is not as the run left it; undefined: as `resumeRun` does. */
  readonly files: ResumedFiles | undefined;
  /** What is said to the model before it continues; undefined: nothing. */
  readonly input: string | undefined;
  /** Model and limits that take the place of those that the run began with, one by one. */
  readonly limits: limit.ModelAndLimits;
  readonly suspension: SuspensionChoice;
  readonly outputs: RunOutputs;
}

/** `wink resume` */
export const resumeDefinition: CommandDefinition<ResumeRequest> = defineCommand<ResumeRequest>('resume')(
  {
    names: 'RUN',
    summary: 'Go on with a run',
    usage: ['RUN [options]'],
    description:
      'Continues a run of the journal after a crash, a Ctrl-C, a failure or an answer: what the model has answered is not asked again, and a call that was committed does not run again. The run is as it was begun; what is given here takes the place of that.',
    after: [exitCodeText, '', '  wink resume 3fa4c1d2 --max-turns 200'],
  },
  (command) =>
    command
      .argument('[RUN]')
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
      .optionsGroup('Changes meanwhile:')
      .addOption(strict())
      .addOption(
        choiceOption(
          '--files <WHAT>',
          'Files that are not as the run left them: check (default: refuse, and name them), restore (write what it left), as-is',
          ['check', 'restore', 'as-is'],
        ),
      )
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
  (values, run) => ({ ...resumptionOf(values, run, 'resume RUN'), files: values.files }),
);

/** `--strict` */
export function strict(): FlagOption<'--strict'> {
  return flagOption('--strict', 'Refuse a changed prompt, tool, policy or model');
}

/** Values of the options that `wink resume` and `wink fork` have in common. */
interface ResumptionValues extends limit.LimitValues {
  readonly input?: string | undefined;
  readonly journal?: string | undefined;
  readonly blobs?: string | undefined;
  readonly strict?: true | undefined;
  readonly suspend?: true | undefined;
  readonly expires?: number | undefined;
  readonly onSuspend?: string | undefined;
  readonly log?: string | undefined;
  readonly json?: true | undefined;
  readonly deltas?: true | undefined;
  readonly verbose?: true | undefined;
  readonly otel?: true | undefined;
  readonly full?: true | undefined;
  readonly quiet?: true | undefined;
}

/**
 * How a run continues.
 * @param usage how the command is called, for errors.
 * @throws {UsageError}
 */
export function resumptionOf(
  values: ResumptionValues,
  run: string | undefined,
  usage: string,
): Omit<ResumeRequest, 'kind' | 'isVerbose'> {
  const runId = oneRun(run, usage);
  if (values.input === '') throw new UsageError('the input is empty.');
  return {
    runId,
    journalNames: journalNamesOf(values),
    isStrict: values.strict === true,
    files: undefined,
    input: values.input,
    limits: limit.limitsOf(values),
    suspension: kept.suspensionOf(values),
    outputs: output.outputsOf(values),
  };
}
