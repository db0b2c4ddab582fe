#!/usr/bin/env node
// Tests import what the package exports by the package's name, so that moving a source file touches no test. Names the
// imports of `src/` below test/ that could do so; with `--write` changes those with names in braces. `--root <folder>` checks another
// project.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/**
 * @typedef {{ type: string, start: number, end: number, [field: string]: any }} Node
 * @typedef {{ local: string, imported: string, isType: boolean }} Name
 * @typedef {{ node: Node, from: string, isType: boolean, names: Name[] }} Import
 */

const rootOption = process.argv.indexOf('--root');
const root =
  rootOption === -1
    ? fileURLToPath(new URL('..', import.meta.url))
    : resolve(process.argv[rootOption + 1] ?? '.');
/** Programs that tests run in processes of their own, where the package's name leads to what was built last. */
const childPrograms = 'test/support/children/';
const isWriting = process.argv.includes('--write');

/** @type {Map<string, Node>} */
const parsed = new Map();
/** @type {Map<string, Map<string, string>>} */
const exportsOfFiles = new Map();

const entries = packageEntries();
/** Where each exported thing is made, such as `src/core/tool/tool.ts#tool`, to its name and the entry that exports it. */
const exported = new Map();
for (const [entry, file] of entries) {
  for (const [name, origin] of exportsOf(file)) {
    if (!exported.has(origin)) exported.set(origin, { entry, name });
  }
}

const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .map((path) => join('test', path))
  .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'));
const outsideOfTests = reachableFrom(tests.filter((path) => path.startsWith(childPrograms)));
let found = 0;
for (const file of tests.filter((path) => !outsideOfTests.has(path))) found += checkFile(file);
if (found > 0 && !isWriting) {
  console.log(
    `${found} imports of src/ have a name in the package: node scripts/package-imports.mjs --write`,
  );
  process.exitCode = 1;
}

/** @param {string} file @returns {number} how many names of it the package exports */
function checkFile(file) {
  const imports = importsOf(file);
  /** @type {Map<string, Name[]>} */
  const moved = new Map();
  for (const { from, isType, names } of imports) {
    if (!from.startsWith('.')) continue;
    const target = relativeTo(file, from);
    if (!target.startsWith('src/')) continue;
    for (const name of [...names]) {
      const known = exported.get(exportsOf(target).get(name.imported) ?? '');
      if (known === undefined) continue;
      console.log(`${file}: ${name.imported} is exported by ${known.entry}`);
      names.splice(names.indexOf(name), 1);
      const list = moved.get(known.entry) ?? [];
      list.push({ local: name.local, imported: known.name, isType: isType || name.isType });
      moved.set(known.entry, list);
    }
  }
  const count = [...moved.values()].flat().length;
  if (isWriting && count > 0) rewrite(file, imports, moved);
  return count + reportOtherImports(file);
}

/**
 * Reports what cannot be rewritten by name: `import * as`, `export … from` and `import()` of a source.
 * @param {string} file @returns {number} how many of them the package could serve
 */
function reportOtherImports(file) {
  let count = 0;
  /** @param {string} what @param {string | undefined} entry */
  const report = (what, entry) => {
    if (entry === undefined) return;
    console.log(`${file}: ${what} is exported by ${entry}`);
    count += 1;
  };
  /** @param {string} from @returns {string | undefined} the entry whose source it is */
  const entryOf = (from) =>
    from.startsWith('.')
      ? [...entries].find(([, source]) => source === relativeTo(file, from))?.[0]
      : undefined;
  for (const node of parse(file)['body']) {
    const from = node['source']?.value;
    if (typeof from !== 'string') continue;
    const isNamespace = node['specifiers']?.some(
      (/** @type {Node} */ one) => one.type === 'ImportNamespaceSpecifier',
    );
    if (isNamespace === true) report('import * as', entryOf(from));
    if (node.type === 'ExportAllDeclaration') report('export *', entryOf(from));
    if (node.type !== 'ExportNamedDeclaration' || !from.startsWith('.')) continue;
    const target = relativeTo(file, from);
    if (!target.startsWith('src/')) continue;
    for (const { local } of node['specifiers'])
      report(local.name, exported.get(exportsOf(target).get(local.name) ?? '')?.entry);
  }
  forEachNode(parse(file), (node) => {
    const from = node.type === 'ImportExpression' ? node['source']?.value : undefined;
    if (typeof from === 'string') report('import()', entryOf(from));
  });
  return count;
}

/** @param {unknown} value a node, a list of nodes or anything else @param {(node: Node) => void} visit */
function forEachNode(value, visit) {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') visit(/** @type {Node} */ (value));
  for (const child of Object.values(value)) forEachNode(child, visit);
}

/**
 * @param {string} file
 * @param {readonly Import[]} imports those of the file, without the names that move
 * @param {ReadonlyMap<string, readonly Name[]>} moved by the entry that they are imported from now
 */
function rewrite(file, imports, moved) {
  let text = readFileSync(join(root, file), 'utf8');
  const waiting = new Map(moved);
  for (const { node, from, isType, names } of [...imports].reverse()) {
    const added = waiting.get(from) ?? [];
    waiting.delete(from);
    const all = [...names.map((name) => ({ ...name, isType: name.isType || isType })), ...added];
    if (all.length === node['specifiers'].length && added.length === 0) continue;
    const line = all.length === 0 ? '' : `${printImport(from, all)}\n`;
    text = text.slice(0, node.start) + line + text.slice(node.end).replace(/^\n/, '');
  }
  const others = [...waiting].map(([entry, names]) => `${printImport(entry, names)}\n`).join('');
  writeFileSync(join(root, file), others + text);
}

/** @param {string} from @param {readonly Name[]} names */
function printImport(from, names) {
  const areTypes = names.every(({ isType }) => isType);
  const list = names.map(({ imported, isType, local }) => {
    const name = imported === local ? local : `${imported} as ${local}`;
    return isType && !areTypes ? `type ${name}` : name;
  });
  return `import ${areTypes ? 'type ' : ''}{ ${list.join(', ')} } from '${from}';`;
}

/** @param {string} file @returns {Import[]} those with names in braces */
function importsOf(file) {
  return parse(file)['body'].flatMap((/** @type {Node} */ node) => {
    if (node.type !== 'ImportDeclaration' || node['specifiers'].length === 0) return [];
    if (node['specifiers'].some((/** @type {Node} */ one) => one.type !== 'ImportSpecifier')) return [];
    return {
      node,
      from: node['source'].value,
      isType: node['importKind'] === 'type',
      names: node['specifiers'].map((/** @type {Node} */ one) => ({
        local: one['local'].name,
        imported: one['imported'].name,
        isType: one['importKind'] === 'type',
      })),
    };
  });
}

/**
 * The names that a file exports and where each is made, `FILE#NAME`.
 * @param {string} file
 * @returns {Map<string, string>}
 */
function exportsOf(file) {
  const known = exportsOfFiles.get(file);
  if (known !== undefined) return known;
  /** @type {Map<string, string>} */
  const names = new Map();
  exportsOfFiles.set(file, names);
  /** What the file has imported, for `export { name }` of it. */
  const imported = new Map(
    importsOf(file).flatMap(({ from, names: list }) =>
      list.map((name) => [name.local, { from, imported: name.imported }]),
    ),
  );
  /** @param {string} from @param {string} name */
  const originOf = (from, name) =>
    from.startsWith('.') ? (exportsOf(relativeTo(file, from)).get(name) ?? '') : `${from}#${name}`;
  for (const node of parse(file)['body']) {
    if (node.type === 'ExportAllDeclaration') {
      const from = node['source'].value;
      if (from.startsWith('.')) {
        for (const [name, origin] of exportsOf(relativeTo(file, from))) names.set(name, origin);
      }
    }
    if (node.type !== 'ExportNamedDeclaration') continue;
    for (const { local, exported: as } of node['specifiers']) {
      const source = node['source']?.value;
      const other = imported.get(local.name);
      const origin =
        source !== undefined
          ? originOf(source, local.name)
          : other !== undefined
            ? originOf(other.from, other.imported)
            : `${file}#${local.name}`;
      names.set(as.name, origin);
    }
    const { declaration } = node;
    for (const made of declaration?.declarations ?? (declaration ? [declaration] : [])) {
      if (made.id?.name !== undefined) names.set(made.id.name, `${file}#${made.id.name}`);
    }
  }
  return names;
}

/** @param {readonly string[]} files @returns {Set<string>} these and what they import below test/ */
function reachableFrom(files) {
  const reached = new Set(files);
  for (const file of reached) {
    for (const { from } of importsOf(file)) {
      const target = from.startsWith('.') ? relativeTo(file, from) : '';
      if (target.startsWith('test/')) reached.add(target);
    }
  }
  return reached;
}

/** @returns {Map<string, string>} the source file of each entry */
function packageEntries() {
  /** @type {{ compilerOptions: { paths: Record<string, string[]> } }} */
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8'));
  return new Map(
    Object.entries(compilerOptions.paths).flatMap(([name, [file = '']]) => {
      const [before = '', after] = join('.', file).split('*');
      if (after === undefined) return [[name, before]];
      return readdirSync(join(root, before)).flatMap((one) => {
        if (!one.endsWith(after)) return [];
        const middle = one.slice(0, -after.length);
        return [[name.replace('*', middle), join(before, one)]];
      });
    }),
  );
}

/** @param {string} file @returns {Node} */
function parse(file) {
  const known = parsed.get(file);
  if (known !== undefined) return known;
  const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : '';
  /** @type {any} */
  const program = parseAst(text, { lang: 'ts', sourceType: 'module' });
  parsed.set(file, program);
  return program;
}

/** @param {string} file @param {string} specifier */
function relativeTo(file, specifier) {
  return relative(root, join(root, dirname(file), specifier));
}
