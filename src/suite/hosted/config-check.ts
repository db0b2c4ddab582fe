import {
  assertOptions,
  type OptionChecks,
  type OptionsOf,
  PromptValidationError,
  unknownOption,
} from '../../core/error/index.ts';
import { quotedList } from '../../core/internal/index.ts';
import {
  describeReceived,
  isSchemaObject,
  type JsonObject,
  type JsonValue,
} from '../../core/schema/index.ts';
import { type HostedTool, type HostedToolOutput, hostedTool } from '../../core/tool/index.ts';

/** The place of a value in the config of a hosted tool. */
export interface ConfigPlace {
  readonly tool: string;
  /** Such as `geoHint.countryCode`; empty for the config itself. */
  readonly path: string;
}

/** Reads one value of a config: gives it as the config shall hold it, or refuses it with a `PromptValidationError`. */
export type ConfigCheck<Value> = (value: unknown, place: ConfigPlace) => Value;

/** A check for every key that an object may have. */
export type ConfigChecks<Config extends JsonObject> = {
  readonly [Key in keyof Config]-?: ConfigCheck<Exclude<Config[Key], undefined>>;
};

/** @param problem such as `must be "a" or "b"`, to be read after the name of the place. */
export function refuseConfig(
  { tool, path }: ConfigPlace,
  problem: string,
  reason: { readonly cause?: unknown } = {},
): PromptValidationError {
  return new PromptValidationError(
    `The config of hosted tool "${tool}" cannot be used: ${path || 'it'} ${problem}.`,
    { ...reason, details: { tool, placeholder: 'config', path } },
  );
}

/** Refuses a value that may be shown. */
export function refuseValue(place: ConfigPlace, expected: string, value: unknown): PromptValidationError {
  return refuseConfig(place, `must be ${expected}, but it is ${describeReceived(value)}`);
}

/** A check of an object, with the names of what it may have. */
export interface ObjectCheck<Config> extends ConfigCheck<Config> {
  readonly names: readonly string[];
}

/** An object with these keys and no others; keys whose value is undefined are left out. */
export function objectOf<Config extends JsonObject>(
  checks: ConfigChecks<Config>,
  required: readonly (keyof Config & string)[] = [],
): ObjectCheck<Config> {
  const known: readonly (readonly [string, ConfigCheck<JsonValue>])[] = Object.entries(checks);
  const names = known.map(([key]) => key);
  const read: ConfigCheck<Config> = (value, place) => {
    if (!isPlainObject(value)) throw refuseValue(place, 'a plain object', value);
    const unknown = Object.keys(value).find((key) => !names.includes(key));
    if (unknown !== undefined) throw unknownKey(place, unknown, names);
    const entries = known.flatMap(([key, check]) => {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      if (given !== undefined) return [[key, check(given, within(place, key))] as const];
      if (required.includes(key)) throw refuseConfig(within(place, key), 'is missing');
      return [];
    });
    // Each value was made by the check of its key.
    return Object.fromEntries(entries) as Config;
  };
  return Object.assign(read, { names });
}

function unknownKey(place: ConfigPlace, key: string, names: readonly string[]): Error {
  const { tool, path } = place;
  return unknownOption(
    `The config of hosted tool "${tool}"`,
    within(place, key).path,
    names.map((name) => within(place, name).path),
    (message, { details }) =>
      new PromptValidationError(message, { details: { ...details, tool, placeholder: 'config', path } }),
  );
}

/** A list of at least one item; an item that is there twice is kept once. */
export function listOf(check: ConfigCheck<string>, emptyAdvice: string): ConfigCheck<readonly string[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw refuseValue(place, 'a list', value);
    if (value.length === 0) throw refuseConfig(place, `is an empty list: ${emptyAdvice}`);
    return [...new Set(value.map((item, index) => check(item, within(place, String(index)))))];
  };
}

/** Exactly one of these strings. */
export function oneOf<const Choice extends string>(...choices: readonly Choice[]): ConfigCheck<Choice> {
  return (value, place) => {
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    throw refuseValue(place, `one of ${quotedList(choices)}`, value);
  };
}

/** A whole number from `minimum` to `maximum`. Default: no upper bound. */
export function integer(minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): ConfigCheck<number> {
  return (value, place) => {
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum && value <= maximum) {
      return value;
    }
    const range =
      maximum === Number.MAX_SAFE_INTEGER ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
    throw refuseValue(place, `a whole number ${range}`, value);
  };
}

/** A number from 0 to 1. */
export const fraction: ConfigCheck<number> = (value, place) => {
  if (typeof value === 'number' && value >= 0 && value <= 1) return value;
  throw refuseValue(place, 'a number from 0 to 1', value);
};

export const flag: ConfigCheck<boolean> = (value, place) => {
  if (typeof value === 'boolean') return value;
  throw refuseValue(place, 'true or false', value);
};

/** One line of text with something in it. */
export const line: ConfigCheck<string> = (value, place) => {
  if (typeof value === 'string' && value.trim() !== '' && !/[\p{Cc}\u2028\u2029]/u.test(value)) return value;
  throw refuseValue(place, 'one line of text that is not empty', value);
};

/** A place inside of another. */
export function within({ tool, path }: ConfigPlace, key: string): ConfigPlace {
  return { tool, path: path === '' ? key : `${path}.${key}` };
}

/** Instances of classes would lose what they hold: their keys are not what they were made for. */
function isPlainObject(value: unknown): value is JsonObject {
  if (!isSchemaObject(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  // Objects of another realm have another Object.prototype; it, too, is the end of its chain.
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Options of a hosted tool: its config, and how the model and the results know it. */
export interface HostedToolOptions<Config> {
  /** What the provider's tool may do. Optional where the provider's defaults do: `{}`. */
  readonly config: Config;
  /** Its name in the prompt, unique among all tools. Default: the name of its kind, or the label of a remote server. */
  readonly name?: string;
  /** 1 to 200 characters, for people and for providers that take one. A default is provided. */
  readonly description?: string;
}

/** A hosted tool of one kind with its config checked and copied. */
export function makeHostedTool<Config extends JsonObject, Output extends HostedToolOutput>(
  maker: string,
  defaults: { readonly kind: string; readonly name: string; readonly description: string },
  check: ObjectCheck<Config>,
  options: Partial<HostedToolOptions<Config>>,
): HostedTool<Config, Output> {
  assertHostedOptions(maker, options, check.names);
  const { config = {}, name = defaults.name, description = defaults.description } = options;
  const checked = check(config, { tool: name, path: '' });
  return hostedTool<Config, Output>({ kind: defaults.kind, name, description, config: checked });
}

/**
 * Refuses an option that the maker of a hosted tool does not know; one of the config says so.
 * @param config names of the options of the config.
 * @param own options that this maker has beside those of others.
 */
export function assertHostedOptions<Own extends object = Record<never, never>>(
  maker: string,
  options: Partial<HostedToolOptions<unknown>> & Own,
  config: readonly string[],
  own?: OptionsOf<Own>,
): void {
  const moved = new Map(config.map((name) => [name, `config.${name}`]));
  const checks: OptionChecks = { config: 'unknown', name: 'string', description: 'string', ...own };
  assertOptions<unknown>(maker, options, checks, { moved });
}
