import {
  assertOptions,
  type OptionChecks,
  type OptionRule,
  type OptionsOf,
  PromptValidationError,
  rule,
  unknownOption,
} from '../../core/error/index.ts';
import { isPlainObject, present } from '../../core/internal/index.ts';
import { describeReceived, type JsonObject } from '../../core/schema/index.ts';
import { type HostedTool, type HostedToolOutput, hostedTool } from '../../core/tool/index.ts';

/** The place of a value in the config of a hosted tool. */
export interface ConfigPlace {
  readonly tool: string;
  /** Such as `geoHint.countryCode`; empty for the config itself. */
  readonly path: string;
}

/** Reads one value of a config: gives it as the config shall hold it, or refuses it with a `PromptValidationError`. */
export type ConfigCheck<Value> = (value: unknown, place: ConfigPlace) => Value;

/** A check of a value, or what a value that is kept as it is must be. */
type ValueCheck<Value> = ConfigCheck<Value> | OptionRule<Value>;

/** A check for every key that an object may have. */
type ConfigChecks<Config extends JsonObject> = {
  readonly [Key in keyof Config]-?: ValueCheck<Exclude<Config[Key], undefined>>;
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
  const known: readonly (readonly [string, ValueCheck<unknown>])[] = Object.entries(checks);
  const names = known.map(([key]) => key);
  const read: ConfigCheck<Config> = (value, place) => {
    if (!isPlainObject(value)) throw refuseValue(place, 'a plain object', value);
    const unknown = Object.keys(value).find((key) => !names.includes(key));
    if (unknown !== undefined) throw unknownKey(place, unknown, names);
    const entries = known.flatMap(([key, check]) => {
      const given = Object.hasOwn(value, key) ? value[key] : undefined;
      if (given !== undefined) return [[key, checked(check, given, within(place, key))] as const];
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

function checked<Value>(check: ValueCheck<Value>, value: unknown, place: ConfigPlace): Value {
  if (typeof check === 'function') return check(value, place);
  if (check.isUsable(value)) return value;
  throw refuseValue(place, check.what, value);
}

/** A list of at least one item; an item that is there twice is kept once. */
export function listOf<Item extends string>(
  check: ValueCheck<Item>,
  emptyAdvice: string,
): ConfigCheck<readonly Item[]> {
  return (value, place) => {
    if (!Array.isArray(value)) throw refuseValue(place, 'a list', value);
    if (value.length === 0) throw refuseConfig(place, `is an empty list: ${emptyAdvice}`);
    return [...new Set(value.map((item, index) => checked(check, item, within(place, String(index)))))];
  };
}

export const flag: OptionRule<boolean, undefined> = rule(
  (value) => typeof value === 'boolean',
  'true or false',
);

/** One line of text with something in it. */
export const line: OptionRule<string, undefined> = rule(
  (value) => typeof value === 'string' && value.trim() !== '' && !/[\p{Cc}\u2028\u2029]/u.test(value),
  'one line of text that is not empty',
);

/** A place inside of another. */
export function within({ tool, path }: ConfigPlace, key: string): ConfigPlace {
  return { tool, path: path === '' ? key : `${path}.${key}` };
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

/** A hosted tool of one kind, which is its name unless the options have another one, with its config checked and copied. */
export function makeHostedTool<Config extends JsonObject, Output extends HostedToolOutput>(
  maker: string,
  defaults: { readonly kind: string; readonly description: string },
  check: ObjectCheck<Config>,
  options: Partial<HostedToolOptions<Config>>,
): HostedTool<Config, Output> {
  assertHostedOptions(maker, options, check.names);
  const { config = {}, name = defaults.kind } = options;
  const made = check(config, { tool: name, path: '' });
  return hostedTool<Config, Output>({ ...defaults, ...present(options), name, config: made });
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
