import type { JsonObject } from '../../core/schema/index.ts';
import type { CommandRequest } from '../options/command-request.ts';
import * as file from '../options/file-options.ts';
import { flagOption } from '../options/make-option.ts';
import * as model from '../options/model-options.ts';
import type { AddedTexts } from '../options/option-values.ts';
import * as output from '../options/output-options.ts';
import { UsageError } from '../process/errors.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { actionOf } from './positionals.ts';

/** The actions of `wink prompt`. */
export type PromptAction = 'show' | 'seed' | 'diff' | 'check';

/** A request of `wink prompt`. */
export interface PromptRequest extends CommandRequest<'prompt'> {
  readonly action: PromptAction;
  /** Path of a module. */
  readonly agent: string;
  /** Undefined: `latest`; for `check`: every existing tag. */
  readonly tag: string | undefined;
  /** The directory of the overrides; undefined: that of the agent's repository. */
  readonly root: string | undefined;
  readonly params: JsonObject;
  /** Texts that the agent gets besides its own; undefined: none. */
  readonly texts: AddedTexts | undefined;
  /** The folder whose instructions are shown; undefined: the current one. */
  readonly workspace: string | undefined;
  /** `seed`: overrides that are out of date are replaced by the texts of the code. */
  readonly isRefreshed: boolean;
}

const optionsOf: Readonly<Record<PromptAction, readonly string[]>> = {
  show: [],
  seed: ['refresh'],
  diff: [],
  check: [],
};

/** `wink prompt` */
export const promptDefinition: CommandDefinition<PromptRequest> = defineCommand<PromptRequest>('prompt')(
  {
    actions: Object.keys(optionsOf),
    names: 'ACTION AGENT',
    summary: 'Show and edit the texts of a prompt without code',
    usage: ['show|seed|diff|check AGENT [options]'],
    description:
      '"show" prints what the model receives. "seed" writes all texts to a file of the repository, where they can be edited. "diff" prints what the edited texts change. "check" fails when one of them no longer fits the code.',
    after: ['  wink prompt seed agent.ts', '  wink run agent.ts --tag latest'],
  },
  (command) =>
    command
      .argument('[ACTION]')
      .argument('[AGENT]')
      .optionsGroup('Texts:')
      .addOption(file.tag('Texts of this name (default: latest; check: all)'))
      .addOption(file.overrides())
      .addOption(flagOption('--refresh', 'With seed: replace texts that no longer fit the code'))
      .addOption(model.params())
      .optionsGroup('Files:')
      .addOption(file.skills())
      .addOption(file.instructions())
      .addOption(file.workspace('Folder with the instructions'))
      .optionsGroup('Output:')
      .addOption(output.verbose()),
  (values, word, agent) => {
    if (word === undefined) {
      throw new UsageError(`no action given; wink prompt has ${Object.keys(optionsOf).join(', ')}.`);
    }
    const action = actionOf(word, 'prompt', optionsOf);
    if (agent === undefined || agent === '') {
      throw new UsageError(`no agent given: wink prompt ${action} AGENT, with a file that exports one.`);
    }
    if (values.refresh === true && action !== 'seed')
      throw new UsageError('--refresh is for wink prompt seed.');
    return {
      action,
      agent,
      tag: values.tag,
      root: values.overrides,
      params: values.params ?? {},
      texts: file.addedTextsOf(values),
      workspace: values.workspace,
      isRefreshed: values.refresh === true,
    };
  },
);
