import { none } from '../../internal/index.ts';
import type { ToolPolicy } from '../../policy/index.ts';
import type { BoundTool } from '../../prompt/index.ts';
import type { ResourceContainer } from '../../resource/index.ts';

/** An evaluation whose policies are asked about calls inside one of its calls. */
export interface PolicyOwner {
  readonly promptName: string;
  /** The resources of its prompt. */
  readonly container: ResourceContainer;
}

/** A policy that governs a call. */
export interface GoverningPolicy {
  readonly policy: ToolPolicy;
  /** Whose policy it is; undefined for one of the call's own prompt. */
  readonly owner: PolicyOwner | undefined;
}

/** The policies over a call, by what they want to be asked. */
export interface PolicyPhases {
  readonly checking: readonly GoverningPolicy[];
  readonly checkingChanges: readonly GoverningPolicy[];
  readonly recording: readonly GoverningPolicy[];
}

const known = new WeakMap<BoundTool, PolicyPhases>();

/**
 * The policies over a call: those around it first, from the outside in, then its own. One that is both is asked once, as an outer one.
 *
 * @param bound the tool. What it alone decides is sorted out once for each.
 * @param outer the policies of calls around it that reach inside.
 */
export function policyPhases(bound: BoundTool, outer: readonly GoverningPolicy[] = none): PolicyPhases {
  if (outer.length > 0) return sorted(bound, outer);
  let phases = known.get(bound);
  if (phases === undefined) {
    phases = sorted(bound, none);
    known.set(bound, phases);
  }
  return phases;
}

/**
 * The policies that reach inside a call.
 *
 * @param own the policies of its tool.
 * @param owner the evaluation that made the call.
 * @param outer those of calls around it that reach inside.
 */
export function policiesInside(
  own: readonly ToolPolicy[],
  owner: PolicyOwner,
  outer: readonly GoverningPolicy[] = none,
): readonly GoverningPolicy[] {
  const reaching = notAmong(outer, own).filter(({ scope }) => scope !== 'own');
  return reaching.length === 0 ? outer : [...outer, ...reaching.map((policy) => ({ policy, owner }))];
}

function notAmong(outer: readonly GoverningPolicy[], own: readonly ToolPolicy[]): readonly ToolPolicy[] {
  return outer.length === 0 ? own : own.filter((policy) => outer.every((each) => each.policy !== policy));
}

function sorted({ policies, recordingPolicies }: BoundTool, outer: readonly GoverningPolicy[]): PolicyPhases {
  const asOwn = (own: readonly ToolPolicy[]): readonly GoverningPolicy[] =>
    notAmong(outer, own).map((policy) => ({ policy, owner: undefined }));
  const judging = [...outer, ...asOwn(policies)];
  return {
    checking: judging.filter(({ policy }) => policy.check !== undefined),
    checkingChanges: judging.filter(({ policy }) => policy.checkChanges !== undefined),
    recording: [...judging, ...asOwn(recordingPolicies)].filter(
      ({ policy }) => policy.onResult !== undefined,
    ),
  };
}
