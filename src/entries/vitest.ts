/**
 * Matchers for what a run called, committed, changed and spent.
 *
 * Runs in any runtime; for vitest.
 *
 * @module weakincentives/vitest
 */

export type { MatcherContext, MatcherResult } from '../record/vitest/matcher-context.ts';
export type { SpendingLimits, WinkMatchers } from '../record/vitest/matcher-types.ts';
export { winkMatchers } from '../record/vitest/wink-matchers.ts';
