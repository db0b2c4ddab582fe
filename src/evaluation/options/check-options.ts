import { assertOptions, PromptValidationError } from '../../error/index.ts';
import type { Prompt } from '../../prompt/index.ts';
import {
  checkFeedbackProviders,
  toBudgetTracker,
  toCompletionOptions,
  toThrottlePolicy,
} from '../../runtime/index.ts';
import type { NestedEvaluateOptions, PromptPort } from '../../tool/index.ts';
import { refusePendingCalls } from './complete-history.ts';
import type { EvaluateOptions } from './evaluate-options.ts';

/** Whether a value can be used, and what it must be. */
type Rule = readonly [isUsable: (value: unknown) => boolean, what: string];

const rules: { readonly [Name in keyof EvaluateOptions]?: Rule } = {
  concurrency: wholeNumber(1),
  maxTurns: wholeNumber(1),
  maxRepeatedFailures: wholeNumber(1),
  maxResultCharacters: [
    (value) => value === Infinity || isWhole(value, 1),
    'a whole number of at least 1 or Infinity',
  ],
  maxConversationTurns: wholeNumber(2),
  pendingCalls: oneOf('interrupt', 'refuse'),
  contextOverflow: oneOf('error', 'drop-tool-results'),
  maxOutputRepairs: wholeNumber(0),
  maxExpansions: wholeNumber(0),
  watchdogMs: [
    (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
    'a number of milliseconds over 0',
  ],
};

/** Options of an evaluation on a root session, or inside a call. */
type AnyOptions = Omit<EvaluateOptions, 'deadline' | 'budget'> &
  Pick<NestedEvaluateOptions, 'deadline' | 'budget'>;

/** @throws {PromptValidationError} for an option that is out of its range, or of the wrong kind. */
export function checkEvaluateOptions(options: AnyOptions): void {
  assertOptions('evaluate()', options, {
    session: 'object',
    logger: 'object',
    clock: 'object',
    onEvent: 'function',
    ids: 'function',
  });
  const { session, pendingCalls, history, budget, feedback, completion } = options;
  if (session !== undefined) assertOptions('evaluate(): session', session, { hold: 'function!' });
  // The names are those of the table.
  for (const [name, [isUsable, what]] of Object.entries(rules) as [keyof EvaluateOptions, Rule][]) {
    const value = options[name];
    if (value === undefined || isUsable(value)) continue;
    throw new PromptValidationError(`The option ${name} must be ${what}, got ${describe(value)}.`, {
      details: { option: name, value },
    });
  }
  if (pendingCalls === 'refuse' && history !== undefined) refusePendingCalls(history);
  if (budget !== undefined) toBudgetTracker(budget);
  const { redact }: { readonly redact?: unknown } = options;
  if (redact !== undefined && typeof redact !== 'function') {
    throw new PromptValidationError(`The option redact must be a function, got ${typeof redact}.`, {
      details: { option: 'redact' },
    });
  }
  toThrottlePolicy(options.throttle);
  if (feedback !== undefined) checkFeedbackProviders(feedback);
  if (completion !== undefined) toCompletionOptions(completion);
}

/** @throws {PromptValidationError} for what is not a prompt, such as a template that was not bound. */
export function assertPrompt<Output>(prompt: PromptPort<Output>): asserts prompt is Prompt<Output> {
  // Code without types may give anything.
  const given: unknown = prompt;
  if (typeof given === 'object' && given !== null && 'kind' in given && given.kind === 'prompt') return;
  throw new PromptValidationError('Only a prompt can be evaluated: bind the params of a template first.', {
    details: { option: 'prompt' },
  });
}

function wholeNumber(least: number): Rule {
  return [(value) => isWhole(value, least), `a whole number of at least ${least}`];
}

function isWhole(value: unknown, least: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}

function oneOf(...words: readonly string[]): Rule {
  return [(value) => words.some((word) => word === value), words.map((word) => `'${word}'`).join(' or ')];
}

function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' ? `"${value}"` : `a value of type ${typeof value}`;
}
