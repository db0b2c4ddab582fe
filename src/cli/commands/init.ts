import type { CommandRequest } from '../options/command-request.ts';
import { choiceOption, flagOption } from '../options/make-option.ts';
import * as output from '../options/output-options.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';

/** What a new project begins with. */
export type ProjectTemplate = 'tools' | 'files' | 'nightly';

/** The templates, in the order in which they are offered. */
export const projectTemplates: readonly ProjectTemplate[] = ['tools', 'files', 'nightly'];

/** What installs the packages of a project. */
export type PackageManager = 'npm' | 'pnpm';

/** The package managers, in the order in which they are offered. */
export const packageManagers: readonly PackageManager[] = ['npm', 'pnpm'];

/** A request of `wink init`. */
export interface InitRequest extends CommandRequest<'init'> {
  /** Undefined: the current folder. */
  readonly folder: string | undefined;
  /** Undefined: it is asked for, or `tools`. */
  readonly template: ProjectTemplate | undefined;
  /** Undefined: it is asked for, or the one that started this command. */
  readonly packageManager: PackageManager | undefined;
  /** Whether the folder may have files. */
  readonly isForced: boolean;
}

/** `wink init` */
export const initDefinition: CommandDefinition<InitRequest> = defineCommand<InitRequest>('init')(
  {
    names: '[DIR]',
    summary: 'Make a project: an agent, a test, a CI file',
    usage: ['[DIR] [options]'],
    description:
      'Makes a project in DIR (default: the current folder): an agent that runs offline, its tests, and what they need. It installs nothing and never writes over a file.',
    after: ['  wink init my-agent', '  wink init my-agent --template nightly --package-manager pnpm'],
  },
  (command) =>
    command
      .argument('[DIR]')
      .optionsGroup('Project:')
      .addOption(
        choiceOption(
          '--template <NAME>',
          'tools (default): tools, a rule, a typed answer; files: a folder and a shell; nightly: a job that continues after a crash, and waits for answers',
          projectTemplates,
        ),
      )
      .addOption(
        choiceOption(
          '--package-manager <NAME>',
          'npm or pnpm (default: the one that started this command)',
          packageManagers,
        ),
      )
      .addOption(flagOption('--force', 'Into a folder that is not empty, too'))
      .addOption(output.verbose()),
  ({ template, packageManager, force }, folder) => ({
    folder: folder === '' ? undefined : folder,
    template,
    packageManager,
    isForced: force === true,
  }),
);
