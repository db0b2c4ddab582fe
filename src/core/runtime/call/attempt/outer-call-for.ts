import { none, present } from '../../../internal/index.ts';
import type { RunEvent } from '../../events/run-event.ts';
import type { OuterCall } from '../tool-call/outer-call.ts';
import { type GoverningPolicy, innerPolicies } from '../tool-call/policy-phases.ts';
import { CommitLock } from '../transaction/commit-lock.ts';
import type { CallAttempt } from './attempt.ts';

/** What depends on the evaluating party: the handler of the call, or a policy that judges it. */
export type InnerViews = Pick<
  OuterCall,
  'effects' | 'isOpen' | 'session' | 'sessionFork' | 'filesystem' | 'stop'
> & {
  /** The policies over the call that do not govern what is evaluated. Default: none. */
  readonly except?: (governing: GoverningPolicy) => boolean;
  /** The policy that evaluates. Default: the handler does. */
  readonly policy?: string;
  /** Passes an event of an inner evaluation to the evaluation around it, while the party is evaluating. */
  emit(event: RunEvent): void;
};

/** An attempt at a call as evaluations inside it see it. */
export function outerCallFor(attempt: CallAttempt, views: InnerViews): OuterCall {
  const { environment, number, resolved, transaction } = attempt;
  const { outer, prompt, roots } = environment;
  const { callId, toolName, turn } = resolved.call;
  const { except, policy } = views;
  const owner = { promptName: prompt.name, container: roots.container };
  const policies = innerPolicies(resolved.bound.policies, owner, outer?.policies);
  return {
    callId,
    toolName,
    effects: views.effects,
    attempt: number,
    reenters: attempt.tool.reenters && outer?.reenters !== false,
    get idempotencyKey() {
      return attempt.idempotencyKey;
    },
    path: [...(outer?.path ?? none), callId],
    run: environment,
    get isOpen() {
      return views.isOpen;
    },
    session: views.session,
    sessionFork: views.sessionFork,
    filesystem: views.filesystem,
    resources: transaction.outerResources,
    outerResources: outerResources(outer),
    policies: except === undefined ? policies : policies.filter((governing) => !except(governing)),
    get approvals() {
      return attempt.approvals;
    },
    get stop() {
      return views.stop;
    },
    commitLock: new CommitLock(),
    nextEvaluation: () => attempt.nextEvaluation(),
    addInnerChanges: (changes) => attempt.addInnerChanges(changes),
    countUsage: (usage, answer) => attempt.countUsage(usage, answer),
    eventPath: (evaluation) =>
      Object.freeze([
        ...environment.eventPath,
        Object.freeze({ turn, callId, toolName, attempt: number, evaluation, ...present({ policy }) }),
      ]),
    emit: (event) => views.emit(event),
  };
}

/** The transactional resources of the calls around one inside `outer`, innermost first. */
export function outerResources(outer: OuterCall | undefined): OuterCall['outerResources'] {
  if (outer === undefined) return none;
  return outer.resources === undefined ? outer.outerResources : [outer.resources, ...outer.outerResources];
}
