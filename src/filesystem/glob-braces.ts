/** The most alternatives that the braces of one pattern may stand for. */
export const MAX_ALTERNATIVES = 64;

/** The position behind the part that starts at `start`: an escaped character, a bracket expression, or one character. */
function skipAtom(pattern: string, start: number): number {
  if (pattern[start] === '\\') return start + 2;
  if (pattern[start] !== '[') return start + 1;
  const close = closingBracket(pattern, start);
  return close === -1 ? start + 1 : close + 1;
}

/**
 * The position of the `]` that ends the bracket expression at `start`, or -1. A `]` in first place stands for itself;
 * an expression does not reach over a `/`.
 */
export function closingBracket(pattern: string, start: number): number {
  let position = start + 1;
  if (pattern[position] === '!' || pattern[position] === '^') position += 1;
  for (let isFirst = true; position < pattern.length; isFirst = false) {
    const character = pattern[position];
    if (character === '/') return -1;
    if (character === ']' && !isFirst) return position;
    position += character === '\\' ? 2 : 1;
  }
  return -1;
}

interface BraceGroup {
  readonly end: number;
  readonly options: readonly string[];
}

/** The brace group at `start`; undefined when it is not closed or has no comma, and so stands for itself. */
function readGroup(pattern: string, start: number): BraceGroup | undefined {
  const options: string[] = [];
  let depth = 0;
  let optionStart = start + 1;
  for (let position = start; position < pattern.length; ) {
    const character = pattern[position];
    if (character === '{') depth += 1;
    if (character === ',' && depth === 1) {
      options.push(pattern.slice(optionStart, position));
      optionStart = position + 1;
    }
    if (character === '}') {
      depth -= 1;
      if (depth === 0) {
        options.push(pattern.slice(optionStart, position));
        return options.length === 1 ? undefined : { end: position + 1, options };
      }
    }
    position = skipAtom(pattern, position);
  }
  return undefined;
}

/**
 * The patterns without braces that a pattern stands for: `{a,b}c` is `ac` and `bc`. Braces nest; a group without a comma
 * or an end is kept as it is. Undefined when there would be more than {@link MAX_ALTERNATIVES}.
 */
export function expandBraces(pattern: string): readonly string[] | undefined {
  const finished = new Set<string>();
  const pending: { readonly text: string; readonly from: number }[] = [{ text: pattern, from: 0 }];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    const { text, from } = next;
    let position = from;
    let group: BraceGroup | undefined;
    while (position < text.length) {
      if (text[position] === '{') group = readGroup(text, position);
      if (group !== undefined) break;
      position = skipAtom(text, position);
    }
    if (group === undefined) finished.add(text);
    else {
      const before = text.slice(0, position);
      const after = text.slice(group.end);
      for (const option of group.options) pending.push({ text: before + option + after, from: position });
    }
    if (finished.size + pending.length > MAX_ALTERNATIVES) return undefined;
  }
  return [...finished];
}
