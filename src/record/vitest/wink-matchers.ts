import { matchCalls } from './call-matchers.ts';
import { matchFiles } from './file-matcher.ts';
import { matchLimits } from './limit-matcher.ts';
import type { MatcherContext, MatcherResult } from './matcher-context.ts';
import type { SpendingLimits, WinkMatchers } from './matcher-types.ts';

/** Each matcher as `expect.extend` takes it. */
type ExtendedMatchers = {
  readonly [Name in keyof WinkMatchers]: (
    this: MatcherContext,
    received: unknown,
    ...expected: Parameters<WinkMatchers[Name]>
  ) => MatcherResult;
};

/**
 * Matchers for vitest. Register them in a setup file (`setupFiles`) with `expect.extend(winkMatchers)`; the types come with the import.
 *
 * A matcher throws a `TypeError` for what it cannot judge: a value that is neither a record nor the session of a run that has ended, a limit of
 * the cost without prices.
 *
 * @see docs/spec/replay.md §1
 */
export const winkMatchers: ExtendedMatchers = {
  toHaveCalled(received, tool, ...expected) {
    return matchCalls(this, received, { tool, expected, isCommitted: false });
  },
  toHaveCommitted(received, tool, ...expected) {
    return matchCalls(this, received, { tool, expected, isCommitted: true });
  },
  toHaveChangedFiles(received, expected) {
    return matchFiles(received, expected);
  },
  toStayWithin(received, limits: SpendingLimits) {
    return matchLimits(received, limits);
  },
};
