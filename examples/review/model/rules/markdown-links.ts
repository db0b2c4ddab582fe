/** A relative link of a Markdown file, as written. */
export interface MarkdownLink {
  /** Line of the link, from 1. */
  readonly line: number;
  /** The target without angle brackets; it may still carry an anchor or a query. */
  readonly target: string;
}

/** Takes the lines of one Markdown file in order and yields the links of each. */
export interface MarkdownLinkScanner {
  readonly scan: (line: number, text: string) => readonly MarkdownLink[];
}

/** A scanner for one file. Links in fenced code blocks, code spans and one-line HTML comments are ignored. */
export function createMarkdownLinkScanner(): MarkdownLinkScanner {
  let fence: { readonly character: string; readonly length: number } | undefined;
  return {
    scan(line, text) {
      const marker = /^(?:\s|>|[-*+]\s|\d{1,9}[.)]\s)*(`{3,}|~{3,})(.*)$/s.exec(text);
      const run = marker?.[1];
      if (run !== undefined) {
        const rest = marker?.[2] ?? '';
        if (fence === undefined) {
          if (run.startsWith('~') || !rest.includes('`')) {
            fence = { character: run.charAt(0), length: run.length };
            return [];
          }
        } else {
          if (run.startsWith(fence.character) && run.length >= fence.length && rest.trim() === '')
            fence = undefined;
          return [];
        }
      }
      if (fence !== undefined) return [];
      return linkTargets(withoutCodeSpans(text)).map((target) => ({ line, target }));
    },
  };
}

/** The path a relative target points to, from the root of the folder; undefined for anything that is not a path inside it. */
export function resolveLinkTarget(fromFolder: string, target: string): string | undefined {
  if (
    target === '' ||
    target.startsWith('#') ||
    target.startsWith('//') ||
    /^[a-z][a-z0-9+.-]*:/i.test(target)
  )
    return undefined;
  const bare = target.replace(/[?#].*$/s, '');
  if (bare === '') return undefined;
  const segments = bare.startsWith('/') || fromFolder === '.' ? [] : fromFolder.split('/');
  for (const segment of decodePath(bare).split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment === '..') {
      if (segments.pop() === undefined) return undefined;
    } else segments.push(segment);
  }
  return segments.length === 0 ? '.' : segments.join('/');
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** Every code span replaced by blanks of the same length. A run of backticks closes only at a run of equal length. */
function withoutCodeSpans(text: string): string {
  if (!text.includes('`')) return text.replace(/<!--.*?-->/gs, '');
  const runs = [...text.matchAll(/`+/g)];
  const closings = new Map<number, number[]>();
  for (const run of runs) {
    const positions = closings.get(run[0].length);
    if (positions === undefined) closings.set(run[0].length, [run.index]);
    else positions.push(run.index);
  }
  let result = '';
  let position = 0;
  for (const run of runs) {
    if (run.index < position) continue;
    const candidates = closings.get(run[0].length) ?? [];
    while (candidates[0] !== undefined && candidates[0] <= run.index) candidates.shift();
    const closing = candidates[0];
    if (closing === undefined) continue;
    result += text.slice(position, run.index);
    position = closing + run[0].length;
  }
  return (result + text.slice(position)).replace(/<!--.*?-->/gs, '');
}

function linkTargets(text: string): readonly string[] {
  const definition = /^ {0,3}\[[^\]]+\]:\s*(?:<([^>]*)>|(\S+))/.exec(text);
  if (definition !== null) {
    return /^ {0,3}\[\^/.test(text) ? inlineTargets(text) : [definition[1] ?? definition[2] ?? ''];
  }
  return inlineTargets(text);
}

/** Targets of `[text](target "title")` and `![alt](target)`, found in one pass. */
function inlineTargets(text: string): readonly string[] {
  const targets: string[] = [];
  let from = 0;
  for (;;) {
    const open = text.indexOf('](', from);
    if (open === -1) return targets;
    const target = readTarget(text, open + 2);
    if (target !== undefined) targets.push(target);
    from = open + 2;
  }
}

function readTarget(text: string, start: number): string | undefined {
  let index = start;
  while (text.charAt(index) === ' ') index++;
  if (text.charAt(index) === '<') {
    const close = text.indexOf('>', index);
    return close === -1 ? undefined : text.slice(index + 1, close);
  }
  const from = index;
  let depth = 0;
  for (; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === ' ' || character === '\t')
      return text.indexOf(')', index) === -1 ? undefined : text.slice(from, index);
    if (character === '(') depth++;
    else if (character === ')') {
      if (depth === 0) return text.slice(from, index);
      depth--;
    }
  }
  return undefined;
}
