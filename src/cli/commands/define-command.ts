import type { OptionValues, Command as TypedCommand } from '@commander-js/extra-typings';
import { Command, CommanderError, Option } from 'commander';
import { present } from '../../core/internal/index.ts';
import type { CommandRequest } from '../options/command-request.ts';
import { type CommandTexts, layOut } from './help-layout.ts';

/** A command without positionals and options. */
export type NewCommand = TypedCommand<[], Record<never, never>>;

/** A command of the program: what it takes, what its help says, and the request that its words make. */
export interface CommandDefinition<Request> {
  readonly name: string;
  /** Its name with what it takes, for the list of all commands. */
  readonly term: string;
  readonly texts: CommandTexts;
  /** Makes the command; `take` gets what a command line asks of it. */
  make(take: (request: Request) => void): Command;
}

type OwnPart<Request> = Request extends unknown ? Omit<Request, keyof CommandRequest<string>> : never;

/** Options that every command has, which `read` does not get. */
interface CommonValues {
  readonly verbose?: true;
  readonly redact?: readonly string[];
}

/** Positionals, options, and what they ask for. */
type CommandDeclaration<Request extends CommandRequest<string>> = <
  Positionals extends unknown[],
  Values extends OptionValues,
>(
  texts: CommandTexts,
  declare: (command: NewCommand) => TypedCommand<Positionals, Values>,
  read: (values: Values, ...positionals: Positionals) => OwnPart<Request>,
) => CommandDefinition<Request>;

/**
 * Defines the command of a kind of request, by what it returns: a function that takes what help says, one that adds
 * positionals and options, and one that makes of their values what only this request has, or throws a `UsageError`.
 */
export function defineCommand<Request extends CommandRequest<string>>(
  name: Request['kind'],
): CommandDeclaration<Request> {
  return (texts, declare, read) => ({
    name,
    term: `${name} ${texts.names}`.trim(),
    texts,
    make: (take) => {
      const command = new Command(name);
      layOut(command, texts);
      // The types of the library are more exact elsewhere, and it is the same class.
      const typed = declare(command as unknown as NewCommand);
      const [first] = command.registeredArguments;
      // For completion; `read` refuses others.
      if (first !== undefined && texts.actions !== undefined) first.argChoices = [...texts.actions];
      command.addHelpOption(helpOption(command));
      command.addOption(new Option('-V, --version').hideHelp());
      command.on('option:version', () => {
        throw new CommanderError(0, versionAsked, 'The version is asked for.');
      });
      command.action(() => {
        const { verbose, redact } = command.opts<CommonValues>();
        const common = { kind: name, isVerbose: verbose === true, ...present({ redact }) };
        // The two parts make the request; the compiler cannot tell that of a `Request` that is not known yet.
        take({ ...common, ...read(typed.opts(), ...typed.processedArgs) } as unknown as Request);
      });
      return command;
    },
  });
}

/** Code of the error that a command line with `--version` ends with. */
export const versionAsked = 'version-asked';

/** `--help`, as the last of the options and with them. */
function helpOption(command: Command): Option {
  const option = new Option('-h, --help', 'Print this');
  const heading = command.options.at(-1)?.helpGroupHeading;
  return heading === undefined ? option : option.helpGroup(heading);
}
