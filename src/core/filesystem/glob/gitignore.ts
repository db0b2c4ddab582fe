import { withoutByteOrderMark } from '../../internal/index.ts';
import { compileNamePattern, compilePathPattern } from './gitignore-pattern.ts';

/** The name of the files that say what to leave out. */
export const ignoreFile = '.gitignore';

/** Git's own directory, which is never part of the files that it sees. */
export const gitDirectory = '.git';

/** Lines that count in one file, and UTF-16 units of one of them: files come from anywhere. Further or longer ones match nothing. */
const maxRules = 10_000;
const maxRuleLength = 1024;

/** One line of a `.gitignore` file. */
interface IgnoreRule {
  readonly isNegated: boolean;
  readonly onlyDirectories: boolean;
  /** The position in its file: a later rule takes precedence. */
  readonly index: number;
}

/** A rule with wildcards or a slash. */
interface PatternRule extends IgnoreRule {
  readonly matches: (path: string, name: string) => boolean;
}

/** The rules of one `.gitignore` file. */
interface IgnoreRules {
  /** The rules that are one plain name, by that name: such rules cost nothing, however many there are. */
  readonly names: ReadonlyMap<string, readonly IgnoreRule[]>;
  /** All other rules, the last one first. */
  readonly patterns: readonly PatternRule[];
}

/**
 * What the `.gitignore` files on the way from the root to a directory leave out of it. Immutable.
 * @see docs/spec/filesystem.md §8
 */
export interface IgnoreScope {
  /** The directory of the file. */
  readonly directory: string;
  readonly rules: IgnoreRules;
  /** The scope of the nearest directory above that has such a file. */
  readonly outer: IgnoreScope | undefined;
}

/** The line without blanks at its end; one after a backslash stays. */
function withoutTrailingBlanks(line: string): string {
  let end = 0;
  for (let at = 0; at < line.length; at += 1) {
    if (line[at] === '\\') at += 1;
    else if (line[at] === ' ') continue;
    end = at + 1;
  }
  return line.slice(0, end);
}

function parseRules(text: string): IgnoreRules {
  const names = new Map<string, IgnoreRule[]>();
  const patterns: PatternRule[] = [];
  let index = 0;
  const content = withoutByteOrderMark(text);
  for (let start = 0; start < content.length && index < maxRules; ) {
    const newline = content.indexOf('\n', start);
    const end = newline === -1 ? content.length : newline;
    const isComment = content[start] === '#';
    const line = isComment || end - start > maxRuleLength ? '' : content.slice(start, end);
    start = end + 1;
    const trimmed = withoutTrailingBlanks(line.endsWith('\r') ? line.slice(0, -1) : line);
    const isNegated = trimmed.startsWith('!');
    const onlyDirectories = trimmed.endsWith('/');
    const pattern = trimmed.slice(isNegated ? 1 : 0, onlyDirectories ? -1 : undefined);
    if (pattern === '') continue;
    const rule: IgnoreRule = { isNegated, onlyDirectories, index };
    index += 1;
    if (pattern.includes('/')) {
      patterns.push({ ...rule, matches: compilePathPattern(pattern) });
      continue;
    }
    const test = compileNamePattern(pattern);
    if (typeof test !== 'string') patterns.push({ ...rule, matches: (_path, name) => test(name) });
    else {
      const known = names.get(test);
      if (known === undefined) names.set(test, [rule]);
      else known.push(rule);
    }
  }
  return { names, patterns: patterns.reverse() };
}

/** The rule that decides about an entry; undefined when none does. */
function decidingRule(
  { names, patterns }: IgnoreRules,
  path: string,
  isDirectory: boolean,
): IgnoreRule | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const byName = names.get(name)?.findLast(({ onlyDirectories }) => isDirectory || !onlyDirectories);
  for (const rule of patterns) {
    if (byName !== undefined && rule.index < byName.index) break;
    if ((isDirectory || !rule.onlyDirectories) && rule.matches(path, name)) return rule;
  }
  return byName;
}

/**
 * The scope of a directory.
 * @param text the text of its `.gitignore` file; undefined when it has none, or one that is not text.
 */
export function enterIgnoreScope(
  outer: IgnoreScope | undefined,
  directory: string,
  text: string | undefined,
): IgnoreScope | undefined {
  if (text === undefined) return outer;
  const rules = parseRules(text);
  return rules.names.size + rules.patterns.length === 0 ? outer : { directory, rules, outer };
}

/**
 * Whether an entry of the scope's directory is ignored, by the rules of gitignore(5): the last matching rule of the nearest file
 * decides. What is in an ignored directory is not asked about.
 * The time is linear in the path and in the number of patterns.
 */
export function isIgnored(scope: IgnoreScope | undefined, path: string, isDirectory: boolean): boolean {
  for (let at = scope; at !== undefined; at = at.outer) {
    const relative = at.directory === '.' ? path : path.slice(at.directory.length + 1);
    const rule = decidingRule(at.rules, relative, isDirectory);
    if (rule !== undefined) return !rule.isNegated;
  }
  return false;
}
