import type { JsonObject } from '../../core/schema/index.ts';
import type { ModelChoice } from '../model/model-choice.ts';
import type { CommandRequest } from '../options/command-request.ts';
import * as file from '../options/file-options.ts';
import { type JournalNames, journalNamesOf } from '../options/journal-names.ts';
import * as kept from '../options/journal-options.ts';
import * as limit from '../options/limit-options.ts';
import { choiceOption, valueOption } from '../options/make-option.ts';
import * as model from '../options/model-options.ts';
import type { AddedTexts, OverridesChoice } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { oneRecord } from './positionals.ts';

/** A request of `wink replay`. */
export interface ReplayRequest extends CommandRequest<'replay'> {
  /** Path of a record, or the name of a run in a journal. */
  readonly file: string;
  /** The journal that has the run; undefined: a file, or else the journal in the user's state folder. */
  readonly journalNames: JournalNames | undefined;
  /** Module of the agent; undefined: the one that the record names. */
  readonly agent: string | undefined;
  readonly onDrift: 'stop' | 'force' | 'continue';
  /** The model that takes over with `continue`; undefined: the agent's own. */
  readonly model: ModelChoice | undefined;
  readonly baseUrl: string | undefined;
  /** How long the provider of that model may give no sign of an answer. */
  readonly timeoutMs: number | undefined;
  readonly tools: 'recorded' | 'live' | Readonly<Record<string, 'recorded' | 'live'>> | undefined;
  /** Whether policies and handlers get the resources of the present; undefined: they do not. */
  readonly resources: 'refuse' | 'live' | undefined;
  readonly params: JsonObject;
  /** File of the servers whose tools the run had; undefined: none. */
  readonly mcpFile: string | undefined;
  /** Texts that the agent had besides its own; undefined: none. */
  readonly texts: AddedTexts | undefined;
  /** The edited texts of the prompt; undefined: the texts of the code. */
  readonly overrides: OverridesChoice | undefined;
  /** The folder of the recorded run, for its name. */
  readonly workspace: string | undefined;
  readonly isJson: boolean;
}

/** `wink replay` */
export const replayDefinition: CommandDefinition<ReplayRequest> = defineCommand<ReplayRequest>('replay')(
  {
    names: 'RUN [AGENT]',
    summary: 'Run it again without a model, report what differs',
    usage: ['RUN [AGENT] [options]'],
    description:
      'Runs a run again with the agent as it is now: the answers of the model and the files are those of the run. It ends with 0 when every call and request is the same, and with 1 when something differs. AGENT, params and the name of the folder are those of the run.',
    after: ['  wink replay last', '  wink replay last agent.ts --on-drift force --tools fetch=live'],
  },
  (command) =>
    command
      .argument('[RUN]')
      .argument('[AGENT]')
      .optionsGroup('What differs:')
      .addOption(
        choiceOption(
          '--on-drift <WHAT>',
          'At the first request that differs: stop (default), force (keep to the recorded answers), continue (a model answers from there on)',
          ['stop', 'force', 'continue'],
        ),
      )
      .addOption(valueOption('--tools <WHICH>', 'recorded (default), live, or NAME=live,...', readTools))
      .addOption(
        choiceOption('--resources <WHAT>', 'For policies and handlers: refuse (default), live', [
          'refuse',
          'live',
        ]),
      )
      .optionsGroup('Input:')
      .addOption(model.params())
      .addOption(file.workspace('Folder of the run, for its name'))
      .addOption(file.mcp())
      .addOption(file.skills())
      .addOption(file.instructions())
      .addOption(file.tag())
      .addOption(file.overrides())
      .optionsGroup('Model, with --on-drift continue:')
      .addOption(model.model("Who answers then (default: the agent's own)"))
      .addOption(model.baseUrl())
      .addOption(limit.timeout())
      .optionsGroup('Where the run is:')
      .addOption(kept.journal())
      .addOption(kept.blobs())
      .optionsGroup('Output:')
      .addOption(output.json('One object a line'))
      .addOption(output.redact())
      .addOption(output.verbose()),
  (values, name, agent) => {
    const source = oneRecord(name, 'replay RUN');
    const { onDrift = 'stop' } = values;
    const ofModel = { model: values.model, 'base-url': values.baseUrl, timeout: values.timeout };
    const onlyWithModel = Object.entries(ofModel).find(([, value]) => value !== undefined);
    if (onDrift !== 'continue' && onlyWithModel !== undefined)
      throw new UsageError(
        `--${onlyWithModel[0]} is for --on-drift continue: otherwise the answers are those of the record.`,
      );
    return {
      file: source,
      journalNames: journalNamesOf(values),
      agent,
      onDrift,
      model: values.model,
      baseUrl: values.baseUrl,
      timeoutMs: values.timeout,
      tools: values.tools,
      resources: values.resources,
      params: values.params ?? {},
      mcpFile: values.mcp,
      texts: file.addedTextsOf(values),
      overrides: file.overridesOf(values),
      workspace: values.workspace,
      isJson: values.json === true,
    };
  },
);

/** `recorded`, `live`, or a list such as `fetch=live,note=recorded`. */
function readTools(name: string, given: string): NonNullable<ReplayRequest['tools']> {
  if (given === 'recorded' || given === 'live') return given;
  const entries = given.split(',').map((entry) => {
    const [tool = '', mode, ...rest] = entry.split('=');
    if (tool === '' || rest.length > 0 || (mode !== 'recorded' && mode !== 'live')) {
      throw new UsageError(
        `${name} "${printable(given)}" is not understood: use recorded, live, or NAME=live,NAME=recorded.`,
      );
    }
    return [tool, mode] as const;
  });
  return Object.fromEntries(entries);
}
