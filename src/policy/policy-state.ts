import { type DerivedSlice, deriveSlice } from '../session/index.ts';
import { PolicyFacts } from './policy-facts.ts';

/**
 * What one policy remembers of the calls it has seen succeed.
 * @see spec TOOLS "PolicyState (Session Slice)"
 */
export interface PolicyState {
  readonly policyName: string;
  /** Tools that have succeeded, in the order of their first success. */
  readonly invokedTools: readonly string[];
  /** Pairs of tool and key, for example of `read_file` and a path, in the order they were first recorded. */
  readonly invokedKeys: readonly (readonly [tool: string, key: string])[];
}

/** The memory of the built-in policies, one item per policy that has recorded something. Read-only; reading it reads all of it. */
export const PolicyState: DerivedSlice<PolicyState> = deriveSlice(
  'weakincentives.policy-state',
  PolicyFacts,
  (facts) => {
    const states = new Map<
      string,
      { readonly tools: string[]; readonly keys: [tool: string, key: string][] }
    >();
    for (const { policyName, tool, key, isForgotten } of facts) {
      if (isForgotten === true) continue;
      const state = states.get(policyName) ?? { tools: [], keys: [] };
      states.set(policyName, state);
      if (key === undefined) state.tools.push(tool);
      else state.keys.push([tool, key]);
    }
    return [...states].map(([policyName, { tools, keys }]) => ({
      policyName,
      invokedTools: tools,
      invokedKeys: keys,
    }));
  },
);
