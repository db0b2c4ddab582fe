/** A command line up to the cursor. */
export interface LineWords {
  /** The words before the one at the cursor, without quotes. */
  readonly before: readonly string[];
  /** The beginning of the word at the cursor; undefined: it is inside quotes. */
  readonly current: string | undefined;
}

/** Splits a command line as a shell does, and evaluates nothing: what a shell would replace stays as it is written. */
export function splitLine(line: string): LineWords {
  const before: string[] = [];
  let word: string | undefined;
  let quote: string | undefined;
  let isEscaped = false;
  for (const character of line) {
    if (isEscaped) {
      word = `${word ?? ''}${character}`;
      isEscaped = false;
    } else if (character === '\\' && quote !== "'") isEscaped = true;
    else if (quote !== undefined) {
      if (character === quote) quote = undefined;
      else word = `${word ?? ''}${character}`;
    } else if (character === '"' || character === "'") {
      quote = character;
      word ??= '';
    } else if (/\s/.test(character)) {
      if (word !== undefined) before.push(word);
      word = undefined;
    } else word = `${word ?? ''}${character}`;
  }
  return { before, current: quote === undefined && !isEscaped ? (word ?? '') : undefined };
}
