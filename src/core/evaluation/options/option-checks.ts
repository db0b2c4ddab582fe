import { integer, keptName, number, type OptionsOf, oneOf, required } from '../../error/index.ts';
import { innerLimitChecks, type NestedEvaluateOptions } from '../../tool/index.ts';
import type { ContextOptions, EvaluateOptions, RunLimits } from './evaluate-options.ts';
import { toolChoiceCheck } from './tool-choice-check.ts';

/** What the limits of a run must be, and what they are by default. Deadline and budget are checked where they are used. */
export const limitChecks: OptionsOf<
  RunLimits,
  Exclude<keyof RunLimits, 'idleTimeoutMs' | 'deadline' | 'budget'>
> = {
  ...innerLimitChecks,
  maxConcurrentCalls: integer({ min: 1, default: 8 }),
  maxOutputRepairs: integer({ min: 0, default: 2 }),
  maxSectionOpenings: integer({ min: 0, default: 16 }),
  maxRepeatedFailures: integer({ min: 1, default: 5 }),
  maxInterruptions: integer({ min: 1, default: 5 }),
  // About 100,000 tokens: half of the smallest context that models for agents have; instructions and conversation need their part.
  maxResultCharacters: integer({ min: 1, orInfinity: true, default: 400_000 }),
  idleTimeoutMs: number({ above: 0 }),
};

const compactChecks: OptionsOf<NonNullable<ContextOptions['compact']>> = {
  atInputTokens: required(integer({ min: 1_000 })),
  toInputTokens: required(integer({ min: 500 })),
};

/** How long results of calls are kept, in evaluations and tool runtimes. */
export const resultsChecks: OptionsOf<NonNullable<ContextOptions['results']>, 'maxTotalCharacters'> = {
  maxCharacters: required(integer({ min: 1_000 })),
  maxTotalCharacters: integer({ min: 1_000, default: 64_000_000 }),
};

/** What happens to a long conversation. */
export const contextChecks: OptionsOf<ContextOptions> = {
  compact: compactChecks,
  results: resultsChecks,
  maxTurns: integer({ min: 2 }),
  overflow: oneOf(['error', 'drop-tool-results']),
};

/** What the options of an evaluation inside a call must be. Those with a check of their own have it where they are used. */
export const innerChecks: OptionsOf<NestedEvaluateOptions> = {
  input: 'any',
  history: 'any',
  pendingCalls: oneOf(['interrupt', 'refuse']),
  limits: innerLimitChecks,
  signal: 'any',
  toolChoice: toolChoiceCheck,
  settings: 'any',
  completion: 'any',
};

/** What the options must be that an evaluation and a tool runtime have in common, but for their limits. */
export const runChecks = {
  session: 'object',
  journal: 'object',
  signal: 'any',
  overrides: 'any',
  approve: 'any',
  askUser: 'function',
  // Only false disables them; whatever else is given does not.
  enforce: 'unknown',
  feedback: 'any',
  agentName: 'string',
  observers: 'array',
  logger: 'object',
  redact: 'function',
  clock: 'object',
  ids: 'function',
} as const;

/** What the options of an evaluation must be. */
export const evaluateChecks: OptionsOf<EvaluateOptions> = {
  ...innerChecks,
  ...runChecks,
  runId: keptName,
  inbox: 'object',
  limits: limitChecks,
  streaming: 'any',
  retry: 'any',
  context: contextChecks,
};

/** Options of an evaluation that had another name or another place before 0.2.0, with what takes their place. */
export const movedOptions: ReadonlyMap<string, string> = new Map([
  ['maxTurns', 'limits.maxTurns'],
  ['maxOutputRepairs', 'limits.maxOutputRepairs'],
  ['maxRepeatedFailures', 'limits.maxRepeatedFailures'],
  ['maxResultCharacters', 'limits.maxResultCharacters'],
  ['concurrency', 'limits.maxConcurrentCalls'],
  ['maxExpansions', 'limits.maxSectionOpenings'],
  ['watchdogMs', 'limits.idleTimeoutMs'],
  ['deadline', 'limits.deadline'],
  ['budget', 'limits.budget'],
  ['maxConversationTurns', 'context.maxTurns'],
  ['contextOverflow', 'context.overflow'],
  ['throttle', 'retry'],
  ['onEvent', 'observers: [{ onEvent }]'],
  ['limits.concurrency', 'limits.maxConcurrentCalls'],
  ['limits.maxExpansions', 'limits.maxSectionOpenings'],
  ['limits.watchdogMs', 'limits.idleTimeoutMs'],
  ['limits.maxChecks', 'limits.maxCompletionChecks'],
  ['limits.maxConversationTurns', 'context.maxTurns'],
  ['limits.contextOverflow', 'context.overflow'],
  ['context.maxConversationTurns', 'context.maxTurns'],
  ['context.contextOverflow', 'context.overflow'],
]);
