import type { FileChange } from '../../filesystem/index.ts';
import { none } from '../../internal/index.ts';
import type { TokenUsage } from '../../tool/index.ts';
import type { RunEvent } from '../events/run-event.ts';
import type { ApprovalMemory } from './approval-memory.ts';
import { CommitLock } from './commit-lock.ts';
import type { EvaluationEnvironment } from './environment.ts';
import type { OuterCall } from './outer-call.ts';
import { type GoverningPolicy, policiesInside } from './policy-phases.ts';
import type { ResolvedCall } from './tool-call.ts';
import type { CallTransaction } from './transaction.ts';

/** An attempt that evaluations run inside of. */
export interface EnclosingAttempt {
  readonly number: number;
  readonly resolved: ResolvedCall;
  readonly transaction: CallTransaction;
  readonly approvals: ApprovalMemory;
  /** Number of an evaluation that begins now, from 1. */
  nextEvaluation(): number;
  /** Takes down what a call inside has changed, with what was changed inside of that. */
  noteInnerChanges(changes: readonly FileChange[]): void;
  /** Takes down what evaluations inside the attempt spent. */
  countUsage(usage: TokenUsage | undefined): void;
}

/** What depends on who evaluates: the handler of the call, or a policy that judges it. */
export type InsideViews = Pick<
  OuterCall,
  'effects' | 'isOpen' | 'session' | 'sessionFork' | 'filesystem' | 'stop'
> & {
  /** The policies over the call that do not govern what is evaluated. Default: none. */
  readonly except?: (governing: GoverningPolicy) => boolean;
  /** The policy that evaluates. Default: the handler does. */
  readonly policy?: string;
  /** Tells the observer of the run. */
  tell(event: RunEvent): void;
};

/** An attempt at a call as evaluations inside it see it. */
export function callInside(
  environment: EvaluationEnvironment,
  attempt: EnclosingAttempt,
  views: InsideViews,
): OuterCall {
  const { outer, prompt, roots } = environment;
  const { number, resolved, transaction } = attempt;
  const { callId, toolName } = resolved.call;
  const { except, policy } = views;
  const owner = { promptName: prompt.name, container: roots.container };
  const policies = policiesInside(resolved.bound.policies, owner, outer?.policies);
  return {
    callId,
    toolName,
    effects: views.effects,
    attempt: number,
    path: [...(outer?.path ?? none), callId],
    run: environment,
    get isOpen() {
      return views.isOpen;
    },
    session: views.session,
    sessionFork: views.sessionFork,
    filesystem: views.filesystem,
    resources: transaction.outerResources,
    resourcesAround: around(outer),
    policies: except === undefined ? policies : policies.filter((governing) => !except(governing)),
    get approvals() {
      return attempt.approvals;
    },
    get stop() {
      return views.stop;
    },
    commitLock: new CommitLock(),
    nextEvaluation: () => attempt.nextEvaluation(),
    noteInnerChanges: (changes) => attempt.noteInnerChanges(changes),
    countUsage: (usage) => attempt.countUsage(usage),
    tell: (evaluation, event) =>
      views.tell({
        type: 'nested',
        callId,
        toolName,
        attempt: number,
        evaluation,
        ...(policy === undefined ? {} : { policy }),
        event,
      }),
  };
}

/** The transactional resources of the calls around one inside `outer`, innermost first. */
export function around(outer: OuterCall | undefined): OuterCall['resourcesAround'] {
  if (outer === undefined) return none;
  return outer.resources === undefined ? outer.resourcesAround : [outer.resources, ...outer.resourcesAround];
}
