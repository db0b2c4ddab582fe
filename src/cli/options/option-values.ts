import { maxTimerMs } from '../../core/error/index.ts';
import type { ContextOptions } from '../../core/evaluation/index.ts';
import { present, roundedIntegers, withoutByteOrderMark } from '../../core/internal/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type { Budget, ModelSettings, ReasoningEffort, TokenPrices } from '../../core/tool/index.ts';
import type { ResumedFiles } from '../../durable/index.ts';
import { orUsageError, reasonOf, UsageError } from '../process/errors.ts';

/**
 * When changes are written to the folder: all of them at the end of a successful run, or those of each call when it
 * succeeds.
 */
export type ApplyMode = 'end' | 'each';

// Each function parses the value of an option, undefined when it was not given, and throws a UsageError for an invalid one.

export function readAmount(name: string, text: string | undefined, least = 1): number | undefined {
  if (text === undefined) return undefined;
  const amount = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isSafeInteger(amount) && amount >= least) return amount;
  throw new UsageError(`${name} is "${text}"; it must be a whole number from ${least} on.`);
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a time that a timer waits for: `30s`, `10m`, `1h` or `1.5h`, from a millisecond to `maxHours`, by default what a timer can wait for. */
export function readDuration(
  name: string,
  text: string | undefined,
  maxHours: number = Math.floor(maxTimerMs / 3_600_000),
): number | undefined {
  if (text === undefined) return undefined;
  const [, amount = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?)([smh])$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(amount) * (unitsMs[unit] ?? 0));
  if (milliseconds >= 1 && milliseconds <= maxHours * 3_600_000) return milliseconds;
  throw new UsageError(
    `${name} is "${text}"; it must be a time such as 30s, 10m or 1h, above 0 and at most ${maxHours}h.`,
  );
}

/** Milliseconds of a long time: `30m`, `12h` or `30d`, in whole numbers. */
export function readAge(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, amount = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  if (unitMs !== undefined) return Number(amount) * unitMs;
  throw new UsageError(`${name} is "${text}"; it must be a time such as 30m, 12h or 30d.`);
}

/** Reads `--expires`. */
export function readExpiry(text: string | undefined): number | undefined {
  const expiresMs = readAge('--expires', text);
  if (expiresMs === 0) throw new UsageError('--expires must be at least 1m.');
  return expiresMs;
}

/** Reads `--files`. */
export function readResumedFiles(text: string | undefined): ResumedFiles | undefined {
  if (text === undefined || text === 'check' || text === 'restore' || text === 'as-is') return text;
  throw new UsageError(
    `--files is "${text}"; it must be check (the default: the run is refused when its folder is not as it left it), restore (write what it had left) or as-is (go on with what is there).`,
  );
}

export function readParams(text: string | undefined): JsonObject {
  if (text === undefined) return {};
  const written = withoutByteOrderMark(text);
  const value: unknown = orUsageError(
    () => JSON.parse(written),
    (error) => `--params is not JSON: ${reasonOf(error)}.`,
  );
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new UsageError(`--params must be a JSON object such as '{"name":"value"}'.`);
  }
  const [rounded] = roundedIntegers(written);
  if (rounded !== undefined) {
    const { digits, path } = rounded;
    throw new UsageError(
      `--params has the integer ${digits} as "${path.join('.')}", which a number does not hold; write it as text, in quotes.`,
    );
  }
  // JSON.parse yields JSON.
  return value as JsonObject;
}

export function readBaseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const protocol = URL.canParse(text) ? new URL(text).protocol : '';
  if (protocol === 'http:' || protocol === 'https:') return text;
  throw new UsageError(`--base-url is "${text}"; it must be a URL such as http://127.0.0.1:8080/v1.`);
}

export function readApply(text: string | undefined): ApplyMode | undefined {
  if (text === undefined || text === 'end' || text === 'each') return text;
  throw new UsageError(`--apply is "${text}"; it must be --apply=end, the same as --apply, or --apply=each.`);
}

/** The budget of the command line; takes precedence over the agent's. */
export function readBudget(values: {
  readonly maxTokens: number | undefined;
  readonly maxCost: string | undefined;
  readonly prices: string | undefined;
}): Budget {
  const { maxTokens, maxCost, prices } = values;
  return {
    ...present({
      maxTotalTokens: maxTokens,
      maxCost: maxCost === undefined ? undefined : readCost(maxCost),
      prices: prices === undefined ? undefined : readPrices(prices),
    }),
  };
}

function readCost(text: string): number {
  const cost = readDecimal(text);
  if (cost !== undefined && cost > 0) return cost;
  throw new UsageError(
    `--max-cost is "${text}"; it must be an amount over 0 such as 2.50, with six decimal places at most.`,
  );
}

function readPrices(text: string): TokenPrices {
  const amounts = text.split('/').map(readDecimal);
  const [input, second, third] = amounts;
  const output = third ?? second;
  if (amounts.length > 3 || amounts.includes(undefined) || input === undefined || output === undefined) {
    throw new UsageError(
      `--prices is "${text}"; it must be INPUT/OUTPUT or INPUT/CACHED/OUTPUT for a million tokens, such as 1.25/0.125/10.`,
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

/** What happens when the conversation exceeds the context window. */
export type ContextOverflow = NonNullable<ContextOptions['overflow']>;

const efforts = {
  none: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
  max: true,
} satisfies Readonly<Record<ReasoningEffort, true>>;

/** The model settings of the command line. */
export function readSettings(values: {
  readonly maxOutputTokens: number | undefined;
  readonly effort: string | undefined;
}): ModelSettings {
  const { maxOutputTokens, effort } = values;
  return {
    ...present({ maxOutputTokens, reasoningEffort: effort === undefined ? undefined : readEffort(effort) }),
  };
}

function readEffort(text: string): ReasoningEffort {
  if (isEffort(text)) return text;
  throw new UsageError(`--effort is "${text}"; it must be one of ${Object.keys(efforts).join(', ')}.`);
}

function isEffort(text: string): text is ReasoningEffort {
  return Object.hasOwn(efforts, text);
}

/** @throws {UsageError} for another value. */
export function readContextOverflow(text: string | undefined): ContextOverflow | undefined {
  if (text === undefined || text === 'error' || text === 'drop-tool-results') return text;
  throw new UsageError(`--context-overflow is "${text}"; it must be error or drop-tool-results.`);
}

/** The overrides requested for a run or a replay. */
export interface OverridesChoice {
  /** Undefined: `latest`. */
  readonly tag: string | undefined;
  /** The directory of the overrides; undefined: that of the agent's repository. */
  readonly root: string | undefined;
}

/**
 * Reads `--tag` and `--overrides`; undefined when neither is there.
 */
export function readOverrides({
  tag,
  overrides: root,
}: {
  readonly tag?: string | undefined;
  readonly overrides?: string | undefined;
}): OverridesChoice | undefined {
  return tag === undefined && root === undefined ? undefined : { tag, root };
}

/** A backend named on the command line. */
export type SandboxChoice =
  | { readonly kind: 'bubblewrap' }
  | { readonly kind: 'virtual' }
  | { readonly kind: 'podman'; readonly image: string };

/** @throws {UsageError} for another value. */
export function readSandbox(text: string | undefined): SandboxChoice | undefined {
  if (text === undefined) return undefined;
  if (text === 'bubblewrap' || text === 'virtual') return { kind: text };
  const image = /^podman:(.+)$/.exec(text)?.[1];
  if (image !== undefined) return { kind: 'podman', image };
  throw new UsageError(
    text === 'podman'
      ? '--sandbox is "podman"; name the image too, such as podman:docker.io/library/node:22-slim.'
      : `--sandbox is "${text}"; it must be bubblewrap, virtual or podman:IMAGE.`,
  );
}

/** @throws {UsageError} when not one run is named. `usage` is how the command is called. */
export function readRun([runId = '', ...others]: readonly string[], usage: string): string {
  if (runId === '') throw new UsageError(`no run given: wink ${usage}; "wink runs" lists them.`);
  if (others.length > 0) throw new UsageError(`one run at a time, not ${1 + others.length}.`);
  return runId;
}

/** @throws {UsageError} when no record is named. `usage` is how the command is called. */
export function readRecordName(name: string | undefined, usage: string): string {
  if (name !== undefined && name !== '') return name;
  throw new UsageError(
    `no record given: wink ${usage}, with a file that wink run --record wrote, or a run of the journal.`,
  );
}

/** The number of a commit, or the id of a call. */
export function readCall(text: string): number | string {
  return /^\d{1,9}$/.test(text) ? Number(text) : text;
}

/**
 * Reads `--run-id`, the name of a run that begins; undefined when it was not given.
 * @throws {UsageError} for an invalid name.
 */
export function readRunName(name: string | undefined): string | undefined {
  if (name === undefined || /^\w[\w.:@+-]{0,99}$/.test(name)) return name;
  throw new UsageError(
    `--run-id is "${name}"; it must have 1 to 100 letters, digits or "._:@+-", and begin with a letter or a digit.`,
  );
}
