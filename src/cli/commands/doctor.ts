import type { CommandRequest } from '../options/command-request.ts';
import { flagOption, textOption } from '../options/make-option.ts';
import * as output from '../options/output-options.ts';
import { type CommandDefinition, defineCommand } from './define-command.ts';
import { noHeading } from './help-layout.ts';

/** A request of `wink doctor`. */
export interface DoctorRequest extends CommandRequest<'doctor'> {
  /** Path of a module; undefined: what a single agent needs is not checked. */
  readonly agent: string | undefined;
  readonly isJson: boolean;
}

/** `wink doctor` */
export const doctorDefinition: CommandDefinition<DoctorRequest> = defineCommand<DoctorRequest>('doctor')(
  {
    names: '',
    summary: 'Check this machine, print the lines that repair it',
    usage: ['[options]'],
    tooMany: 'For what an agent needs write --agent AGENT.',
    description:
      'Checks Node, packages, keys, SQLite, sandboxes and the state folder, and prints a line for each, with the line that repairs it. Values of keys are not printed. It changes nothing.',
    after: [
      'Exit codes: 0 nothing that is needed is missing, 1 something is, 2 bad input. Needed are Node, one copy of the package, the state folder, and with --agent its packages, key and sandbox.',
      '',
      '  wink doctor --agent agent.ts',
    ],
  },
  (command) =>
    command
      .optionsGroup(noHeading)
      .addOption(textOption('--agent <AGENT>', 'Load this agent, and check what it needs'))
      .addOption(flagOption('--json', 'One object a line'))
      .addOption(output.verbose()),
  ({ agent, json }) => ({ agent, isJson: json === true }),
);
