// Builds the page of `wink view`: one HTML file with its script and its style, which the command fills with a record. A policy in the page
// allows exactly this script and this style, by their hashes, and no request.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { errorReference } from './reference/error-codes.mjs';

const folder = fileURLToPath(new URL('../src/viewer', import.meta.url));
/** What elements of JSX are compiled to calls of. */
const drawing = join(folder, 'view/drawing/element.ts');
/** In the order of the cascade. */
const styles = ['tokens', 'base', 'header', 'timeline', 'details', 'overview', 'narrow', 'print'];

/**
 * The page without a record: at most 165 kB, and 55 kB compressed, as a test of the package checks.
 * @returns {Promise<string>}
 * @throws {Error} when it does not bundle.
 */
export async function buildPage() {
  const longScript = await bundleScript();
  const longStyle = styles
    .map((name) => readFileSync(join(folder, 'style', `${name}.css`), 'utf8'))
    .join('')
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/\s*\n\s*/g, '')
    .replace(/\s*([{};,>])\s*/g, '$1')
    .replace(/:\s+/g, ':')
    .replace(/ \/ /g, '/')
    .replace(/;}/g, '}')
    // Between selectors only: a sum in calc() needs its spaces.
    .replace(/ ([+~]) (?=[^{}()]*\{)/g, '$1')
    .replace(/="([a-z][\w-]*)"\]/g, '=$1]')
    .replace(/([ :,(-])0\./g, '$1.');
  const [style = '', script = ''] = withShortProperties(longStyle, longScript);
  const page = readFileSync(join(folder, 'page.html'), 'utf8')
    .replace('{{policy}}', () => policyOf(script, style))
    .replace('{{style}}', () => style)
    .replace('{{advice}}', () => advice())
    .replace('{{script}}', () => script);
  return page;
}

/** What to do about each code that a run can end with, as JSON for an element of the page. @returns {string} */
function advice() {
  const { table } = errorReference(fileURLToPath(new URL('..', import.meta.url)));
  const rows = table.find(({ name }) => name === 'PromptEvaluationError')?.rows ?? [];
  if (rows.length === 0) throw new Error('viewer: there are no codes of PromptEvaluationError.');
  return JSON.stringify(Object.fromEntries(rows.map(({ code, whatToDo }) => [code, whatToDo]))).replaceAll(
    '<',
    '\\u003c',
  );
}

/**
 * Gives the custom properties of the style names of one letter, the ones that are used most first.
 * @param {string} style
 * @param {string} script
 * @returns {readonly string[]} both with the new names.
 */
function withShortProperties(style, script) {
  /** @type {Map<string, number>} */
  const uses = new Map();
  for (const [name] of style.matchAll(/(?<![\w-])--[a-z][\w-]*/g)) uses.set(name, (uses.get(name) ?? 0) + 1);
  const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
  if (uses.size > letters.length)
    throw new Error('viewer: the style has more custom properties than letters.');
  const names = new Map(
    [...uses]
      .sort(([, left], [, right]) => right - left)
      .map(([name], index) => [name, `--${letters[index]}`]),
  );
  // In the script a name is all of a text, or the argument of var().
  const inScript = /(?<=var\(|[`'"])--[a-z][\w-]*(?=[)`'"])/g;
  const used = (/** @type {string} */ name) => {
    const short = names.get(name);
    if (short === undefined) throw new Error(`viewer: the style has no custom property ${name}.`);
    return short;
  };
  return [style.replace(/(?<![\w-])--[a-z][\w-]*/g, used), script.replace(inScript, used)];
}

/**
 * @param {string} script
 * @param {string} style
 */
function policyOf(script, style) {
  return [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    // The icon of the page, which it draws itself.
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
}

/** @param {string} text */
function hashOf(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

async function bundleScript() {
  const build = await rolldown({
    input: join(folder, 'main.tsx'),
    platform: 'browser',
    transform: {
      target: 'es2022',
      // Shorter than the automatic runtime, which names the children of each element.
      jsx: { runtime: 'classic', pragma: 'element', pragmaFrag: 'Fragment' },
      inject: { element: [drawing, 'element'], Fragment: [drawing, 'Fragment'] },
    },
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(`viewer: ${log.message}`);
    },
  });
  const { output } = await build.generate({ format: 'iife', minify: true, comments: false });
  await build.close();
  const [chunk, ...others] = output;
  if (others.length > 0) throw new Error('viewer: the script is more than one file.');
  const code = withShortNames(chunk.code.trim());
  if (/<\/script|<script|<!--/i.test(code)) throw new Error('viewer: the script would end its own element.');
  return code;
}

/** What the script names most often of the language. */
const oftenNamed = ['JSON.stringify', 'Math.max', 'Math.min', 'Object.entries', 'Array.isArray'];

/**
 * Makes parameters of what the script names most often. The minifier writes `undefined` as `void 0`, some five hundred times: a parameter without an
 * argument is shorter.
 * @param {string} code
 */
function withShortNames(code) {
  const start = '(function(){';
  const end = '})();';
  const texts = [...oftenNamed, 'void 0'];
  const names = texts.map((_, index) => `_${index}`);
  if (!code.startsWith(start) || !code.endsWith(end) || names.some((name) => code.includes(name)))
    throw new Error(`viewer: the script has no place for the parameters ${names.join(', ')}.`);
  let body = code.slice(start.length, -end.length);
  for (const [index, text] of texts.entries()) body = body.replaceAll(text, () => names[index] ?? text);
  return `(function(${names.join()}){${body}})(${oftenNamed.join()});`;
}
