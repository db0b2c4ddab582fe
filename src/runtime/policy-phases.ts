import type { ToolPolicy } from '../policy/index.ts';

/** The policies of a tool, by what they want to be asked. */
export interface PolicyPhases {
  readonly checking: readonly ToolPolicy[];
  readonly checkingChanges: readonly ToolPolicy[];
  readonly recording: readonly ToolPolicy[];
}

const known = new WeakMap<readonly ToolPolicy[], PolicyPhases>();

/** Who of these has something to say when. Sorted out once for each list. */
export function policyPhases(policies: readonly ToolPolicy[]): PolicyPhases {
  let phases = known.get(policies);
  if (phases === undefined) {
    phases = {
      checking: policies.filter((policy) => policy.check !== undefined),
      checkingChanges: policies.filter((policy) => policy.checkChanges !== undefined),
      recording: policies.filter((policy) => policy.onResult !== undefined),
    };
    known.set(policies, phases);
  }
  return phases;
}
