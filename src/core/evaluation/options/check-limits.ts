import { PromptValidationError } from '../../error/index.ts';
import type { ContextOptions, RunLimits } from './run-limits.ts';

/** Whether a value can be used, and what it must be. */
export type Rule = readonly [isUsable: (value: unknown) => boolean, what: string];

/** The options of a group that are checked here; `undefined` for one that is checked elsewhere. */
type Rules = Readonly<Record<string, Rule | undefined>>;

const limitRules: { readonly [Name in keyof RunLimits]-?: Rule | undefined } = {
  maxTurns: wholeNumber(1),
  maxConcurrentCalls: wholeNumber(1),
  maxOutputRepairs: wholeNumber(0),
  maxSectionOpenings: wholeNumber(0),
  maxCompletionChecks: wholeNumber(1),
  maxRepeatedFailures: wholeNumber(1),
  maxResultCharacters: [
    (value) => value === Infinity || isWhole(value, 1),
    'a whole number of at least 1 or Infinity',
  ],
  idleTimeoutMs: [
    (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
    'a number of milliseconds over 0',
  ],
  deadline: undefined,
  budget: undefined,
};

const contextRules: { readonly [Name in keyof ContextOptions]-?: Rule } = {
  maxTurns: wholeNumber(2),
  overflow: oneOf('error', 'drop-tool-results'),
};

/** Where an option of a group is now that had another name before. */
const renamed: ReadonlyMap<string, string> = new Map([
  ['limits.concurrency', 'limits.maxConcurrentCalls'],
  ['limits.maxExpansions', 'limits.maxSectionOpenings'],
  ['limits.watchdogMs', 'limits.idleTimeoutMs'],
  ['limits.maxChecks', 'limits.maxCompletionChecks'],
  ['limits.maxConversationTurns', 'context.maxTurns'],
  ['limits.contextOverflow', 'context.overflow'],
  ['context.maxConversationTurns', 'context.maxTurns'],
  ['context.contextOverflow', 'context.overflow'],
]);

/** @throws {PromptValidationError} for an unknown limit, and for one that is out of its range. */
export function checkLimits(limits: object): void {
  checkGroup('limits', limits, limitRules);
}

/** @throws {PromptValidationError} for an unknown option of the context, and for one that is out of its range. */
export function checkContext(context: object): void {
  checkGroup('context', context, contextRules);
}

function checkGroup(group: string, options: object, rules: Rules): void {
  for (const [name, value] of Object.entries(options)) {
    const option = `${group}.${name}`;
    if (!Object.hasOwn(rules, name)) {
      throw new PromptValidationError(
        `There is no option ${option}. ${placeOf(option) ?? `The options of ${group} are ${Object.keys(rules).join(', ')}.`}`,
        { details: { option } },
      );
    }
    const rule = rules[name];
    if (rule !== undefined) checkRule(option, value, rule);
  }
}

function placeOf(option: string): string | undefined {
  const place = renamed.get(option);
  return place === undefined ? undefined : `Use ${place}.`;
}

/** @throws {PromptValidationError} for a value that breaks the rule; one that is undefined was not given. */
export function checkRule(option: string, value: unknown, [isUsable, what]: Rule): void {
  if (value === undefined || isUsable(value)) return;
  throw new PromptValidationError(`The option ${option} must be ${what}, got ${describe(value)}.`, {
    details: { option, value },
  });
}

function wholeNumber(least: number): Rule {
  return [(value) => isWhole(value, least), `a whole number of at least ${least}`];
}

function isWhole(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

/** One of these strings. */
export function oneOf(...values: readonly string[]): Rule {
  return [
    (value) => values.some((known) => known === value),
    values.map((known) => `'${known}'`).join(' or '),
  ];
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? `"${value}"` : `a value of type ${typeof value}`;
}
