import { maxTimerMs } from '../../core/error/index.ts';
import type { ContextOptions } from '../../core/evaluation/index.ts';
import { present, roundedIntegers, withoutByteOrderMark } from '../../core/internal/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { ReasoningEffort, TokenPrices } from '../../core/tool/index.ts';
import { orUsageError, reasonOf, UsageError } from '../process/errors.ts';

/**
 * When changes are written to the folder: all of them at the end of a successful run, or those of each call when it
 * succeeds.
 */
export type ApplyMode = 'end' | 'each';

// Each function parses the value of the option with this name, and throws a UsageError for an invalid one.

export function readAmount(name: string, text: string, least = 1): number {
  const amount = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(amount) && amount >= least) return amount;
  throw new UsageError(`${name} is "${text}"; it must be a whole number from ${least} on.`);
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a time that a timer waits for: `30s`, `10m`, `1h` or `1.5h`, from a millisecond to `maxHours`, by default what a timer can wait for. */
export function readDuration(
  name: string,
  text: string,
  maxHours: number = Math.floor(maxTimerMs / 3_600_000),
): number {
  const [, amount = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([smh])$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(amount) * (unitsMs[unit] ?? 0));
  if (milliseconds >= 1 && milliseconds <= maxHours * 3_600_000) return milliseconds;
  throw new UsageError(
    `${name} is "${text}"; it must be a time such as 30s, 10m or 1h, above 0 and at most ${maxHours}h.`,
  );
}

/** Milliseconds of a long time: `30m`, `12h` or `30d`, in whole numbers. @param orElse what else the option takes, for its refusal. */
export function readAge(name: string, text: string, orElse = ''): number {
  const [, amount = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  if (unitMs !== undefined) return Number(amount) * unitMs;
  throw new UsageError(`${name} is "${text}"; it must be a time such as 30m, 12h or 30d${orElse}.`);
}

const unitsBytes: Readonly<Record<string, number>> = { kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };

/** Bytes of a size: `500mb` or `1.5gb`. */
export function readSize(name: string, text: string): number {
  const [, amount = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([kmg]b)$/.exec(text.toLowerCase()) ?? [];
  const unitBytes = unitsBytes[unit];
  if (unitBytes !== undefined) return Math.round(Number(amount) * unitBytes);
  throw new UsageError(`${name} is "${text}"; it must be a size such as 500mb or 2gb.`);
}

/** The same from a minute on. */
export function readExpiry(name: string, text: string): number {
  const expiresMs = readAge(name, text);
  if (expiresMs === 0) throw new UsageError(`${name} must be at least 1m.`);
  return expiresMs;
}

export function readParams(name: string, text: string): JsonObject {
  const written = withoutByteOrderMark(text);
  const value: unknown = orUsageError(
    () => JSON.parse(written),
    (error) => `${name} is not JSON: ${reasonOf(error)}.`,
  );
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`${name} must be a JSON object such as '{"name":"value"}'.`);
  }
  const [rounded] = roundedIntegers(written);
  if (rounded !== undefined) {
    const { digits, path } = rounded;
    throw new UsageError(
      `${name} has the integer ${digits} as "${path.join('.')}", which a number does not hold; write it as text, in quotes.`,
    );
  }
  // JSON.parse yields JSON.
  return value as JsonObject;
}

export function readBaseUrl(name: string, text: string): string {
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new UsageError(`${name} is "${text}"; it must be a URL such as http://127.0.0.1:8080/v1.`);
}

export function readCost(name: string, text: string): number {
  const cost = readDecimal(text);
  if (cost !== undefined && cost > 0) return cost;
  throw new UsageError(
    `${name} is "${text}"; it must be an amount over 0 such as 2.50, with six decimal places at most.`,
  );
}

export function readPrices(name: string, text: string): TokenPrices {
  const amounts = text.split('/').map(readDecimal);
  const [input, second, third] = amounts;
  const output = third ?? second;
  if (amounts.length > 3 || amounts.includes(undefined) || input === undefined || output === undefined) {
    throw new UsageError(
      `${name} is "${text}"; it must be INPUT/OUTPUT or INPUT/CACHED/OUTPUT for a million tokens, such as 1.25/0.125/10.`,
    );
  }
  return {
    inputPerMillion: input,
    outputPerMillion: output,
    ...present({ cachedInputPerMillion: third === undefined ? undefined : second }),
  };
}

function readDecimal(text: string): number | undefined {
  return /^\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text) : undefined;
}

/** When a conversation is compacted, and to what. */
export type ContextCompaction = NonNullable<ContextOptions['compact']>;

/** @throws {UsageError} for other than two amounts of tokens, the second at most three quarters of the first. */
export function readCompaction(name: string, text: string): ContextCompaction {
  const [at, to, more] = text.split('/').map((part) => (/^\d{3,9}$/.test(part) ? Number(part) : undefined));
  if (
    at === undefined ||
    to === undefined ||
    more !== undefined ||
    at < 1_000 ||
    to < 500 ||
    to > 0.75 * at
  ) {
    throw new UsageError(
      `${name} is "${text}"; it must be AT/TO in tokens, such as 120000/40000: AT of at least 1000, TO from 500 to three quarters of AT.`,
    );
  }
  return { atInputTokens: at, toInputTokens: to };
}

/** What happens when the conversation exceeds the context window. */
export type ContextOverflow = NonNullable<ContextOptions['overflow']>;

/** How much a model may think. */
export const efforts: readonly ReasoningEffort[] = Object.keys({
  none: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
  max: true,
} satisfies Readonly<Record<ReasoningEffort, true>>) as ReasoningEffort[];

/** The overrides requested for a run or a replay. */
export interface OverridesChoice {
  /** Undefined: `latest`. */
  readonly tag: string | undefined;
  /** The directory of the overrides; undefined: that of the agent's repository. */
  readonly root: string | undefined;
}

/** Texts that the agent gets besides its own. */
export interface AddedTexts {
  /** Folders with skills. */
  readonly skills: readonly string[];
  /** `workspace`: skills of the folder that is worked on are used, too; undefined: they are refused. */
  readonly trust: 'workspace' | undefined;
  /** Whether the instructions of the folder are shown. */
  readonly hasInstructions: boolean;
}

/** A backend named on the command line. */
export type SandboxChoice =
  | { readonly kind: 'bubblewrap' }
  | { readonly kind: 'virtual' }
  | { readonly kind: 'podman'; readonly image: string };

/** @throws {UsageError} for another value. */
export function readSandbox(name: string, text: string): SandboxChoice {
  if (text === 'bubblewrap' || text === 'virtual') return { kind: text };
  const image = /^podman:(.+)$/.exec(text)?.[1];
  if (image !== undefined) return { kind: 'podman', image };
  throw new UsageError(
    text === 'podman'
      ? `${name} is "podman"; name the image too, such as podman:docker.io/library/node:22-slim.`
      : `${name} is "${text}"; it must be bubblewrap, virtual or podman:IMAGE.`,
  );
}

/** The number of a commit, or the id of a call. */
export function readCall(name: string, text: string): number | string {
  if (text === '') throw new UsageError(`${name} is empty.`);
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/** The word for the newest run, the one that was at work last: never a name. */
export const newestWord = 'last';

/**
 * The name of a run that begins.
 * @throws {UsageError} for an invalid one.
 */
export function readRunName(option: string, name: string): string {
  if (name === newestWord) {
    throw new UsageError(`${option} is "${name}", which means the newest run; give it another name.`);
  }
  if (/^\w[\w.:@+-]{0,99}$/.test(name)) return name;
  throw new UsageError(
    `${option} is "${name}"; it must have 1 to 100 letters, digits or "._:@+-", and begin with a letter or a digit.`,
  );
}
