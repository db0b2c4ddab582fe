import { cutAfter } from '../../core/internal/index.ts';
import { matchFiles } from './file-matcher.ts';
import { matchLimits } from './limit-matcher.ts';
import type { MatcherContext, MatcherResult } from './matcher-context.ts';
import type { SpendingLimits, WinkMatchers } from './matcher-types.ts';
import { type CallFact, readRunFacts } from './run-facts.ts';

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

/** How many calls a message lists. */
const maxListed = 20;
/** How deep a message shows the expected arguments. */
const maxDepth = 5;
/** How many characters of the arguments of a call a message shows. */
const maxParams = 200;

/** Whether a run has a call of a tool with these arguments, and what calls it has if not. */
function matchCalls(
  context: MatcherContext,
  received: unknown,
  wanted: { readonly tool: unknown; readonly expected: readonly unknown[]; readonly isCommitted: boolean },
): MatcherResult {
  const { tool, expected, isCommitted } = wanted;
  const verb = isCommitted ? 'commit' : 'make';
  if (typeof tool !== 'string')
    throw new TypeError(`The name of a tool must be a string, got ${typeof tool}.`);
  const { calls } = readRunFacts(received);
  const named = calls.filter(({ toolName }) => toolName === tool);
  const matching = named.filter(
    (call) =>
      (!isCommitted || call.isCommitted) &&
      (expected.length === 0 || context.equals(call.params, expected[0], context.customTesters ?? [])),
  );
  const pass = matching.length > 0;
  return {
    pass,
    message: () => {
      const what = `a call of "${tool}"${expected.length === 0 ? '' : ` with ${context.utils.stringify(expected[0], maxDepth, { min: true })}`}`;
      if (pass) return `Expected the run not to ${verb} ${what}, but it did:\n${listed(matching)}`;
      const lead = `Expected the run to ${verb} ${what}`;
      if (named.length > 0) return `${lead}. Its calls of "${tool}":\n${listed(named)}`;
      if (calls.length === 0) return `${lead}, but it made no calls.`;
      return `${lead}, but it never called that tool. Its calls:\n${listed(calls)}`;
    },
  };
}

function listed(calls: readonly CallFact[]): string {
  const lines = calls.slice(0, maxListed).map((call) => `  ${describeCall(call)}`);
  if (calls.length > maxListed) lines.push(`  … ${calls.length - maxListed} more`);
  return lines.join('\n');
}

function describeCall({ toolName, params, outcome, reason, isCommitted, depth }: CallFact): string {
  const text = params === undefined ? '' : JSON.stringify(params);
  const shown = cutAfter(text, maxParams);
  const place = depth === 0 ? '' : ' inside another call';
  const state =
    outcome === 'committed' && !isCommitted
      ? 'committed into a call that was not'
      : (outcome ?? 'not ended') + (reason === undefined ? '' : ` (${reason})`);
  return `${toolName}(${shown})${place}: ${state}`;
}
