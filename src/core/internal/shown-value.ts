import { spellInvisible } from './quote.ts';
import { countCharacters, counted, endOf, startOf } from './text.ts';

/** What a person is shown of something. Safe to print. */
export interface ShownLines {
  readonly lines: readonly string[];
  /** Whether something is not shown that is not blank; the lines say how much. */
  readonly isCut: boolean;
}

/** A run of characters that show nothing, in a text. */
const blanks = /[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]{4,}/gu;
/** The same in JSON, where some of them are escaped. */
const blanksInJson =
  /(?:[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]|\\[bfnrt]|\\u00[01][\da-f]){4,}/gu;
const blankLine = /^[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u;
const escape = /\\(?:u[\da-f]{4}|.)/g;

/** Of a longer text the beginning and the end are shown. */
const maxCharacters = 240;
const startCharacters = 160;
const endCharacters = 60;
/** Indentation is shorter. */
const maxBlanksInLine = 40;
const maxBlankLines = 2;
/** How many values of an object are shown, each on a line. */
const maxValues = 8;

/** A text on one line: runs of blanks are counted, and of a long text the beginning and the end are shown. */
export function briefText(text: string): { readonly text: string; readonly isCut: boolean } {
  return cutMiddle(withCountedBlanks(text, blanks, 4));
}

/** The values of arguments, each on a line, as {@link briefText}. @param clean takes out of each text what must not be shown. Default: nothing. */
export function briefValues(params: unknown, clean: (text: string) => string = (text) => text): ShownLines {
  const entries = entriesOf(params);
  const shown = entries.slice(0, maxValues).map(([name, value]) => {
    const key = briefText(clean(name));
    const text =
      typeof value === 'string'
        ? briefText(clean(value))
        : cutMiddle(withCountedBlanks(clean(jsonOf(value)), blanksInJson, 4));
    return { line: `${key.text}: ${text.text}`, isCut: key.isCut || text.isCut };
  });
  const rest = entries.length - shown.length;
  return {
    lines: [...shown.map(({ line }) => line), ...(rest > 0 ? [`… ${counted(rest, 'more param')}`] : [])],
    isCut: rest > 0 || shown.some(({ isCut }) => isCut),
  };
}

/** All of the arguments. Only blanks are counted where there are many: so none of them can push something else out of sight. */
export function allValues(params: unknown): readonly string[] {
  return entriesOf(params).flatMap(([name, value]) => {
    const key = spellInvisible(withCountedBlanks(name, blanks, maxBlanksInLine));
    const lines = typeof value === 'string' ? allLines(value) : allLines(indented(value), blanksInJson);
    const [only = ''] = lines;
    return lines.length <= 1 ? [`${key}: ${only}`] : [`${key}:`, ...lines.map((line) => `  ${line}`)];
  });
}

/** All lines of a text; runs of blanks and of blank lines are counted. */
export function allLines(text: string, pattern: RegExp = blanks): readonly string[] {
  return withCountedBlankLines(text.split('\n'), '').map((line) =>
    spellInvisible(withCountedBlanks(line, pattern, maxBlanksInLine), 'lines'),
  );
}

/** One line of a longer text, such as a diff. @param isWhole whether only blanks may be replaced. */
export function shownLine(
  line: string,
  isWhole: boolean,
): { readonly text: string; readonly isCut: boolean } {
  const text = withCountedBlanks(line, blanks, maxBlanksInLine);
  return isWhole ? { text, isCut: false } : cutMiddle(text, 'lines');
}

/** Lines in which those with blanks alone are counted where there are many together. @param mark what the lines begin with. */
export function withCountedBlankLines(lines: readonly string[], mark: string): readonly string[] {
  const shown: string[] = [];
  let run: string[] = [];
  const end = (): void => {
    shown.push(...(run.length > maxBlankLines ? [`${mark}<${counted(run.length, 'blank line')}>`] : run));
    run = [];
  };
  for (const line of lines) {
    if (line.startsWith(mark) && blankLine.test(line.slice(mark.length))) run.push(line);
    else {
      end();
      shown.push(line);
    }
  }
  end();
  return shown;
}

function withCountedBlanks(text: string, pattern: RegExp, most: number): string {
  return text.replace(pattern, (run) => {
    const count = countCharacters(pattern === blanksInJson ? run.replace(escape, ' ') : run);
    return count < most ? run : ` <${counted(count, 'blank character')}> `;
  });
}

function cutMiddle(
  text: string,
  kept: 'nothing' | 'lines' = 'nothing',
): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= maxCharacters) return { text: spellInvisible(text, kept), isCut: false };
  const start = startOf(text, startCharacters);
  const end = endOf(text, endCharacters);
  const hidden = text.length - start.length - end.length;
  return {
    text: `${spellInvisible(start, kept)} … <${counted(hidden, 'more character')}> … ${spellInvisible(end, kept)}`,
    isCut: true,
  };
}

function entriesOf(params: unknown): readonly (readonly [string, unknown])[] {
  return typeof params === 'object' && params !== null && !Array.isArray(params)
    ? Object.entries(params)
    : [['params', params]];
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}

/** On several lines, unless the indentation of what is nested deeply would be most of it. */
function indented(value: unknown): string {
  const short = jsonOf(value);
  if (short.length <= maxCharacters) return short;
  return deepest(short) > 32 ? short : (JSON.stringify(value, undefined, 2) ?? '');
}

/** How deep brackets are nested in JSON, those in texts included. */
function deepest(json: string): number {
  let depth = 0;
  let most = 0;
  for (const character of json) {
    if (character === '{' || character === '[') most = Math.max(most, ++depth);
    else if (character === '}' || character === ']') depth -= 1;
  }
  return most;
}
