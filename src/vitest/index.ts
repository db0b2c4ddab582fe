export type { MatcherContext, MatcherResult } from './matcher-context.ts';
export type { SpendingLimits, WinkMatchers } from './matcher-types.ts';
export { winkMatchers } from './wink-matchers.ts';
