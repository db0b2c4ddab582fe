import type { Option as TypedOption } from '@commander-js/extra-typings';
import { Option } from 'commander';
import { nearestNames } from '../../core/internal/index.ts';
import { UsageError } from '../process/errors.ts';
import { printable } from '../process/plain-text.ts';

/** An option with a value of this type; undefined where it was not given. */
export type ValueOption<Flags extends string, Value> = TypedOption<Flags, undefined, undefined, Value>;

/** An option whose value may be left out: then it is `Preset`. */
export type PresetOption<Flags extends string, Preset, Value> = TypedOption<Flags, Preset, undefined, Value>;

/** An option without a value. */
export type FlagOption<Flags extends string> = TypedOption<Flags>;

/** Reads the value of an option. Throws a {@link UsageError} for one that is not valid. */
export type ValueReader<Value> = (name: string, text: string) => Value;

/** Makes an option without a value, such as `--json`. */
export function flagOption<const Flags extends string>(flags: Flags, description: string): FlagOption<Flags> {
  return makeOption(flags, description);
}

/** Makes an option with a value that is read as it is written, such as `--tag <TAG>`. An empty one is refused. */
export function textOption<const Flags extends string>(
  flags: Flags,
  description: string,
): ValueOption<Flags, string> {
  return valueOption(flags, description, (name, text) => {
    if (text === '') throw new UsageError(`${name} is empty.`);
    return text;
  });
}

/** Makes an option with a value that `read` makes of the text. */
export function valueOption<const Flags extends string, Value>(
  flags: Flags,
  description: string,
  read: ValueReader<Value>,
): ValueOption<Flags, Value> {
  const option = makeOption(flags, description);
  const name = option.long ?? option.flags;
  return option.argParser((text: string): Value => read(name, text));
}

/** Makes an option with one of several values. */
export function choiceOption<const Flags extends string, const Value extends string>(
  flags: Flags,
  description: string,
  values: readonly Value[],
): ValueOption<Flags, Value> {
  return withCandidates(
    valueOption(flags, description, (name, text) => readChoice(name, text, values)),
    values,
  );
}

/** An option whose values may begin so, for completion: its reader refuses others. */
export function withCandidates<Made extends { argChoices?: string[] }>(
  option: Made,
  values: readonly string[],
): Made {
  option.argChoices = [...values];
  return option;
}

/** Makes an option that may be given several times. */
export function listOption<const Flags extends string>(
  flags: Flags,
  description: string,
): ValueOption<Flags, readonly string[]> {
  return makeOption(flags, description).argParser<readonly string[]>((text, previous) => [
    ...(previous ?? []),
    text,
  ]);
}

/** The option, under these flags in help, where it represents the others that they name. */
export function shownAs<const Flags extends string>(
  option: FlagOption<Flags>,
  flags: string,
): FlagOption<Flags> {
  option.flags = flags;
  return option;
}

/** @throws {UsageError} for a text that is not one of the values; it names them, and the nearest one. */
export function readChoice<const Value extends string>(
  name: string,
  text: string,
  values: readonly Value[],
): Value {
  const value = values.find((each) => each === text);
  if (value !== undefined) return value;
  const allowed = `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;
  throw new UsageError(`${name} is "${printable(text)}"; it must be ${allowed}.${didYouMean(text, values)}`);
}

/** A question that ends a message: ` Did you mean "run"?`; empty when nothing is like it. */
export function didYouMean(text: string, values: readonly string[]): string {
  const [nearest] = nearestNames(text, values);
  return nearest === undefined ? '' : ` Did you mean "${nearest}"?`;
}

function makeOption<Flags extends string>(flags: Flags, description: string): FlagOption<Flags> {
  // The types of the library are more exact elsewhere, and it is the same class.
  return new Option(flags, description) as FlagOption<Flags>;
}
