import { isText, nearestNames, present, quoteText, startOf } from '../internal/index.ts';
import {
  type ArgumentKind,
  assertArgument,
  assertKind,
  describeKind,
  type RefuseArgument,
  refusePrompt,
} from './argument.ts';

/** What one option must be, beyond its kind, and what it is when it is left out. */
export interface OptionRule<out Value = unknown, out Default extends Value | undefined = Value | undefined> {
  readonly isUsable: (value: unknown) => value is Value;
  /** What is wanted, to be read after "must be". */
  readonly what: string;
  readonly byDefault: Default;
  /** Whether it must be given. */
  readonly isRequired?: true;
  /** Whether a text, or a list of texts, that is refused is shown; by default no text is, which may be a secret. */
  readonly showsTexts?: boolean;
}

/**
 * What an option must be: of a kind, required where that ends in `!`; by a rule; an object of options of its own; `'any'`, not null, where something else checks it;
 * `'unknown'` where null has a meaning, too.
 */
export type OptionCheck =
  | ArgumentKind
  | `${ArgumentKind}!`
  | 'any'
  | 'unknown'
  | OptionRule
  | OptionChecks
  | undefined;

/** The options that a maker knows. */
export interface OptionChecks {
  readonly [name: string]: OptionCheck;
}

/** The names of every member of a union. */
type NamesOf<T> = T extends unknown ? keyof T & string : never;
/**
 * What the options of a type are checked by: the compiler refuses a table that lacks one, or has one of another name or kind. Each of `Defaulted` has a rule with a
 * default.
 */
export type OptionsOf<T, Defaulted extends NamesOf<T> = never> = {
  readonly [Name in NamesOf<T>]: Name extends Defaulted
    ? OptionRule<Exclude<ValueOf<T, Name>, undefined>, Exclude<ValueOf<T, Name>, undefined>>
    : CheckOf<Exclude<ValueOf<T, Name>, undefined>>;
};
/** Limits of which each has a default. */
export type LimitsOf<T> = OptionsOf<T, NamesOf<T>>;
type ValueOf<T, Name> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never;
type CheckOf<Value> = OptionRule | 'any' | 'unknown' | KindOf<Value>;
type Kinds<Kind extends ArgumentKind> = Kind | `${Kind}!`;
type KindOf<Value> = [Value] extends [string]
  ? Kinds<'string'>
  : [Value] extends [number]
    ? Kinds<'number'>
    : [Value] extends [boolean]
      ? Kinds<'boolean'>
      : [Value] extends [(...args: never[]) => unknown]
        ? Kinds<'function'>
        : [Value] extends [readonly unknown[]]
          ? Kinds<'array'>
          : [Value] extends [object]
            ? Kinds<'object'> | OptionChecks
            : never;

/** Options as they are used: those that were left out have their defaults. */
export type WithDefaults<Checks extends OptionChecks> = {
  readonly [Name in keyof Checks]: Checks[Name] extends OptionRule<infer Value, infer Default>
    ? Value | Default
    : unknown;
};

/** How options are refused. */
export interface OptionRefusal {
  /** Creates the error. Default: a `PromptValidationError`. */
  readonly refuse?: RefuseArgument | undefined;
  /** The path of the options within those of the maker, such as `limits`. Default: they are its options. */
  readonly path?: string | undefined;
  /** Options that had another name or place, with what takes their place now. Both by path. */
  readonly moved?: ReadonlyMap<string, string> | undefined;
}

/** A whole number of a range. `orInfinity`: also `Infinity`. */
export function integer<const Default extends number | undefined = undefined>({
  min,
  max = Number.MAX_SAFE_INTEGER,
  default: byDefault,
  orInfinity = false,
}: {
  readonly min: number;
  readonly max?: number;
  readonly default?: Default;
  readonly orInfinity?: boolean;
}): OptionRule<number, Widened<Default>> {
  const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
  return rule(
    (value) =>
      typeof value === 'number' &&
      ((Number.isSafeInteger(value) && value >= min && value <= max) || (orInfinity && value === Infinity)),
    `a whole number ${range}${orInfinity ? ' or Infinity' : ''}`,
    byDefault,
  );
}

/** The longest delay of timers, in milliseconds; a longer one fires at once. */
export const maxTimerMs = 2_147_483_647;

/** A finite number, which may have a fraction: from `min` on, or above `above`. */
export function number<const Default extends number | undefined = undefined>({
  min = Number.NEGATIVE_INFINITY,
  above = Number.NEGATIVE_INFINITY,
  max = Number.MAX_VALUE,
  default: byDefault,
}: {
  readonly min?: number;
  readonly above?: number;
  readonly max?: number;
  readonly default?: Default;
}): OptionRule<number, Widened<Default>> {
  const lower = above > min ? `above ${above}` : `of at least ${min}`;
  return rule(
    (value) =>
      typeof value === 'number' && Number.isFinite(value) && value >= min && value > above && value <= max,
    `a number ${lower}${max === Number.MAX_VALUE ? '' : ` and at most ${max}`}`,
    byDefault,
  );
}

/** One of some strings; without a default the first one is not implied. */
export function oneOf<const Choice extends string, const Default extends Choice | undefined = undefined>(
  choices: readonly Choice[],
  byDefault?: Default,
): OptionRule<Choice, Default> {
  const quoted = choices.map((choice) => `'${choice}'`);
  const last = quoted.pop();
  return rule(
    (value) => choices.some((choice) => choice === value),
    quoted.length === 0 ? String(last) : `${quoted.join(', ')} or ${last}`,
    byDefault,
  );
}

/** A text that matches. */
export function matching(pattern: RegExp, what: string): OptionRule<string, undefined> {
  return rule((value) => typeof value === 'string' && pattern.test(value), what);
}

/** What a system takes as an argument or a path: not empty, and without the character U+0000. @param isUsable what else it must be. */
export function systemText(
  what: string,
  isUsable: (text: string) => boolean = () => true,
): OptionRule<string, undefined> {
  return rule(
    (value) => typeof value === 'string' && value !== '' && !value.includes('\0') && isUsable(value),
    what,
  );
}

/** A list of what is usable. @param what is wanted, as of a whole list. */
export function listOf<Item>(
  isUsable: (item: unknown) => boolean,
  what: string,
): OptionRule<readonly Item[], undefined> {
  return rule((value) => Array.isArray(value) && value.every(isUsable), what);
}

/** An option that must be given. */
export function required<Value>(check: OptionRule<Value, undefined>): OptionRule<Value, undefined> {
  return { ...check, isRequired: true };
}

/** A list with at least one of some strings, each once. */
export function someOf<const Choice extends string>(
  choices: readonly Choice[],
): OptionRule<readonly Choice[], undefined> {
  const isUsable = (value: unknown): boolean =>
    Array.isArray(value) &&
    value.length > 0 &&
    new Set(value).size === value.length &&
    value.every((each) => choices.some((choice) => choice === each));
  const what = `a list of some of ${choices.map((choice) => `'${choice}'`).join(', ')}: at least one, each once`;
  return { ...rule(isUsable, what), showsTexts: true };
}

type Widened<Default> = Default extends number ? number : undefined;

/** What is usable by a test of its own. @param what is wanted, to be read after "must be". */
export function rule<Value, Default extends Value | undefined = undefined>(
  isUsable: (value: unknown) => boolean,
  what: string,
  byDefault?: unknown,
): OptionRule<Value, Default> {
  // Who makes a rule says of which type its values are.
  return { isUsable, what, byDefault } as OptionRule<Value, Default>;
}

/**
 * Refuses options that are not an object, an option that is not known, by its name and with the nearest known one, and one that is not what its check says. An undefined
 * option counts as absent, whatever its name. Own properties are options, enumerable ones, symbols too; what a class gives its instances is not.
 * @param of the function that takes the options, as in `tool()`.
 */
export function assertOptions<T>(
  of: string,
  options: T,
  checks: { readonly [Name in NamesOf<T>]: OptionCheck },
  refusal: OptionRefusal | RefuseArgument = {},
): void {
  const {
    refuse = refusePrompt,
    path = '',
    moved,
  } = typeof refusal === 'function' ? { refuse: refusal } : refusal;
  assertArgument(of, path === '' ? 'options' : path, options, 'object', refuse);
  // Values may be anything.
  const given = Object(options) as object;
  // With every name that the type of the options has.
  const known = checks as OptionChecks;
  for (const name of Reflect.ownKeys(given)) {
    if (typeof name === 'string' && Object.hasOwn(known, name)) continue;
    if (!Object.prototype.propertyIsEnumerable.call(given, name) || Reflect.get(given, name) === undefined)
      continue;
    throw unknownOption(of, within(path, String(name)), namesIn(known, path), refuse, moved);
  }
  for (const [name, check] of Object.entries(known)) {
    const value: unknown = Reflect.get(given, name);
    const option = within(path, name);
    if (check === undefined || check === 'unknown') continue;
    if (check === 'any') {
      if (value === null) throw unusable(of, option, 'left out rather than null', value, refuse);
    } else if (typeof check === 'string') assertKind(of, option, value, check, refuse);
    else if (!isRule(check)) {
      if (value !== undefined) assertOptions(of, value, check, { refuse, path: option, moved });
    } else if (value === undefined && check.isRequired !== true) continue;
    else if (!check.isUsable(value)) throw unusable(of, option, check.what, value, refuse, check.showsTexts);
  }
}

/** The options with the defaults of those that are absent; frozen. They were checked by {@link assertOptions}. */
export function withDefaults<const Checks extends OptionChecks>(
  checks: Checks,
  options: object = {},
): WithDefaults<Checks> {
  const values: Record<string, unknown> = {};
  for (const name of Object.keys(checks)) {
    const check = checks[name];
    const value: unknown = Reflect.get(options, name);
    values[name] = value === undefined && isRule(check) ? check.byDefault : value;
  }
  // Each value passed the check of its name, or is its default.
  return Object.freeze(values) as WithDefaults<Checks>;
}

/**
 * The error for an option that a maker does not know.
 * @param known paths of those that it knows, those of groups too.
 */
export function unknownOption(
  of: string,
  option: string,
  known: readonly string[],
  refuse: RefuseArgument = refusePrompt,
  moved?: ReadonlyMap<string, string>,
): Error {
  const group = option.slice(0, option.lastIndexOf('.') + 1);
  const name = option.slice(group.length);
  const siblings = known.flatMap((path) => {
    const rest = path.startsWith(group) ? path.slice(group.length) : '.';
    return rest.includes('.') ? [] : [rest];
  });
  const place = moved?.get(option) ?? known.find((path) => path.endsWith(`.${name}`));
  const near = nearestNames(name, siblings)[0] ?? siblings.find((sibling) => isAlike(sibling, name));
  const nearest = place ?? (near === undefined ? undefined : `${group}${near}`);
  const hint = near === undefined ? `its options are ${siblings.join(', ')}` : `the nearest is "${nearest}"`;
  return refuse(`${of} has no option "${option}"; ${place === undefined ? hint : `use ${place}`}.`, {
    details: { option, ...present({ nearest }) },
  });
}

/** One begins as the other does, such as `policies` and `policy`: the first half of it, and four characters at least. */
function isAlike(known: string, name: string): boolean {
  return known.startsWith(name.slice(0, Math.max(4, Math.ceil(name.length / 2))));
}

function namesIn(checks: OptionChecks, path: string): readonly string[] {
  return Object.entries(checks).flatMap(([name, check]) => {
    const own = within(path, name);
    return typeof check === 'object' && !isRule(check) ? [own, ...namesIn(check, own)] : [own];
  });
}

function within(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function isRule(check: OptionCheck): check is OptionRule {
  return typeof check === 'object' && typeof check['isUsable'] === 'function';
}

/** How much of a text that is refused is shown, in characters. */
const maxShownText = 100;

/**
 * The error for an option that is not what it must be.
 * @param showsTexts otherwise a text is not shown: it may be a secret.
 */
export function unusable(
  of: string,
  option: string,
  what: string,
  value: unknown,
  refuse: RefuseArgument,
  showsTexts = false,
): Error {
  const received = shown(value, showsTexts) ?? describeKind(value);
  return refuse(`${of}: ${option} must be ${what}; received ${received}.`, {
    details: { option, expected: what, received },
  });
}

function shown(value: unknown, showsTexts: boolean): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (!showsTexts) return undefined;
  if (typeof value === 'string')
    return `${quoteText(startOf(value, maxShownText))}, of ${value.length} characters`;
  return Array.isArray(value) && value.every(isText) ? JSON.stringify(value) : undefined;
}
