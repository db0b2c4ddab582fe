/** A regular expression of a schema. */
export interface SchemaPattern {
  /** True when the text has a match. */
  test(text: string): boolean;
}

/** A regular expression whose search takes a time that grows with the text times its size. */
export interface BoundedPattern extends SchemaPattern {
  /** Its instructions: each costs at most one step for each character of the text. */
  readonly size: number;
}

/** Reads the `pattern` or a key of the `patternProperties` of a schema; undefined for one that cannot be read. */
export type PatternReader = (source: string) => SchemaPattern | undefined;

/**
 * Reads with the engine of the language. Only for schemas of the author of a program, who is as trusted as his validator, which runs them
 * as well: some patterns take time without end.
 */
export const readOwnPattern: PatternReader = (source) => compile(source, 'u') ?? compile(source, '');

/** True when `source` can be read with Unicode rules, which is how validators of JSON Schema read it. */
export function isUnicodePattern(source: string): boolean {
  return compile(source, 'u') !== undefined;
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    // oxlint-disable-next-line no-restricted-globals -- the author of a schema is trusted, and linear engines lack look-around, which libraries emit
    return new RegExp(source, flags);
  } catch {
    return undefined;
  }
}
