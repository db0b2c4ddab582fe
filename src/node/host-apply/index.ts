export { type ApplyChangesOptions, applyChanges } from './apply-changes.ts';
export type { ApplyConflict, ApplyOutcome } from './outcome.ts';
