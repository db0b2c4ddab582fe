import { jsonSchema } from '../schema/index.ts';
import { defineSystemSlice, type SessionView, type Slice } from '../session/index.ts';

/** Something that a policy has seen succeed. */
export interface PolicyFact {
  readonly policyName: string;
  readonly tool: string;
  /** What the success was about, for example a normalised path. Absent: the tool as such. */
  readonly key?: string;
  /** Identifies the content that the success was about. Absent: not taken down. */
  readonly stamp?: string;
  /** The fact no longer holds: something else has taken the place of what it was about. */
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
export const PolicyFacts: Slice<PolicyFact> = defineSystemSlice<PolicyFact>('weakincentives.policy-facts', {
  key: ({ policyName, tool, key }) => factKey(policyName, tool, key),
  systemState: true,
  importSchema: jsonSchema<PolicyFact>({
    type: 'object',
    required: ['policyName', 'tool'],
    properties: {
      policyName: { type: 'string' },
      tool: { type: 'string' },
      key: { type: 'string' },
      stamp: { type: 'string' },
      isForgotten: { const: true },
    },
  }),
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
