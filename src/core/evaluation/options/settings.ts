import { withDefaults } from '../../error/index.ts';
import type { OverridesSource } from '../../prompt/index.ts';
import {
  type EvaluationEnvironment,
  type FeedbackProvider,
  type LoopOptions,
  type RunEventListener,
  toCompletionChecker,
  toThrottlePolicy,
} from '../../runtime/index.ts';
import type { Session } from '../../session/index.ts';
import { innerLimitChecks, type NestedEvaluateOptions, type NestedRunLimits } from '../../tool/index.ts';
import type { EvaluateOptions } from './evaluate-options.ts';
import { limitChecks } from './option-checks.ts';
import type { RunLimits } from './run-limits.ts';

/** What the calls of an evaluation are run with. */
export type CallSettings = Pick<
  EvaluationEnvironment,
  | 'clock'
  | 'ids'
  | 'logger'
  | 'deadline'
  | 'approve'
  | 'enforce'
  | 'maxConcurrentCalls'
  | 'maxResultCharacters'
  | 'isObserved'
  | 'observers'
> & {
  /** Tells the observers of the run, or the evaluation around this one. Never throws. */
  readonly emit: RunEventListener;
};

/** What the loop of an evaluation runs with. */
export type LoopSettings = Pick<
  LoopOptions<unknown>,
  | 'maxTurns'
  | 'maxRepeatedFailures'
  | 'toolChoice'
  | 'settings'
  | 'throttle'
  | 'streaming'
  | 'maxConversationTurns'
  | 'dropsToolResults'
  | 'completion'
>;

/** How an evaluation runs: its options, checked, with defaults filled in and the caller's functions guarded. */
export interface EvaluationSettings
  extends Required<Pick<EvaluateOptions, 'history' | 'pendingCalls'>>,
    Required<Pick<RunLimits, 'maxSectionOpenings' | 'maxOutputRepairs'>> {
  readonly input: EvaluateOptions['input'];
  readonly budget: NestedRunLimits['budget'];
  readonly feedback: readonly FeedbackProvider[];
  readonly overrides: OverridesSource | undefined;
  /** Name of the agent, for observers. */
  readonly agent: string | undefined;
  readonly calls: CallSettings;
  readonly loop: LoopSettings;
}

/** The caller's functions, with guards around them. */
export type GuardedCallbacks = Pick<CallSettings, 'logger' | 'approve' | 'emit' | 'isObserved' | 'observers'>;

/**
 * The settings of an evaluation on a root session.
 *
 * @param options checked by `checkEvaluateOptions`.
 */
export function toSettings(
  options: Omit<EvaluateOptions, 'approve'>,
  session: Session,
  callbacks: GuardedCallbacks,
): EvaluationSettings {
  const { context = {} } = options;
  const limits = withDefaults(limitChecks, options.limits);
  return {
    history: options.history ?? [],
    input: options.input,
    pendingCalls: options.pendingCalls ?? 'interrupt',
    budget: options.limits?.budget,
    feedback: options.feedback ?? [],
    overrides: options.overrides,
    agent: options.agentName,
    maxSectionOpenings: limits.maxSectionOpenings,
    maxOutputRepairs: limits.maxOutputRepairs,
    calls: {
      logger: callbacks.logger,
      approve: callbacks.approve,
      emit: callbacks.emit,
      isObserved: callbacks.isObserved,
      observers: callbacks.observers,
      clock: options.clock ?? session.clock,
      ids: options.ids ?? session.ids,
      deadline: options.limits?.deadline,
      // Only a literal false disables enforcement.
      enforce: options.enforce !== false,
      maxConcurrentCalls: limits.maxConcurrentCalls,
      maxResultCharacters: limits.maxResultCharacters,
    },
    loop: {
      maxRepeatedFailures: limits.maxRepeatedFailures,
      throttle: toThrottlePolicy(options.retry),
      streaming: options.streaming,
      maxConversationTurns: context.maxTurns,
      dropsToolResults: context.overflow === 'drop-tool-results',
      ...ownLoopSettings(options),
    },
  };
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
  own: Pick<CallSettings, 'deadline' | 'emit'>,
): EvaluationSettings {
  const { limits = {} } = options;
  return {
    history: options.history ?? [],
    input: options.input,
    budget: limits.budget,
    pendingCalls: options.pendingCalls ?? outer.pendingCalls,
    feedback: outer.feedback,
    overrides: outer.overrides,
    agent: undefined,
    maxSectionOpenings: outer.maxSectionOpenings,
    maxOutputRepairs: outer.maxOutputRepairs,
    calls: {
      deadline: own.deadline,
      emit: own.emit,
      isObserved: outer.calls.isObserved,
      observers: outer.calls.observers,
      maxConcurrentCalls: limits.maxConcurrentCalls ?? outer.calls.maxConcurrentCalls,
      clock: outer.calls.clock,
      ids: outer.calls.ids,
      logger: outer.calls.logger,
      approve: outer.calls.approve,
      enforce: outer.calls.enforce,
      maxResultCharacters: outer.calls.maxResultCharacters,
    },
    loop: {
      maxRepeatedFailures: limits.maxRepeatedFailures ?? outer.loop.maxRepeatedFailures,
      throttle: outer.loop.throttle,
      streaming: outer.loop.streaming,
      maxConversationTurns: outer.loop.maxConversationTurns,
      dropsToolResults: outer.loop.dropsToolResults,
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
    settings,
    completion:
      completion === undefined
        ? undefined
        : { checker: toCompletionChecker(completion), maxChecks: maxCompletionChecks },
  };
}
