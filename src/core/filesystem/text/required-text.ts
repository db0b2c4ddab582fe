/**
 * What a text must contain for a pattern to be found in it: one text, all of several, or at least one of several. A text that has it need not
 * have a match. No part has half of a surrogate pair, so that the bytes of a text in UTF-8 can be searched as well.
 */
export type RequiredText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'all' | 'any'; readonly of: readonly RequiredText[] };

/** Whether something has what is required. @param contains whether it contains a text. */
export function hasRequired(required: RequiredText, contains: (text: string) => boolean): boolean {
  switch (required.kind) {
    case 'text':
      return contains(required.text);
    case 'all':
      return required.of.every((part) => hasRequired(part, contains));
    case 'any':
      return required.of.some((part) => hasRequired(part, contains));
  }
}

/** The number of texts that are searched for at most: a search for each of them may cost as much as the pattern itself. */
const maxParts = 16;

/** How many texts may be searched for. */
function partsIn(required: RequiredText): number {
  if (required.kind === 'text') return 1;
  return required.of.reduce((parts, part) => parts + partsIn(part), 0);
}

const loneSurrogate = /\p{Surrogate}/u;

/** The whole of a literal pattern; undefined for one that has half of a surrogate pair. */
export function requiredLiteral(text: string): RequiredText | undefined {
  return loneSurrogate.test(text) ? undefined : { kind: 'text', text };
}

/** As the engine for patterns numbers its kinds of conditions. */
const conditions = { exact: 1, all: 2, any: 3 };

/**
 * What the engine for patterns itself asks of a text before it searches on.
 * @param condition the `prefilter` of a compiled expression.
 * @returns undefined when it asks for nothing, for too much, or for what is not known here.
 */
export function requiredByEngine(condition: unknown): RequiredText | undefined {
  const required = readCondition(condition);
  return required === undefined || partsIn(required) > maxParts ? undefined : required;
}

function readCondition(condition: unknown): RequiredText | undefined {
  if (typeof condition !== 'object' || condition === null || !('type' in condition)) return undefined;
  if (condition.type === conditions.exact) {
    const text = 'str' in condition ? condition.str : undefined;
    return typeof text === 'string' && text !== '' ? requiredLiteral(text) : undefined;
  }
  if (condition.type !== conditions.all && condition.type !== conditions.any) return undefined;
  const parts = 'subs' in condition && Array.isArray(condition.subs) ? condition.subs.map(readCondition) : [];
  const known = parts.filter((part) => part !== undefined);
  if (known.length === 0) return undefined;
  if (condition.type === conditions.all) return { kind: 'all', of: known };
  return known.length === parts.length ? { kind: 'any', of: known } : undefined;
}
