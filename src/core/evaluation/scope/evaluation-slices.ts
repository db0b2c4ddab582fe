import { PolicyState } from '../../policy/index.ts';
import { VisibilityOverrides } from '../../prompt/index.ts';
import { FeedbackState, recordSlices } from '../../runtime/index.ts';
import type { AnySlice } from '../../session/index.ts';

/**
 * Every slice that evaluations keep beside those of their prompts: what policies remember, how far feedback is, which
 * sections are open, and the records (LOG). Evaluations install what they need; install all of them before `importState()`, which
 * refuses slices that it does not know.
 */
export const evaluationSlices: readonly AnySlice[] = Object.freeze([
  PolicyState,
  FeedbackState,
  VisibilityOverrides,
  ...recordSlices,
]);
