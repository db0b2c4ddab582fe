#!/usr/bin/env node
// Rules of style that oxlint has no rule for: constants in camelCase, no spread of an object literal that is there only sometimes,
// no cut of a text but by the functions of src/core/internal/text.ts.
// Prints one line for each place that breaks one. `--root <folder>` checks another project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';

/**
 * @typedef {{ type: string, start: number, end: number, [field: string]: any }} Node
 * @typedef {(at: Node, message: string) => void} Report
 */

const rootOption = process.argv.indexOf('--root');
const root =
  rootOption === -1
    ? fileURLToPath(new URL('..', import.meta.url))
    : resolve(process.argv[rootOption + 1] ?? '.');
const folders = ['src', 'test', 'bench', 'examples', 'scripts'];

const files = folders
  .filter((folder) => existsSync(join(root, folder)))
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => `${folder}/${path}`),
  )
  .filter((path) => /\.(ts|tsx|mjs)$/.test(path) && !path.includes('node_modules/'));
let found = 0;
for (const file of files) found += checkFile(file);
if (found > 0) process.exitCode = 1;

/** @param {string} file @returns {number} how many places of it break a rule */
function checkFile(file) {
  const text = readFileSync(join(root, file), 'utf8');
  let count = 0;
  /** @type {Report} */
  const report = (at, message) => {
    console.log(`${file}:${text.slice(0, at.start).split('\n').length}: ${message}`);
    count += 1;
  };
  /** @type {any} */
  const program = parseAst(text, { lang: file.endsWith('x') ? 'tsx' : 'ts', sourceType: 'module' });
  forEachNode(program, (node) => {
    checkConstants(node, report);
    checkSpreads(node, file.startsWith('src/'), report);
    if (file.startsWith('src/') && file !== 'src/core/internal/text.ts') checkCuts(node, report);
  });
  return count;
}

/**
 * Constants are camelCase: no variable has a name of capitals. A single capital passes.
 * @param {Node} node @param {Report} report
 */
function checkConstants(node, report) {
  if (node.type !== 'VariableDeclarator') return;
  for (const { name, at } of boundNames(node['id'])) {
    if (!/^[A-Z][A-Z0-9_]+$/.test(name)) continue;
    const better = name.toLowerCase().replace(/_+([a-z0-9])/g, (_, first) => first.toUpperCase());
    report(at, `${name}: constants are camelCase: ${better}`);
  }
}

/**
 * Members that may be undefined go through `present()`; only sources have it. A literal within a literal is plain members.
 * @param {Node} node @param {boolean} isSource @param {Report} report
 */
function checkSpreads(node, isSource, report) {
  if (node.type !== 'ObjectExpression') return;
  for (const member of node['properties']) {
    if (member.type !== 'SpreadElement') continue;
    const spread = member['argument'];
    if (spread.type === 'ObjectExpression') report(member, 'spread of an object literal: write its members');
    if (isSource && isConditional(spread))
      report(
        member,
        'conditional spread: use present() of src/core/internal, or a member that may be undefined',
      );
  }
}

/** Whether an object literal is there under a condition, and nothing otherwise. @param {Node} node @returns {boolean} */
function isConditional(node) {
  const branches = branchesOf(node);
  return branches.some(isLiteral) && branches.some((branch) => branch === undefined || isNothing(branch));
}

/** What a value may be, through all conditions; undefined stands for a condition that is false. @param {Node} node @returns {(Node | undefined)[]} */
function branchesOf(node) {
  if (node.type === 'ConditionalExpression')
    return [...branchesOf(node['consequent']), ...branchesOf(node['alternate'])];
  if (node.type === 'LogicalExpression' && node['operator'] === '&&')
    return [undefined, ...branchesOf(node['right'])];
  return [node];
}

/** @param {Node | undefined} node @returns {boolean} */
function isLiteral(node) {
  return node?.type === 'ObjectExpression' && node['properties'].length > 0;
}

/** @param {Node} node @returns {boolean} */
function isNothing(node) {
  if (node.type === 'ObjectExpression') return node['properties'].length === 0;
  return node.type === 'Literal' || (node.type === 'Identifier' && node['name'] === 'undefined');
}

/**
 * A text is cut by one function, which never leaves half of a surrogate pair: no start of a text with an ellipsis, and no start up to
 * a limit of characters.
 * @param {Node} node @param {Report} report
 */
function checkCuts(node, report) {
  const advice = 'cut texts by startOf(), cutAfter(), shorten(), cutLine() or clip() of src/core/internal';
  if (node.type === 'TemplateLiteral') {
    for (const [index, expression] of node['expressions'].entries()) {
      const after = node['quasis'][index + 1].value.cooked;
      if (/^(…|\.\.\.)/.test(after) && lengthOfStart(expression) !== undefined) report(expression, advice);
    }
    return;
  }
  if (node.type === 'BinaryExpression' && node['operator'] === '+') {
    const { left, right } = node;
    if (right.type === 'Literal' && /^(…|\.\.\.)/.test(right['value']) && lengthOfStart(left) !== undefined)
      report(left, advice);
    return;
  }
  const length = lengthOfStart(node);
  if (length !== undefined && node['callee'].type === 'MemberExpression' && isTextLimit(length))
    report(node, advice);
}

/** How much of something is its start, `text.slice(0, LENGTH)`; undefined for anything else. @param {Node} node @returns {Node | undefined} */
function lengthOfStart(node) {
  if (node.type !== 'CallExpression') return undefined;
  const { callee, arguments: given } = node;
  if (callee.type === 'Identifier' && callee['name'] === 'startOf') return given[1];
  if (callee.type !== 'MemberExpression' || given.length !== 2) return undefined;
  if (!['slice', 'substring'].includes(callee['property'].name) || given[0].value !== 0) return undefined;
  // A part of a hash is a name.
  return callee['object']['callee']?.property?.name === 'digest' ? undefined : given[1];
}

/** Whether a length is a limit of texts by its name, or too large for a list. @param {Node} length @returns {boolean} */
function isTextLimit(length) {
  if (length.type === 'Literal') return length['value'] >= 30;
  const name = length['name'] ?? length['property']?.name ?? '';
  return /^max\w*(Characters|Length|Text|Reason|Read)$/.test(name);
}

/** @param {Node | null} pattern what a declaration binds @returns {{ name: string, at: Node }[]} */
function boundNames(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [{ name: pattern['name'], at: pattern }];
    case 'ObjectPattern':
      // A member that keeps its name was named elsewhere, such as those of node:fs.
      return pattern['properties']
        .filter((/** @type {Node} */ one) => one['shorthand'] !== true)
        .flatMap((/** @type {Node} */ one) => boundNames(one['value'] ?? one));
    case 'ArrayPattern':
      return pattern['elements'].flatMap(boundNames);
    case 'AssignmentPattern':
      return boundNames(pattern['left']);
    case 'RestElement':
      return boundNames(pattern['argument']);
    default:
      return [];
  }
}

/** @param {unknown} value a node, a list of nodes or anything else @param {(node: Node) => void} visit */
function forEachNode(value, visit) {
  if (typeof value !== 'object' || value === null) return;
  if ('type' in value && typeof value.type === 'string') visit(/** @type {Node} */ (value));
  for (const child of Object.values(value)) forEachNode(child, visit);
}
