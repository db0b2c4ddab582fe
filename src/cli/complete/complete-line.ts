import type { Command, Option } from 'commander';
import { splitLine } from './line-words.ts';

/** What a word at the cursor may be. */
export type Candidates =
  | { readonly kind: 'words'; readonly words: readonly string[] }
  /** The name of a run, after `prefix`, in the journal that the line names. */
  | {
      readonly kind: 'run';
      readonly prefix: string;
      readonly command: string;
      readonly journal: string | undefined;
    };

const none: Candidates = { kind: 'words', words: [] };

/** A line, as far as it was read. */
interface ReadLine {
  readonly positionals: readonly string[];
  readonly journal: string | undefined;
  /** The option whose value the next word is. */
  readonly open: Option | undefined;
  /** Whether `--` has ended the options. */
  readonly isEnded: boolean;
}

/** What may be at the end of a command line, by the commands of a program. No words where that is a file, or anything. */
export function completeLine(program: Command, line: string): Candidates {
  const { before, current } = splitLine(line);
  if (current === undefined || before.length === 0) return none;
  const [, name, ...words] = before;
  const names = program.commands.map((command) => command.name());
  if (name === undefined) return startingWith(current, [...names, 'help', '--help', '--version']);
  if (name === 'help') return words.length === 0 ? startingWith(current, names) : none;
  const command = program.commands.find((each) => each.name() === name);
  if (command === undefined) return none;
  const { isEnded, journal, open, positionals } = readWords(command, words);
  if (open !== undefined) return startingWith(current, open.argChoices ?? []);
  if (!isEnded && current.startsWith('-')) return optionsOf(command, current);
  return positionalOf(command, positionals, current, journal);
}

function readWords(command: Command, words: readonly string[]): ReadLine {
  const positionals: string[] = [];
  let journal: string | undefined;
  let open: Option | undefined;
  let isEnded = false;
  for (const word of words) {
    if (open !== undefined) {
      if (open.long === '--journal') journal = word;
      open = undefined;
    } else if (isEnded || !word.startsWith('-')) positionals.push(word);
    else if (word === '--') isEnded = true;
    else if (word.startsWith('--journal=')) journal = word.slice('--journal='.length);
    else {
      const option = command.options.find(({ long, short }) => long === word || short === word);
      // What is optional and one of several is never the next word.
      const takesNext =
        option?.required === true || (option?.optional === true && option.argChoices === undefined);
      if (takesNext) open = option;
    }
  }
  return { positionals, journal, open, isEnded };
}

function optionsOf(command: Command, current: string): Candidates {
  const shown = command.options.filter(({ hidden }) => !hidden);
  const equals = current.indexOf('=');
  const option = shown.find(({ long }) => long === current.slice(0, equals));
  if (option !== undefined) {
    return startingWith(current, option.argChoices?.map((value) => `${option.long}=${value}`) ?? []);
  }
  const words = shown.flatMap(({ argChoices, long, optional }) => {
    if (long === undefined || long === null) return [];
    return optional && argChoices !== undefined
      ? [long, ...argChoices.map((value) => `${long}=${value}`)]
      : [long];
  });
  return startingWith(current, [...words, '--help']);
}

function positionalOf(
  command: Command,
  positionals: readonly string[],
  current: string,
  journal: string | undefined,
): Candidates {
  const args = command.registeredArguments;
  const argument = args[positionals.length] ?? (args.at(-1)?.variadic === true ? args.at(-1) : undefined);
  if (argument === undefined) return none;
  if (argument.argChoices !== undefined) return startingWith(current, argument.argChoices);
  const [action] = positionals;
  const hasNoRun = argument.name() !== 'RUN' || action === 'list';
  if (hasNoRun) return none;
  return { kind: 'run', prefix: current, command: command.name(), journal };
}

function startingWith(current: string, words: readonly string[]): Candidates {
  return { kind: 'words', words: words.filter((word) => word.startsWith(current)) };
}

/** A word as bash wants it: without what it leaves as it is, up to the last `=` or `:` of the word at the cursor. */
export function withoutKept(word: string, line: string): string {
  const current = splitLine(line).current ?? '';
  return word.slice(Math.max(current.lastIndexOf('='), current.lastIndexOf(':')) + 1);
}
