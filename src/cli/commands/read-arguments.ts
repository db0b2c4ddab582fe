import { type Command, CommanderError } from 'commander';
import { didYouMean } from '../options/make-option.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';
import { type AnyCommandRequest, definitions, makeProgram } from './command-tree.ts';
import { versionAsked } from './define-command.ts';
import { helpColumns } from './help-layout.ts';

/** A request from the command line. */
export type CliRequest =
  | HelpRequest
  | { readonly kind: 'version' }
  | AnyCommandRequest
  /** An invalid command line; `message` is one line. */
  | {
      readonly kind: 'usage-error';
      readonly message: string;
      /** The command whose help says more; undefined: that of all commands. */
      readonly command: string | undefined;
    };

/** A request for help. */
export interface HelpRequest {
  readonly kind: 'help';
  readonly text: string;
  /** Whether it answers a command line that asks for nothing. */
  readonly isError: boolean;
}

/**
 * Parses the arguments after the name of the program. Never throws.
 * @param columns width of the output for help; undefined: unknown, as for a pipe.
 */
export function readArguments(
  argv: readonly string[],
  { columns }: { readonly columns?: number | undefined } = {},
): CliRequest {
  let request: CliRequest | undefined;
  let help = '';
  const width = helpColumns(columns);
  const program = makeProgram((made) => (request = made), {
    writeOut: (text) => (help += text),
    writeErr: () => undefined,
    getOutHelpWidth: () => width,
  });
  const [first = '', second] = argv;
  const command = program.commands.find((each) => each.name() === first);
  try {
    if (first === '--version' || first === '-V') return { kind: 'version' };
    if (first === 'help' && second === undefined) program.outputHelp();
    else if (first === 'help') commandNamed(program, second ?? '').outputHelp();
    else if (argv.length === 0 || first === '--help' || first === '-h') program.outputHelp();
    else
      commandNamed(program, first).parse(spelledOut(commandNamed(program, first), argv.slice(1)), {
        from: 'user',
      });
  } catch (error) {
    if (error instanceof CommanderError && error.code === versionAsked) return { kind: 'version' };
    const isHelp = error instanceof CommanderError && error.code === 'commander.helpDisplayed';
    if (!isHelp) return { kind: 'usage-error', message: messageOf(error, command), command: command?.name() };
  }
  return request ?? { kind: 'help', text: help, isError: argv.length === 0 };
}

/** @throws {UsageError} */
function commandNamed(program: Command, name: string): Command {
  const command = program.commands.find((each) => each.name() === name);
  if (command !== undefined) return command;
  if (name.startsWith('-')) {
    throw new UsageError(`"${printable(name)}" comes before the command; write the command first: wink run.`);
  }
  const module = /\.[cm]?[jt]s$/.test(name) ? ` Did you mean "wink run ${printable(name)}"?` : undefined;
  const question = module ?? didYouMean(name, [...definitions.keys()]);
  throw new UsageError(`unknown command "${printable(name)}".${question}`);
}

/**
 * The words with the values of options that are left out: the next word is not the value of a bare option that takes one of
 * several.
 * @throws {UsageError} for a word that begins with a dash where a value belongs: it may be the next option.
 */
function spelledOut(command: Command, argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  const options = new Map(command.options.map((option) => [option.long, option]));
  const spelled = words.map((word, index) => {
    const { flags, optional, required, argChoices, presetArg } = options.get(word) ?? {};
    // SQL that begins with a comment looks like an option; a space before it does not change it.
    if (/^--.*\n/.test(word) && !options.has(word.slice(0, word.indexOf('=')))) return ` ${word}`;
    const next = words[index + 1] ?? '';
    if (required === true && next.startsWith('-') && next !== '-') {
      throw new UsageError(
        `option "${word}" needs a value: ${withoutBrackets(flags ?? '')}. For one that begins with a dash write ${word}=${printable(next)}.`,
      );
    }
    return optional === true && argChoices !== undefined ? `${word}=${String(presetArg)}` : word;
  });
  return [...spelled, ...argv.slice(words.length)];
}

/** The flags of an option, as help has them. */
function withoutBrackets(flags: string): string {
  return flags.replaceAll(/[<>]/g, '');
}

/** What is wrong with a command line, as one line. */
function messageOf(error: unknown, command: Command | undefined): string {
  if (error instanceof UsageError) return error.message;
  if (!(error instanceof CommanderError)) throw error;
  const sentence = error.message.replace(/^error: /, '');
  switch (error.code) {
    case 'commander.unknownOption': {
      const [, option = '', value] = /'(-{1,2}[^'=]*)(?:=(.*))?'/s.exec(sentence) ?? [];
      const names = command?.options.flatMap(({ long }) => long ?? []) ?? [];
      if (value !== undefined && names.includes(option))
        return `option "${option}" takes no value, and got "${printable(value)}".`;
      return `unknown option "${printable(option)}".${didYouMean(option, names)}`;
    }
    case 'commander.optionMissingArgument': {
      const [, flags = ''] = /'(?:-., )?(.*)'/.exec(sentence) ?? [];
      return `option "${flags.split(' ')[0]}" needs a value: ${withoutBrackets(flags)}.`;
    }
    case 'commander.excessArguments': {
      const taken = command?.registeredArguments.map((argument) => argument.name()).join(', ');
      const [, expected, given] = /Expected (\d+) arguments? but got (\d+)/.exec(sentence) ?? [];
      const { tooMany } = definitions.get(command?.name() ?? '')?.texts ?? {};
      const hint = tooMany === undefined ? '' : ` ${tooMany}`;
      return `wink ${command?.name()} takes ${taken}: ${expected} at most, not ${given}.${hint}`;
    }
    default:
      return `${printable(sentence).replaceAll("'", '"').replace(/\.$/, '')}.`;
  }
}
