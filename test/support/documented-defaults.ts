import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('../../', import.meta.url));
const sources = readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path: `src/${path}`, text: readFileSync(`${root}src/${path}`, 'utf8') }));

/** A default that is no figure; a list as it is written. */
export type Word = string | boolean;

/** A word as the sources or a comment write it, without its quotation marks. */
function wordOf(written: string): Word {
  if (written === 'true' || written === 'false') return written === 'true';
  return written.replaceAll(/^'|'$/g, '');
}

const units: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** The figures of a text, `8`, `33,554,432` or `1 GiB`; without those in parentheses, which say the same again. */
function figuresOf(text: string): readonly number[] {
  return [...text.replaceAll(/\([^)]*\)/g, '').matchAll(/(\d[\d,]*)(?: ([KMG]iB))?/g)].map(
    ([, digits = '', unit = '']) => Number(digits.replaceAll(',', '')) * (units[unit] ?? 1),
  );
}

/** What the comments of options say after "Default:", up to the end of the sentence, by `Type.member`. */
const sentences: ReadonlyMap<string, string> = new Map(
  sources
    .filter(({ text }) => text.includes('Default'))
    .flatMap(({ path, text }) => [
      ...sentencesOf(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true), ''),
    ]),
);

/** The interface that a table of fields makes, `interface Params extends RecordOf<typeof params> {}`, by the name of the table. */
function tablesOf(file: ts.SourceFile): ReadonlyMap<string, string> {
  return new Map(
    [...file.text.matchAll(/\binterface (\w+) extends RecordOf<typeof (\w+)>/g)].map(
      ([, type = '', table = '']) => [table, type] as const,
    ),
  );
}

function* sentencesOf(node: ts.Node, owner: string): Generator<readonly [name: string, sentence: string]> {
  const isType = ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node);
  const table = ts.isVariableDeclaration(node)
    ? tablesOf(node.getSourceFile()).get(node.name.getText())
    : undefined;
  const inside = isType ? node.name.text : (table ?? owner);
  if (ts.isPropertySignature(node) || (ts.isPropertyAssignment(node) && inside !== '')) {
    const comment = ts
      .getJSDocCommentsAndTags(node)
      .map((each) => each.getText())
      .join(' ');
    const sentence = /Default:? (.*?)(?:\. |\.?\s*\*\/)/s.exec(comment.replaceAll(/\s*\n\s*\* ?/g, ' '))?.[1];
    // What a function takes in the place of one option has its default where the function is.
    if (sentence !== undefined && inside !== '') yield [`${inside}.${node.name.getText()}`, sentence];
  }
  const below: ts.Node[] = [];
  ts.forEachChild(node, (child) => void below.push(child));
  for (const child of below) yield* sentencesOf(child, inside);
}

/** The figures that comments of options give as their defaults, by `Type.member`: one, or all that the sentence has. */
export function documentedDefaults(): ReadonlyMap<string, readonly number[]> {
  return new Map(
    [...sentences]
      .filter(([, sentence]) => /^\d/.test(sentence))
      .map(([name, sentence]) => [name, figuresOf(sentence.replace(/, about .*/s, ''))]),
  );
}

/**
 * The words and booleans that comments of options give as their defaults, by `Type.member`. A sentence that does not begin
 * with one, such as "none" or "the clock of the machine", describes a default and has none to compare.
 */
export function documentedWords(): ReadonlyMap<string, Word> {
  return new Map(
    [...sentences].flatMap(([name, sentence]) => {
      const [, code, truth] = /^(?:`([^`]+)`|(true|false)\b)/.exec(sentence) ?? [];
      const word = code ?? truth;
      return word === undefined ? [] : [[name, wordOf(word)] as const];
    }),
  );
}

/** What guides, specification and the help of the command say of defaults: the option, by its name, and the figure. */
export function defaultsInTexts(): readonly (readonly [place: string, option: string, figure: number])[] {
  const texts = ['guides', 'docs/spec'].flatMap((folder) =>
    readdirSync(`${root}${folder}`, { encoding: 'utf8' })
      .filter((path) => path.endsWith('.md'))
      .map((path) => ({ path: `${folder}/${path}`, text: readFileSync(`${root}${folder}/${path}`, 'utf8') })),
  );
  const options = texts.flatMap(({ path, text }) =>
    [...text.matchAll(/`(?:\w+\.)*(\w+)`[^`\n]*?\b[Dd]efault:? (\d[\d,]*(?: [KMG]iB)?)/g)].map(
      ([, option = '', figure = '']) => [path, option, figuresOf(figure)[0] ?? Number.NaN] as const,
    ),
  );
  const flags = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/--([a-z-]+) [^\n]*\(default (\d+)\)/g)].map(
      ([, flag = '', figure = '']) => [path, flag, Number(figure)] as const,
    ),
  );
  return [...options, ...flags];
}

/**
 * The figure that the sources give an option where it is left out: `option = 8`, `options.option ?? 8`, or a constant in that place.
 * For options whose default shows only after a wait.
 *
 * @param beside what stands in the same file, for an option that has its name in common with others.
 */
export function writtenDefault(option: string, beside: string = option): number {
  const place = new RegExp(
    String.raw`\b${option}(?:(?:: \w+)?(?: =| \?\?)|: (?:integer|number)\(\{[^}]*\bdefault:) (\w+)\b`,
    'g',
  );
  const values = new Set<number>();
  for (const { text } of sources.filter((source) => source.text.includes(beside))) {
    for (const [, value = ''] of text.matchAll(place)) {
      const [, constant = value] = new RegExp(String.raw`\bconst ${value} = (\d[\d_]*);`).exec(text) ?? [];
      if (/^\d/.test(constant)) values.add(Number(constant.replaceAll('_', '')));
    }
  }
  const [only, ...others] = values;
  if (only === undefined || others.length > 0)
    throw new Error(
      `The option ${option} has not one default but ${values.size}: ${[...values].join(', ')}.`,
    );
  return only;
}

/** The sources without comments, in which an example or a sentence may look like code. */
const codes = sources.map(({ text }) => text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ''));

/** The words that constants stand for, by name. */
const constants: ReadonlyMap<string, string> = new Map(
  codes.flatMap((code) =>
    [...code.matchAll(/\bconst (\w+)(?:: [^=]+)? = ('[^'\n]*'|true|false);/g)].map(
      ([, name = '', word = '']) => [name, word] as const,
    ),
  ),
);

/** Words that the sources compare an option with, and what the option is when it is not that word. */
const opposites = [
  ['own', 'subtree'],
  ['drop-tool-results', 'error'],
] as const;

/**
 * The word or boolean that the sources give an option where it is left out: `option = 'full'`, `option ?? 'full'`, or a
 * constant in that place. A boolean that is compared with true is false by default, one that is compared with false is true.
 *
 * @param beside what stands in the same file, for an option that has its name in common with others.
 */
export function writtenWord(option: string, beside: string): Word {
  const given = new RegExp(
    String.raw`(?<!const |\.(?=${option} =))\b${option}(?:: [\w <>|'.[\]]+?)? (?:=|\?\?) ('[^'\n]*'|\[[^\]]*\]|\w+)`,
    'g',
  );
  const places = codes.filter((_code, index) => sources[index]?.text.includes(beside));
  const words = new Set<Word>();
  for (const code of places) {
    for (const [, value = ''] of code.matchAll(given)) {
      const word = constants.get(value) ?? value;
      if (/^['[]|^(?:true|false)$/.test(word)) words.add(wordOf(word.replaceAll(/\s+/g, ' ')));
    }
    if (new RegExp(String.raw`\b${option} [!=]== false\b`).test(code)) words.add(true);
    if (new RegExp(String.raw`\b${option} [!=]== true\b`).test(code)) words.add(false);
  }
  for (const code of places) {
    const [, word] = new RegExp(String.raw`\b${option}: oneOf\(\[[^\]]*\], ('[^'\n]*')\)`).exec(code) ?? [];
    if (word !== undefined) words.add(wordOf(word));
  }
  for (const [word, other] of opposites) {
    const isCompared = places.some((code) => code.includes(`${option} === '${word}'`));
    if (words.size === 0 && isCompared) return other;
  }
  const [only, ...others] = words;
  if (only === undefined || others.length > 0)
    throw new Error(
      `The option ${option} beside ${beside} has not one default but ${words.size}: ${[...words].join(', ')}.`,
    );
  return only;
}
