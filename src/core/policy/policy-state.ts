import { constant, count, type FieldsOf, list, optional, recordSchema, text } from '../schema/index.ts';
import {
  type DerivedSlice,
  defineDerivedSlice,
  defineSystemSlice,
  type SessionView,
  type Slice,
} from '../session/index.ts';

/** Something that a policy has seen succeed. */
export interface PolicyFact {
  readonly policyName: string;
  readonly tool: string;
  /** What the success was about, for example a normalised path. Absent: the tool as such. */
  readonly key?: string;
  /** Identifies the content that the success was about. Absent: not taken down. */
  readonly stamp?: string;
  /** The parts of the text that the success was about: start and end of each, in UTF-16 units. Absent: all of the content. */
  readonly ranges?: readonly number[];
  /** The fact no longer holds: its subject has been replaced. */
  readonly isForgotten?: true;
}

/** The key under which a fact is kept. */
function factKey(policyName: string, tool: string, key?: string): string {
  return JSON.stringify(key === undefined ? [policyName, tool] : [policyName, tool, key]);
}

/**
 * What the built-in policies remember, one item per fact, so that guarded calls conflict only over the same fact. Rolls
 * back with the call; a `restore` inside a call leaves it alone.
 * @internal
 */
export const PolicyFacts: Slice<PolicyFact> = defineSystemSlice<PolicyFact>({
  name: 'weakincentives.policy-facts',
  key: ({ policyName, tool, key }) => factKey(policyName, tool, key),
  systemState: true,
  importSchema: recordSchema({
    policyName: text,
    tool: text,
    key: optional(text),
    stamp: optional(text),
    ranges: optional(list(count)),
    isForgotten: optional(constant(true)),
  } satisfies FieldsOf<PolicyFact>),
});

/** Takes a fact down without looking at what is known: repeating a fact changes nothing. */
export function recordFact(session: SessionView, fact: PolicyFact): void {
  session.slice(PolicyFacts).append(fact);
}

/** The fact, or undefined when it was never taken down or is forgotten. Reads that fact only. */
export function findFact(
  session: SessionView,
  policyName: string,
  tool: string,
  key?: string,
): PolicyFact | undefined {
  const fact = session.slice(PolicyFacts).get(factKey(policyName, tool, key));
  return fact?.isForgotten === true ? undefined : fact;
}

/**
 * What one policy remembers of the calls it has seen succeed.
 * @see docs/spec/policies.md §5
 */
export interface PolicyState {
  readonly policyName: string;
  /** Tools that have succeeded, in the order of their first success. */
  readonly invokedTools: readonly string[];
  /** Pairs of tool and key, for example of `read_file` and a path, in the order they were first recorded. */
  readonly invokedKeys: readonly (readonly [tool: string, key: string])[];
}

/** The memory of the built-in policies, one item per policy that has recorded something. Read-only; reading it reads all of it. */
export const PolicyState: DerivedSlice<PolicyState> = defineDerivedSlice({
  name: 'weakincentives.policy-state',
  source: PolicyFacts,
  derive: (facts) => {
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
});
