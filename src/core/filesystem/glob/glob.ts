import { FilesystemError } from '../../error/index.ts';
import { cutAfter, quoteText } from '../../internal/index.ts';
import { expandBraces, maxAlternatives } from './glob-braces.ts';
import { parseSegment } from './glob-parse.ts';
import { compileSegment, literalSegment, type StepCount } from './glob-segment.ts';

/** The maximum number of UTF-16 units in a pattern. */
const maxPatternLength = 1024;

/** A compiled pattern. */
export interface Glob {
  /** The pattern as it was given. */
  readonly pattern: string;
  /** The directories that contain every match: literal segments at the start of the pattern. */
  readonly prefix: readonly string[];
  /** The maximum number of segments of a match; undefined when the pattern crosses directories. */
  readonly maxDepth: number | undefined;
  /** True when the pattern matches the whole path: normalized, relative, not the root. */
  test(path: string): boolean;
}

/** One segment of a pattern; `cross` matches any number of directories. */
type Step = 'cross' | ((name: string) => boolean);

interface Alternative {
  readonly steps: readonly Step[];
  readonly prefix: readonly string[];
}

function invalid(pattern: string, problem: string): FilesystemError {
  const shown = cutAfter(pattern, 120);
  return new FilesystemError('pattern-invalid', `The glob ${quoteText(shown)} ${problem}`, {
    details: { pattern: shown },
  });
}

function compileAlternative(pattern: string, alternative: string, count: StepCount | undefined): Alternative {
  if (alternative.endsWith('/')) {
    throw invalid(
      pattern,
      'ends with "/", but globs find files only. End it with "/**" for all files below.',
    );
  }
  const segments = alternative.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.length === 0) throw invalid(pattern, 'is empty. Use "**" for all files.');
  if (segments.includes('..'))
    throw invalid(pattern, 'contains "..". Give the directory to start from as path.');
  const steps: Step[] = [];
  const prefix: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === '**') {
      if (steps.at(-1) !== 'cross') steps.push('cross');
      if (isLast) steps.push(() => true);
      continue;
    }
    const pieces = parseSegment(segment, (problem) => invalid(pattern, problem));
    const literal = literalSegment(pieces);
    if (literal !== undefined && !isLast && prefix.length === index) prefix.push(literal);
    steps.push(compileSegment(pieces, count));
  }
  return { steps, prefix };
}

function matchesSteps(steps: readonly Step[], names: readonly string[]): boolean {
  let index = 0;
  let position = 0;
  let afterCross = -1;
  let crossPosition = 0;
  for (;;) {
    const step = steps[index];
    if (step === undefined && position === names.length) return true;
    if (step === 'cross') {
      index += 1;
      afterCross = index;
      crossPosition = position;
      continue;
    }
    const name = names[position];
    if (step !== undefined && name !== undefined && step(name)) {
      index += 1;
      position += 1;
      continue;
    }
    if (afterCross === -1 || crossPosition >= names.length) return false;
    crossPosition += 1;
    index = afterCross;
    position = crossPosition;
  }
}

function commonPrefix(alternatives: readonly Alternative[]): readonly string[] {
  const [first, ...others] = alternatives;
  if (first === undefined) return [];
  const differing = first.prefix.findIndex((name, index) =>
    others.some((other) => other.prefix[index] !== name),
  );
  return differing === -1 ? first.prefix : first.prefix.slice(0, differing);
}

/**
 * Compiles a glob, once for any number of paths. Matching takes time linear in the path, whatever the pattern.
 *
 * - `*` and `?` stay inside a segment and also match a dot at its start; `?` is one code point.
 * - `**` as a whole segment matches any number of directories, including none, so `a/**` followed by `/b` matches `a/b`. At
 *   the end it matches every file below. Inside a segment it is the same as `*`.
 * - `[abc]`, `[a-z]`, `[!a-z]`, `[^a-z]` match one code point; `[[:alpha:]]` and the other POSIX classes follow Unicode.
 * - `@(a|b)` matches one of its options, `?(a|b)` at most one, `*(a|b)` any number of them, `+(a|b)` at least one. Groups may
 *   nest and contain wildcards, but not `/`.
 * - `{a,b}` expands to its alternatives, which may contain `/` and nest; `{1..9}`, `{01..31..2}`, `{a..e}` expand to a range.
 * - `\` makes the punctuation after it literal. Matching is case-sensitive. A leading `/` or `./` is dropped.
 *
 * Syntax that has a meaning in other tools but not here is refused and never taken literally, so that a pattern which excludes
 * files cannot silently fail to: `!(a)`, a leading `!`, `|` outside of a group, brackets, braces and groups that are not closed,
 * braces with neither a comma nor a range, unknown classes, collating elements, empty ranges, a backslash before a letter,
 * a digit, `/` or the end.
 *
 * @throws {FilesystemError} `pattern-invalid` for these, an empty pattern, more than 1,024 characters, more than 64
 * alternatives, a `..` segment, or a `/` at the end.
 */
export function compileGlob(pattern: string): Glob {
  return compileCountedGlob(pattern, undefined);
}

/** {@link compileGlob} that also counts the steps of its tests. */
export function compileCountedGlob(pattern: string, count: StepCount | undefined): Glob {
  if (typeof pattern !== 'string') {
    throw new FilesystemError('pattern-invalid', `A glob must be a string; received ${typeof pattern}.`);
  }
  if (pattern.length > maxPatternLength) {
    throw invalid(pattern, `is longer than ${maxPatternLength} characters. Shorten it.`);
  }
  if (pattern.startsWith('!') && pattern[1] !== '(') {
    throw invalid(
      pattern,
      'starts with "!", which negates a glob elsewhere and is not supported. Write "\\!" for a name that starts with it.',
    );
  }
  const expanded = expandBraces(pattern, (problem) => invalid(pattern, problem));
  if (expanded === undefined) {
    throw invalid(pattern, `expands to more than ${maxAlternatives} alternatives. Use fewer braces.`);
  }
  const alternatives = expanded.map((alternative) => compileAlternative(pattern, alternative, count));
  const isBounded = alternatives.every(({ steps }) => !steps.includes('cross'));
  return Object.freeze({
    pattern,
    prefix: commonPrefix(alternatives),
    maxDepth: isBounded ? Math.max(...alternatives.map(({ steps }) => steps.length)) : undefined,
    test(path: string): boolean {
      const names = path.split('/');
      return alternatives.some(({ steps }) => matchesSteps(steps, names));
    },
  });
}
