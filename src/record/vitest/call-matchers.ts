import { cutAfter } from '../../core/internal/index.ts';
import type { MatcherContext, MatcherResult } from './matcher-context.ts';
import { type CallFact, readRunFacts } from './run-facts.ts';

/** How many calls a message lists. */
const maxListed = 20;
/** How deep a message shows the expected arguments. */
const maxDepth = 5;
/** How many characters of the arguments of a call a message shows. */
const maxParams = 200;

/** Whether a run has a call of a tool with these arguments, and what calls it has if not. */
export function matchCalls(
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
