import { present } from '../../core/internal/index.ts';
import * as file from '../options/file-options.ts';
import { journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import * as limit from '../options/limit-options.ts';
import { choiceOption, type PresetOption } from '../options/make-option.ts';
import * as model from '../options/model-options.ts';
import type { ApplyMode } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { absoluteTask, type DurableChoice, type RunRequest, type RunTask } from '../options/run-task.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { exitCodeText } from './help-layout.ts';

/** `wink run` */
export const runDefinition: CommandDefinition<RunRequest> = defineCommand<RunRequest>('run')(
  {
    names: 'AGENT [DIR]',
    summary: 'Run an agent; the folder changes only with --apply',
    usage: ['AGENT [DIR] [options]'],
    description:
      'Runs an agent once and prints how every call ended. DIR is the folder it works on (default: the current one). Nothing in it changes without --apply.',
    after: [
      exitCodeText,
      '',
      '  wink run agent.ts ../app --model openai:gpt-5 --apply',
      '  wink run agent.ts --durable --apply=each --max-cost 2 --prices 1.25/10',
    ],
  },
  (command) =>
    command
      .argument('[AGENT]')
      .argument('[DIR]')
      .optionsGroup('Input:')
      .addOption(model.params())
      .addOption(model.input('What to say to the agent; @FILE, - for stdin'))
      .optionsGroup('Model:')
      .addOption(model.model())
      .addOption(model.baseUrl())
      .addOption(model.effort())
      .addOption(model.maxOutputTokens())
      .addOption(model.contextCompact())
      .addOption(model.contextResults())
      .addOption(model.contextOverflow())
      .addOption(model.maxConversationTurns())
      .optionsGroup('Limits:')
      .addOption(limit.maxTurns())
      .addOption(limit.maxRepeatedFailures())
      .addOption(limit.maxTokens())
      .addOption(limit.maxCost())
      .addOption(limit.prices())
      .addOption(limit.deadline())
      .addOption(limit.timeout())
      .addOption(limit.idleTimeout())
      .optionsGroup('Files:')
      .addOption(file.workspace('The same as DIR'))
      .addOption(apply())
      .addOption(file.sandbox())
      .addOption(file.mcp())
      .addOption(file.skills())
      .addOption(file.trust())
      .addOption(file.instructions())
      .optionsGroup('Rules:')
      .addOption(file.noEnforce())
      .addOption(file.tag())
      .addOption(file.overrides())
      .optionsGroup('Keep the run:')
      .addOption(kept.durable('In the journal: resume, approvals, rewind, fork'))
      .addOption(kept.journal('In this one (WINK_JOURNAL)'))
      .addOption(kept.blobs())
      .addOption(kept.runId())
      .addOption(output.record())
      .optionsGroup('Questions of policies, with --durable:')
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
      .addOption(output.watch())
      .addOption(output.redact())
      .addOption(output.verbose("Log lines, the model's words, stacks of errors")),
  (values, agent, folder) => {
    kept.refuseWithoutJournal(values);
    const task: RunTask = {
      ...targetsOf(agent, folder, values),
      params: values.params ?? {},
      input: values.input,
      settings: present({ maxOutputTokens: values.maxOutputTokens, reasoningEffort: values.effort }),
      contextCompact: values.contextCompact,
      contextResults: values.contextResults,
      contextOverflow: values.contextOverflow,
      maxConversationTurns: values.maxConversationTurns,
      ...limit.limitsOf(values),
      suspension: kept.suspensionOf(values),
      overrides: file.overridesOf(values),
      apply: values.apply,
      sandbox: values.sandbox,
      mcpFile: values.mcp,
      texts: file.addedTextsOf(values),
      isEnforced: values.enforce,
      redact: values.redact,
    };
    return {
      ...task,
      ...output.outputsOf(values),
      recordFile: values.record,
      isWatched: isWatched(values),
      durable: durableOf(task, values),
    };
  },
);

/** @throws {UsageError} for `--watch` together with what a run leaves. */
function isWatched(values: {
  readonly watch?: true;
  readonly apply?: ApplyMode;
  readonly durable?: true;
  readonly journal?: string;
  readonly json?: true;
  readonly record?: string;
}): boolean {
  if (values.watch !== true) return false;
  const other = (['apply', 'durable', 'journal', 'json', 'record'] as const).find(
    (name) => values[name] !== undefined,
  );
  if (other === undefined) return true;
  throw new UsageError(`--watch runs again and again to try an agent out: leave out --${other}.`);
}

/** A bare `--apply` is `end`. */
function apply(): PresetOption<'--apply [MODE]', 'end', ApplyMode> {
  return choiceOption('--apply [MODE]', 'Write changes: all at the end (default), or those of each call', [
    'end',
    'each',
  ]).preset('end');
}

/** The agent, and an optional folder. */
function targetsOf(
  agent: string | undefined,
  folder: string | undefined,
  { workspace, record }: { readonly workspace?: string; readonly record?: string },
): Pick<RunTask, 'agent' | 'workspace'> {
  if (agent === undefined || agent === '') {
    const taken = record !== undefined && /\.[cm]?[jt]s$/.test(record);
    throw new UsageError(
      taken
        ? `no agent given: --record took "${record}" as the name of its file; put the agent before it, or write --record= for a new file.`
        : 'no agent given: name a file (.ts, .mts, .js, .mjs) that exports one.',
    );
  }
  if (folder === 'each' || folder === 'end') {
    throw new UsageError(`"${folder}" is read as a folder. To write to the folder use --apply=${folder}.`);
  }
  if (folder !== undefined && workspace !== undefined) {
    throw new UsageError('the folder is named twice: as DIR and with --workspace.');
  }
  if (folder === '') throw new UsageError('the name of the folder is empty.');
  return { agent, workspace: folder ?? workspace };
}

/** The journal of the run; undefined without one. */
function durableOf(
  task: RunTask,
  values: {
    readonly durable?: true;
    readonly journal?: string;
    readonly blobs?: string;
    readonly runId?: string;
  },
): DurableChoice | undefined {
  if (values.durable !== true && values.journal === undefined) return undefined;
  return {
    journalNames: journalNamesOf(values),
    runId: values.runId,
    task: absoluteTask(task),
    resumed: undefined,
  };
}
