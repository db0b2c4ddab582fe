// The table of all error codes, from the comments of the errors in `src/`: which class, when, and what to do.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** @typedef {{ code: string, when: string, whatToDo: string }} Row */
/** @typedef {{ name: string, about: string, rows: Row[] }} ErrorClass */
/** @typedef {{ name: string, about: string, code: string | undefined, union: string | undefined, file: string }} DeclaredClass */

const classPattern =
  /\/\*\*\n((?: \*.*\n)*?) \*\/\nexport class (\w+) extends WinkError<(?:'([a-z-]+)'|(\w+))>/g;
const singleLinePattern = /\/\*\* (.*) \*\/\nexport class (\w+) extends WinkError<(?:'([a-z-]+)'|(\w+))>/g;
const unionPattern = /\/\*\*\n((?: \*.*\n)*?) \*\/\nexport type (\w+ErrorCode) =\s*([^;]+);/g;

/**
 * @param {string} root the project
 * @returns {{ text: string, table: readonly ErrorClass[], problems: readonly string[] }} `problems` names codes whose comments do not say when they come up, or what to do
 */
export function errorReference(root) {
  /** @type {string[]} */
  const problems = [];
  /** @type {Map<string, Row[]>} Codes of a union by its name. */
  const unions = new Map();
  /** @type {DeclaredClass[]} */
  const classes = [];
  for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).sort()) {
    if (!file.endsWith('.ts')) continue;
    const source = readFileSync(join(root, 'src', file), 'utf8');
    const declared = source.match(/ extends WinkError</g)?.length ?? 0;
    for (const [, comment = '', name = '', union = ''] of source.matchAll(unionPattern)) {
      unions.set(name, rowsOfUnion(comment, union, `${name} in src/${file}`, problems));
    }
    const found = [...source.matchAll(classPattern), ...source.matchAll(singleLinePattern)];
    for (const [, comment = '', name = '', code, union] of found) {
      classes.push({ name, about: textOf(comment), code, union, file });
    }
    if (found.length < declared) problems.push(`src/${file}: a class of errors has no comment.`);
  }
  const table = classes
    .map((declared) => classOf(declared, unions, problems))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return { text: render(table), table, problems };
}

/** The text of a comment, links as code. @param {string} comment @returns {string} */
function textOf(comment) {
  return comment
    .replaceAll(/^ \* ?/gm, '')
    .replaceAll(/\{@link (\w+)\}/g, '`$1`')
    .trim();
}

/** @param {string} comment @param {string} union @param {string} where @param {string[]} problems @returns {Row[]} */
function rowsOfUnion(comment, union, where, problems) {
  const items = new Map(
    textOf(comment)
      .split(/^- /m)
      .slice(1)
      .map((item) => {
        const [, code = '', text = ''] = /^`([a-z-]+)`: ([\s\S]*)$/.exec(item) ?? [];
        return [code, text];
      }),
  );
  return [...union.matchAll(/'([a-z-]+)'/g)].map(([, code = '']) =>
    rowOf(code, items.get(code), where, problems),
  );
}

/** @param {string} code @param {string | undefined} text @param {string} where @param {string[]} problems @returns {Row} */
function rowOf(code, text = '', where, problems) {
  const [when = '', whatToDo = ''] = text
    .split(/\bWhat to do: /)
    .map((part) => part.replaceAll(/\s+/g, ' ').trim());
  if (when === '') problems.push(`${code} of ${where}: when it comes up is missing.`);
  if (whatToDo === '') problems.push(`${code} of ${where}: what to do is missing.`);
  return { code, when, whatToDo };
}

/** @param {DeclaredClass} declared @param {ReadonlyMap<string, Row[]>} unions @param {string[]} problems @returns {ErrorClass} */
function classOf({ name, about, code, union, file }, unions, problems) {
  if (code === undefined) {
    const rows = unions.get(union ?? '');
    if (rows === undefined) problems.push(`src/${file}: the codes of ${name} are not declared as ${union}.`);
    return { name, about: firstParagraph(about), rows: rows ?? [] };
  }
  const [, whatToDo = ''] = /^Code: `[a-z-]+`\.\nWhat to do: ((?:(?!\n\n|\n@)[\s\S])*)/m.exec(about) ?? [];
  const when = firstParagraph(about);
  const row = rowOf(code, `${when} What to do: ${whatToDo}`, `${name} in src/${file}`, problems);
  return { name, about: '', rows: [row] };
}

/** @param {string} text @returns {string} */
function firstParagraph(text) {
  return (text.split(/\n\n|\n@/)[0] ?? '').replaceAll('\n', ' ');
}

/** @param {readonly ErrorClass[]} table @returns {string} Markdown */
function render(table) {
  const cell = (/** @type {string} */ text) => sentence(text).replaceAll('|', '\\|');
  const parts = table.map(({ name, about, rows }) =>
    [
      `## ${name}`,
      ...(about === '' ? [] : [about]),
      [
        '| code | when | what to do |',
        '| --- | --- | --- |',
        ...rows.map(
          ({ code, when, whatToDo }) =>
            `| <a id="${code}"></a>\`${code}\` | ${cell(when)} | ${cell(whatToDo)} |`,
        ),
      ].join('\n'),
    ].join('\n\n'),
  );
  return `${[
    '# Error codes',
    '<!-- Written by npm run reference -- --write, from the comments in src/ -->',
    'Every error of the library is a `WinkError` with a `code` that does not change between versions, a message for people, and `details`. `isInstance()` of a class recognizes its errors, also those of another loaded copy of the package. `wink` prints the code under the message.',
    ...parts,
  ].join('\n\n')}\n`;
}

/** @param {string} text @returns {string} With a capital letter. */
function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
