import type { ToolPolicy } from '../policy/index.ts';
import type { BoundTool } from '../prompt/index.ts';

/** The policies of a tool, by what they want to be asked. */
export interface PolicyPhases {
  readonly checking: readonly ToolPolicy[];
  readonly checkingChanges: readonly ToolPolicy[];
  readonly recording: readonly ToolPolicy[];
}

const known = new WeakMap<BoundTool, PolicyPhases>();

/** Which policy of a tool has something to say when. Sorted out once for each tool. */
export function policyPhases(bound: BoundTool): PolicyPhases {
  let phases = known.get(bound);
  if (phases === undefined) {
    const { policies, recordingPolicies } = bound;
    phases = {
      checking: policies.filter((policy) => policy.check !== undefined),
      checkingChanges: policies.filter((policy) => policy.checkChanges !== undefined),
      recording: [...policies, ...recordingPolicies].filter((policy) => policy.onResult !== undefined),
    };
    known.set(bound, phases);
  }
  return phases;
}
