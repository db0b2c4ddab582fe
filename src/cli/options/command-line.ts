import { type ParseArgsConfig, parseArgs } from 'node:util';
import { present } from '../../core/internal/index.ts';
import { UsageError } from '../process/errors.ts';

/** The names of the options that a command takes beside `--verbose` and `--help`. */
export interface OptionNames<Text extends string, Flag extends string> {
  /** Those with a value. */
  readonly texts: readonly Text[];
  readonly flags: readonly Flag[];
  /** Those with a value that may be given several times. Default: none. */
  readonly lists?: readonly (keyof ListValues)[];
}

/** The values of options that may be given several times; undefined for one that was not given. */
export interface ListValues {
  /** Names of environment variables. */
  readonly redact?: readonly string[] | undefined;
}

/** The values of options; undefined for one that was not given. */
export type OptionValues<Text extends string, Flag extends string> = {
  readonly [Name in Text]?: string | undefined;
} & { readonly [Name in Flag]?: boolean | undefined };

/** What an option holds that must not be empty. */
const contents: Readonly<Record<string, string>> = {
  journal: 'the name of the journal',
  blobs: 'the place of the blobs',
  workspace: 'the name of the folder',
  folder: 'the name of the folder',
  log: 'the name of the log',
  overrides: 'the name of the folder of overrides',
  tag: 'the tag',
  mcp: 'the name of the file of servers',
  policy: 'the name of the policy file',
  note: '--note',
  by: '--by',
};

/**
 * Reads the arguments of a command.
 *
 * @throws {UsageError} for a name that is empty. @throws what `parseArgs` throws.
 */
export function readCommandLine<const Text extends string, const Flag extends string>(
  argv: readonly string[],
  { texts, flags, lists = [] }: OptionNames<Text, Flag>,
): {
  readonly values: OptionValues<Text, Flag | 'verbose' | 'help'> & ListValues;
  readonly positionals: readonly string[];
} {
  const options: NonNullable<ParseArgsConfig['options']> = { help: { type: 'boolean', short: 'h' } };
  for (const name of texts) options[name] = { type: 'string' };
  for (const name of lists) options[name] = { type: 'string', multiple: true };
  for (const name of [...flags, 'verbose']) options[name] = { type: 'boolean' };
  if (options['version'] !== undefined) options['version'].short = 'V';
  const words = options['record'] === undefined ? argv : withoutValue(argv);
  const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options });
  for (const [name, value] of Object.entries(values)) {
    if (value === '' && contents[name] !== undefined) throw new UsageError(`${contents[name]} is empty.`);
  }
  // Each has the kind that was asked for.
  return { values: values as OptionValues<Text, Flag | 'verbose' | 'help'> & ListValues, positionals };
}

/** What the request of every command has. */
export interface CommandRequest<Kind extends string> {
  readonly kind: Kind;
  /** Whether the stack of an error is printed, too. */
  readonly isVerbose: boolean;
  /** Names of environment variables whose values are not shown. Default: none but those that are named like secrets. */
  readonly redact?: readonly string[] | undefined;
}

/** Reads the words after the name of a command. Throws a {@link UsageError}, and what `parseArgs` throws. */
export type ArgumentReader<Request> = (argv: readonly string[]) => Request | { readonly kind: 'help' };

type OwnPart<Request> = Request extends unknown ? Omit<Request, keyof CommandRequest<string>> : never;

/**
 * Makes the reader of a command.
 *
 * @param read makes of options and names what only this command has. Throws a {@link UsageError}.
 */
export function argumentReader<
  Request extends CommandRequest<string>,
  const Text extends string,
  const Flag extends string,
>(
  kind: Request['kind'],
  names: OptionNames<Text, Flag>,
  read: (values: OptionValues<Text, Flag | 'verbose'>, positionals: readonly string[]) => OwnPart<Request>,
): ArgumentReader<Request> {
  return (argv) => {
    const { values, positionals } = readCommandLine(argv, names);
    if (values.help === true) return { kind: 'help' };
    const common = { kind, isVerbose: values.verbose === true, ...present({ redact: values.redact }) };
    // The two parts make the request; the compiler cannot tell that of a `Request` that is not known yet.
    return { ...common, ...read(values, positionals) } as unknown as Request;
  };
}

const optionsOfAll: readonly string[] = ['journal', 'blobs', 'verbose', 'help'];

/** @throws {UsageError} for an option that only other actions of the command take. */
export function refuseOthers(values: object, names: readonly string[], action: string): void {
  const other = Object.keys(values).find((name) => !optionsOfAll.includes(name) && !names.includes(name));
  if (other !== undefined) throw new UsageError(`--${other} is not an option of ${action}.`);
}

/** A `--record` that no value follows gets an empty one. */
function withoutValue(argv: readonly string[]): readonly string[] {
  const end = argv.indexOf('--');
  return argv.map((word, index) => {
    const next = argv[index + 1] ?? '-';
    const isBare = word === '--record' && next.startsWith('-') && (end < 0 || index < end);
    return isBare ? '--record=' : word;
  });
}
