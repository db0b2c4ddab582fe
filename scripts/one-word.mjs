#!/usr/bin/env node
// One concept has one word in `src/`. What contains a call, an evaluation or a run is *outer*, what it contains *inner*; running again from rows
// is *resuming*, comparing with a record *replaying*. Names what says it otherwise: identifiers, names of files and folders, comments.
// `--root <folder>` checks another project.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/** @typedef {{ type: string, [field: string]: any }} Node */

const rootOption = process.argv.indexOf('--root');
const root =
  rootOption === -1
    ? fileURLToPath(new URL('..', import.meta.url))
    : resolve(process.argv[rootOption + 1] ?? '.');

const nestingWord = /^(enclosing|nest|nested|nesting|inside|around)$/i;
const nestingPhrase = /\b(enclosing|nested|surrounding) (call|evaluation|run|prompt)s?\b/i;
/** Names with such a word that mean something else, or that others depend on, by what they are. */
const allowed = new Map(
  Object.entries({
    'public names': ['NestedAdapter', 'NestedEvaluateOptions', 'NestedRunLimits', 'nested-evaluation'],
    'the method around() of observers: a wrapper of work': ['around', 'arounds', 'aroundAll', 'guardAround'],
    'the same wrapper in SQLite resources': ['Around', '#around'],
    'a place in a folder': [
      'INSIDE',
      'directoriesAround',
      'inside-folder',
      'isInside',
      'isInsideFolder',
      'refuseJournalInside',
    ],
    'a place in a text': ['fenceAround', 'shownAround'],
    'the depth of a JSON schema': ['maxNesting', 'nesting'],
  }).flatMap(([reason, names]) => names.map((name) => [name, reason])),
);

/** Words that a folder has another one for. */
const wordsOfFolders = [
  { folder: /^src\/durable\//, word: /repeat(?!edly)/i, instead: 'resume' },
  {
    folder: /^src\/(durable|(core\/)?(evaluation|runtime|session))\//,
    word: /replay(?!\.md)/i,
    instead: 'resume or earlier',
  },
  { folder: /^src\/(record|cli)\/(.*\/)?replay\//, word: /resum(e|ing)/i, instead: 'replay' },
];

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => `src/${path.replaceAll('\\', '/')}`)
  .filter((path) => /\.tsx?$/.test(path))
  .sort();
/** @type {Set<string>} */
const found = new Set();
for (const file of files) check(file);
for (const line of found) console.log(line);
if (found.size > 0) {
  console.log(`${found.size} names or comments use a second word: see scripts/one-word.mjs`);
  process.exitCode = 1;
}

/** @param {string} file */
function check(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const parts = file.split('/').slice(1);
  for (const name of [...parts.slice(0, -1), basename(file).replace(/\.tsx?$/, '')]) checkName(file, name);
  /** @type {any} */
  const program = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts', sourceType: 'module' });
  forEachNode(program, (node) => {
    if (node.type === 'Identifier') checkName(file, node['name']);
    if (node.type === 'PrivateIdentifier') checkName(file, `#${node['name']}`);
  });
  for (const line of text.split('\n').map((it) => it.trim())) {
    const phrase = /^(\/\*\*|\*|\/\/)/.test(line) ? nestingPhrase.exec(line)?.[0] : undefined;
    if (phrase !== undefined) found.add(`${file}: "${phrase}"; write outer or inner`);
  }
  for (const { folder, word, instead } of wordsOfFolders) {
    if (!folder.test(file)) continue;
    const hit = word.exec(text)?.[0] ?? word.exec(basename(file))?.[0];
    if (hit !== undefined) found.add(`${file}: "${hit}"; write ${instead}`);
  }
}

/** @param {string} file @param {string} name */
function checkName(file, name) {
  const words = name.replace(/^#/, '').split(/(?<=[a-z0-9])(?=[A-Z])|[-_.]/);
  if (words.some((word) => nestingWord.test(word)) && !allowed.has(name)) {
    found.add(`${file}: ${name}; write outer or inner`);
  }
}

/** @param {unknown} value a node, a list of nodes or anything else @param {(node: Node) => void} visit */
function forEachNode(value, visit) {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') visit(/** @type {Node} */ (value));
  for (const child of Object.values(value)) forEachNode(child, visit);
}
