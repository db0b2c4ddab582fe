import { none } from '../../../internal/index.ts';
import { type PolicyPhases, type ToolPolicy, toPolicyPhases } from '../../../policy/index.ts';
import type { BoundTool } from '../../../prompt/index.ts';
import type { ResourceContainer } from '../../../resource/index.ts';

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

/**
 * The policies over a call: those around it first, from the outside in, then its own. One that is both is asked once, as an outer one.
 *
 * @param bound the tool, whose own policies were sorted when its prompt was planned.
 * @param outer the policies of calls around it that reach inside.
 */
export function policyPhases(
  bound: BoundTool,
  outer: readonly GoverningPolicy[] = none,
): PolicyPhases<GoverningPolicy> {
  if (outer.length === 0) return bound['~planned'].policyPhases;
  const own = (policies: readonly ToolPolicy[]): readonly GoverningPolicy[] =>
    notAmong(outer, policies).map((policy) => ({ policy, owner: undefined }));
  return toPolicyPhases([...outer, ...own(bound.policies)], own(bound.recordingPolicies));
}

/**
 * The policies that reach inside a call.
 *
 * @param own the policies of its tool.
 * @param owner the evaluation that made the call.
 * @param outer those of calls around it that reach inside.
 */
export function innerPolicies(
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
