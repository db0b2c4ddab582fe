import { compileFileGlob } from '../../core/filesystem/index.ts';
import { cutAfter, oneLine } from '../../core/internal/index.ts';
import { tokenCost } from '../../core/runtime/index.ts';
import type { MatcherContext, MatcherResult } from './matcher-context.ts';
import type { SpendingLimits, WinkMatchers } from './matcher-types.ts';
import { type CallFact, type CheckedRun, readRunFacts } from './run-facts.ts';

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
 * ```ts no-run
 * import { defineAgent, promptTemplate, runAgent, Session } from 'weakincentives';
 * import { scriptedAdapter } from 'weakincentives/testing';
 * import { vfsToolsSection } from 'weakincentives/tools';
 * import { winkMatchers } from 'weakincentives/vitest';
 * import { expect, it } from 'vitest';
 *
 * expect.extend(winkMatchers);
 *
 * it('writes the report', async () => {
 *   await using session = new Session();
 *   const template = promptTemplate({ ns: 'docs', key: 'report', sections: [vfsToolsSection()] });
 *   const call = { name: 'write_file', arguments: { file_path: 'REPORT.md', content: 'All is well.' } };
 *   const adapter = scriptedAdapter([{ toolCalls: [call] }, { text: 'Done.' }]);
 *   await runAgent(defineAgent({ template, adapter }), { session });
 *   expect(session).toHaveCommitted('write_file', { file_path: 'REPORT.md' });
 *   expect(session).toStayWithin({ turns: 2 });
 * });
 * ```
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
  toHaveChangedFiles: matchFiles,
  toStayWithin: matchLimits,
};

/** How many calls a message lists. */
const maxListed = 20;
/** How deep a message shows the expected arguments. */
const maxDepth = 5;
/** How many characters of the arguments of a call a message shows. */
const maxParams = 200;
/** How many characters of what became of a call a message shows: the policy that denied it, and why. */
const maxMessage = 300;

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

function describeCall({ toolName, params, outcome, reason, message, isCommitted, depth }: CallFact): string {
  const text = params === undefined ? '' : JSON.stringify(params);
  const shown = cutAfter(text, maxParams);
  const place = depth === 0 ? '' : ' inside another call';
  const state =
    outcome === 'committed' && !isCommitted
      ? 'committed into a call that was not'
      : (outcome ?? 'not ended') + (reason === undefined ? '' : ` (${reason})`);
  const why =
    outcome === 'committed' || message === undefined ? '' : `: ${cutAfter(oneLine(message), maxMessage)}`;
  return `${toolName}(${shown})${place}: ${state}${why}`;
}

/** Whether a run changed these files, and which it did if not. */
function matchFiles(received: unknown, expected: unknown): MatcherResult {
  const { files } = readRunFacts(received);
  const changed = [...files.keys()].sort();
  const found =
    changed.length === 0
      ? 'It changed no file.'
      : `It changed:\n${changed.map((path) => `  ${path} (${files.get(path)})`).join('\n')}`;
  if (expected === undefined || typeof expected === 'string') {
    const pass = expected === undefined ? changed.length > 0 : changed.some(matcherOf(expected));
    const any = pass ? 'any file' : 'a file';
    const what = expected === undefined ? any : `a file that matches "${expected}"`;
    return { pass, message: () => `Expected the run ${pass ? 'not ' : ''}to change ${what}. ${found}` };
  }
  const patterns = patternsOf(expected);
  const tests = patterns.map(matcherOf);
  const missing = patterns.filter(
    (_pattern, index) => !changed.some((path) => tests[index]?.(path) === true),
  );
  const unexpected = changed.filter((path) => !tests.some((test) => test(path)));
  const pass = missing.length + unexpected.length === 0;
  return {
    pass,
    message: () => {
      if (pass) return `Expected the run to change other files than ${quoted(patterns)}. ${found}`;
      const problems = [
        ...(missing.length === 0 ? [] : [`Not changed: ${quoted(missing)}.`]),
        ...(unexpected.length === 0 ? [] : [`Not expected: ${quoted(unexpected)}.`]),
      ];
      return `Expected the run to change exactly ${quoted(patterns)}. ${problems.join(' ')} ${found}`;
    },
  };
}

function patternsOf(expected: unknown): readonly string[] {
  if (Array.isArray(expected) && expected.every((entry): entry is string => typeof entry === 'string'))
    return expected;
  throw new TypeError('The files must be a path, a glob, or a list of them.');
}

function matcherOf(pattern: string): (path: string) => boolean {
  const glob = compileFileGlob(pattern);
  return (path) => glob.test(path);
}

function quoted(names: readonly string[]): string {
  return names.length === 0 ? 'no files' : names.map((name) => `"${name}"`).join(', ');
}

/** Whether a run stayed within limits, and by how much it did not. */
function matchLimits(received: unknown, limits: SpendingLimits): MatcherResult {
  const facts = readRunFacts(received);
  const given: unknown = limits;
  if (typeof given !== 'object' || given === null) throw new TypeError('The limits must be an object.');
  const { tokens, turns, cost } = limits;
  const checks = [
    ...(tokens === undefined ? [] : [check('tokens', tokens, tokensOf(facts), uncounted(facts))]),
    ...(turns === undefined ? [] : [check('turns', turns, facts.turns)]),
    ...(cost === undefined ? [] : [check('cost', cost, costOf(facts, limits), uncounted(facts))]),
  ];
  if (checks.length === 0) throw new TypeError('Give at least one limit: tokens, turns or cost.');
  const passed = checks.filter(({ excess }) => excess > 0);
  const pass = passed.length === 0;
  return {
    pass,
    message: () =>
      pass
        ? `Expected the run to pass one of its limits, but it stayed within all of them: ${checks.map(describeSpent).join(', ')}.`
        : `Expected the run to stay within its limits, but it passed ${passed.map(describeExcess).join(', ')}.`,
  };
}

interface LimitCheck {
  readonly name: keyof SpendingLimits;
  readonly limit: number;
  readonly spent: number;
  readonly excess: number;
  /** What to know of the figure; empty for nothing. */
  readonly note: string;
}

function check(name: keyof SpendingLimits, limit: number, spent: number, note = ''): LimitCheck {
  if (typeof limit !== 'number' || !(limit >= 0)) {
    throw new TypeError(`The limit ${name} must be a number of at least 0, got ${String(limit)}.`);
  }
  // Costs are sums of millionths: their difference has no more decimal places.
  return { name, limit, spent, excess: Math.round((spent - limit) * 1e6) / 1e6, note };
}

function describeSpent({ name, limit, spent, note }: LimitCheck): string {
  return `${name} ${spent} of ${limit}${note}`;
}

function describeExcess({ name, limit, spent, excess }: LimitCheck): string {
  return `${name}: ${spent}, which is ${excess} over ${limit}`;
}

function tokensOf({ usage: { inputTokens = 0, outputTokens = 0 } }: CheckedRun): number {
  return inputTokens + outputTokens;
}

/** A scripted turn without `usage` counts as 0. */
function uncounted({ usage: { inputTokens, outputTokens } }: CheckedRun): string {
  const isCounted = inputTokens !== undefined || outputTokens !== undefined;
  return isCounted
    ? ''
    : ' (the model reported no usage, which counts as 0; a scripted turn reports it as `usage`)';
}

function costOf({ cost, usage, prices: known }: CheckedRun, { prices = known }: SpendingLimits): number {
  if (prices !== undefined) return tokenCost(usage, prices);
  if (cost !== undefined) return cost;
  throw new TypeError(
    'The limit cost needs prices: the record has none of its model. Give them: toStayWithin({ cost, prices }).',
  );
}
