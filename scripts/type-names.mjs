#!/usr/bin/env node
// One exported name has one meaning: no two files of `src/` export types of one name. Names those that do, with where each is
// declared. Types are interfaces, type aliases and classes; what is exported again from elsewhere does not count. `--root <folder>`
// checks another project.
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/** @typedef {{ type: string, [field: string]: any }} Node */

const rootOption = process.argv.indexOf('--root');
const root =
  rootOption === -1
    ? fileURLToPath(new URL('..', import.meta.url))
    : resolve(process.argv[rootOption + 1] ?? '.');
const typeDeclarations = ['TSInterfaceDeclaration', 'TSTypeAliasDeclaration', 'ClassDeclaration'];

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .map((path) => join('src', path))
  .filter((path) => /\.tsx?$/.test(path))
  .sort();
/** @type {Map<string, string[]>} */
const declaredIn = new Map();
for (const file of files) {
  for (const name of exportedTypesOf(file)) declaredIn.set(name, [...(declaredIn.get(name) ?? []), file]);
}

const clashes = [...declaredIn]
  .filter(([, places]) => places.length > 1)
  .sort(([left], [right]) => (left < right ? -1 : 1));
for (const [name, places] of clashes) console.log(`${name} is exported by ${places.join(', ')}`);
if (clashes.length > 0) {
  console.log(
    `${clashes.length} names of types have more than one meaning: rename all but one, or make them one type`,
  );
  process.exitCode = 1;
}

/**
 * The names of the types that a file declares and exports, each once: a class and the interface merged with it are one.
 * @param {string} file
 * @returns {Set<string>}
 */
function exportedTypesOf(file) {
  /** @type {any} */
  const program = parseAst(readFileSync(join(root, file), 'utf8'), {
    lang: file.endsWith('x') ? 'tsx' : 'ts',
    sourceType: 'module',
  });
  /** @type {Node[]} */
  const body = program.body;
  const declared = new Set(body.flatMap(typeNameOf));
  return new Set(
    body.flatMap((node) => {
      if (node.type !== 'ExportNamedDeclaration' || node['source']) return [];
      const listed = node['specifiers']
        .filter((/** @type {Node} */ { local }) => declared.has(local.name))
        .map((/** @type {Node} */ { exported }) => exported.name);
      return [...typeNameOf(node['declaration']), ...listed];
    }),
  );
}

/** @param {Node | null} node @returns {string[]} the name of the type that it declares, if it declares one */
function typeNameOf(node) {
  return node !== null && typeDeclarations.includes(node.type) ? [node['id'].name] : [];
}
