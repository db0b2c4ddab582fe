/**
 * The regular expression of a schema's `pattern` or `patternProperties`; undefined when the engine cannot read it. Such
 * patterns come from the author of the schema and are as trusted as its validator, which runs them as well.
 */
export function compilePattern(source: string): RegExp | undefined {
  return compile(source, 'u') ?? compile(source, '');
}

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
