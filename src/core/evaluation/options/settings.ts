import { withDefaults } from '../../error/index.ts';
import { wellFormed, wellFormedSaid } from '../../internal/index.ts';
import type { OverridesSource } from '../../prompt/index.ts';
import {
  type CallSettings,
  type FeedbackProvider,
  inputOf,
  type LoopOptions,
  type RunInput,
  toCompletionChecker,
  toThrottlePolicy,
} from '../../runtime/index.ts';
import type { Session } from '../../session/index.ts';
import { innerLimitChecks, type NestedEvaluateOptions, type NestedRunLimits } from '../../tool/index.ts';
import type { ContextOptions, EvaluateOptions, RunLimits } from './evaluate-options.ts';
import { limitChecks, resultsChecks } from './option-checks.ts';

/** What the loop of an evaluation runs with, as it was asked. */
type LoopSettings = Omit<LoopOptions<unknown>, 'model' | 'outputSchema' | 'answer' | 'step' | 'slices'>;

/** How an evaluation runs: its options, checked, with defaults filled in and the caller's functions guarded. */
export interface EvaluationSettings
  extends Required<Pick<EvaluateOptions, 'history' | 'pendingCalls'>>,
    Required<Pick<RunLimits, 'maxSectionOpenings' | 'maxOutputRepairs'>> {
  readonly input: EvaluateOptions['input'];
  /** What is said to the run while it runs; undefined: nothing. */
  readonly said: RunInput | undefined;
  readonly budget: NestedRunLimits['budget'];
  readonly feedback: readonly FeedbackProvider[];
  readonly overrides: OverridesSource | undefined;
  /** Name of the agent, for observers. */
  readonly agent: string | undefined;
  /** What happens to a long conversation, for observers. */
  readonly context: EvaluateOptions['context'];
  readonly calls: CallSettings;
  readonly loop: LoopSettings;
}

/**
 * The settings of an evaluation on a root session.
 *
 * @param options checked by `checkEvaluateOptions`.
 * @param callbacks the caller's functions, with guards around them.
 */
export function toSettings(
  options: Omit<EvaluateOptions, 'approve'>,
  session: Session,
  callbacks: Pick<CallSettings, 'logger' | 'approve' | 'askUser' | 'passOn' | 'eventTypes' | 'observers'>,
): EvaluationSettings {
  const { context = {} } = options;
  const limits = withDefaults(limitChecks, options.limits);
  return {
    history: wellFormedSaid(options.history ?? []),
    input: options.input,
    said: options.inbox && inputOf(options.inbox),
    pendingCalls: options.pendingCalls ?? 'interrupt',
    budget: options.limits?.budget,
    feedback: options.feedback ?? [],
    overrides: options.overrides,
    agent: options.agentName,
    context: options.context,
    maxSectionOpenings: limits.maxSectionOpenings,
    maxOutputRepairs: limits.maxOutputRepairs,
    // Written out: the shape of an object that begins with a spread lives only as long as a run.
    calls: {
      logger: callbacks.logger,
      approve: callbacks.approve,
      askUser: callbacks.askUser,
      passOn: callbacks.passOn,
      eventTypes: callbacks.eventTypes,
      observers: callbacks.observers,
      clock: options.clock ?? session.clock,
      ids: options.ids ?? session.ids,
      deadline: options.limits?.deadline,
      // Only a literal false disables enforcement.
      enforce: options.enforce !== false,
      maxConcurrentCalls: limits.maxConcurrentCalls,
      maxResultCharacters: limits.maxResultCharacters,
      results: keptResultsOf(context),
    },
    loop: {
      maxRepeatedFailures: limits.maxRepeatedFailures,
      throttle: toThrottlePolicy(options.retry),
      streaming: options.streaming,
      maxConversationTurns: context.maxTurns,
      compact: context.compact,
      dropsToolResults: context.overflow === 'drop-tool-results',
      ...ownLoopSettings(options),
    },
  };
}

/** Which results are kept; undefined: none are. */
function keptResultsOf({ results }: ContextOptions): CallSettings['results'] {
  if (results === undefined) return undefined;
  const { maxTotalCharacters } = withDefaults(resultsChecks, results);
  return { maxCharacters: results.maxCharacters, maxTotalCharacters };
}

/**
 * The settings of an evaluation inside a call: what it is asked comes from the handler, how it is run from the evaluation
 * around it.
 *
 * @param options checked by `checkEvaluateOptions`.
 * @param own what each evaluation inside the call has for itself.
 */
export function toInnerSettings(
  outer: EvaluationSettings,
  options: NestedEvaluateOptions,
  own: Pick<CallSettings, 'deadline' | 'passOn'>,
): EvaluationSettings {
  const { limits = {} } = options;
  return {
    ...outer,
    history: wellFormedSaid(options.history ?? []),
    input: options.input,
    budget: limits.budget,
    pendingCalls: options.pendingCalls ?? outer.pendingCalls,
    agent: undefined,
    calls: {
      ...outer.calls,
      ...own,
      maxConcurrentCalls: limits.maxConcurrentCalls ?? outer.calls.maxConcurrentCalls,
    },
    loop: {
      ...outer.loop,
      maxRepeatedFailures: limits.maxRepeatedFailures ?? outer.loop.maxRepeatedFailures,
      ...ownLoopSettings(options),
    },
  };
}

/** What no evaluation takes from the one around it. */
function ownLoopSettings({
  limits,
  toolChoice = 'auto',
  settings = {},
  completion,
}: NestedEvaluateOptions): Pick<LoopSettings, 'maxTurns' | 'toolChoice' | 'settings' | 'completion'> {
  const { maxTurns, maxCompletionChecks } = withDefaults(innerLimitChecks, limits);
  return {
    maxTurns,
    toolChoice,
    settings: wellFormed(settings),
    completion:
      completion === undefined
        ? undefined
        : { checker: toCompletionChecker(completion), maxChecks: maxCompletionChecks },
  };
}
