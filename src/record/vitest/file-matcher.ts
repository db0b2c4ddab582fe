import { compileGlob } from '../../core/filesystem/index.ts';
import type { MatcherResult } from './matcher-context.ts';
import { readRunFacts } from './run-facts.ts';

/** Whether a run changed these files, and which it did if not. */
export function matchFiles(received: unknown, expected: unknown): MatcherResult {
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

/** A path that is equal matches too, whatever a glob would make of its characters. */
function matcherOf(pattern: string): (path: string) => boolean {
  const glob = compileGlob(pattern);
  return (path) => path === pattern || glob.test(path);
}

function quoted(names: readonly string[]): string {
  return names.length === 0 ? 'no files' : names.map((name) => `"${name}"`).join(', ');
}
