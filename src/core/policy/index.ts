export { PolicyDecision } from './policy-decision.ts';
export { type PolicyPhases, toPolicyPhases } from './policy-phases.ts';
export { type PolicyFact, PolicyFacts, PolicyState } from './policy-state.ts';
export type { ReadBeforeWritePolicyOptions } from './read-before-write-options.ts';
export { readBeforeWritePolicy } from './read-before-write-policy.ts';
export {
  type SequentialDependencyPolicyOptions,
  sequentialDependencyPolicy,
} from './sequential-dependency-policy.ts';
export type {
  PolicyCall,
  PolicyChangesContext,
  PolicyContext,
  PolicyResultContext,
  ToolPolicy,
} from './tool-policy.ts';
