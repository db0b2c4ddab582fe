// Marks values that a module creates during evaluation, so that bundlers can omit unused ones. The sources follow the rule that
// evaluating a module creates values and has no other effects, so the build can mark every call.
import { parseAst } from 'rolldown/parseAst';

const mark = '/* @__PURE__ */ ';

/** @typedef {{ type: string, start: number, end: number, [field: string]: unknown }} Node */
/** @typedef {{ readonly at: number, readonly text: string }} Insertion */

/**
 * Puts `@__PURE__` before every call that the initializer of a top-level variable, or of a static member, makes. What bundlers cannot leave out even
 * so (reading a property, spreading, putting a value into a template) becomes a call. Statements are left as they are: they have an effect, or they would not be there.
 * @param {string} code
 * @returns {string}
 */
export function markPure(code) {
  /** @type {Insertion[]} */
  const insertions = [];
  // The parser's nodes have these fields; what else they have depends on the type.
  const { body } = /** @type {{ body: Node[] }} */ (/** @type {unknown} */ (parseAst(code)));
  for (const statement of body) {
    const declared = /** @type {Node} */ (statement['declaration'] ?? statement);
    if (declared.type === 'ClassDeclaration') visitClass(declared, insertions);
    if (declared.type !== 'VariableDeclaration') continue;
    for (const { init } of /** @type {{ init: Node | null }[]} */ (declared['declarations'])) {
      if (init !== null) visit(init, insertions);
    }
  }
  insertions.sort((left, right) => left.at - right.at);
  let marked = '';
  let from = 0;
  for (const { at, text } of insertions) {
    marked += code.slice(from, at);
    // The bundler marks some of them itself.
    marked += text.startsWith(mark) && marked.endsWith(mark) ? text.slice(mark.length) : text;
    from = at;
  }
  return marked + code.slice(from);
}

/**
 * @param {Node} expression
 * @param {Insertion[]} insertions
 */
function visit(expression, insertions) {
  if ([...evaluated(expression)].some(cannotBeMarked)) {
    const [open, close] = expression.type === 'ObjectExpression' ? ['(', ')'] : ['', ''];
    insertions.push({ at: expression.start, text: `${mark}(() => ${open}` });
    insertions.push({ at: expression.end, text: `${close})()` });
    return;
  }
  for (const node of evaluated(expression)) {
    if (isCall(node)) insertions.push({ at: node.start, text: mark });
    if (isClass(node)) visitClass(node, insertions);
  }
}

/**
 * @param {Node} node
 * @param {Insertion[]} insertions
 */
function visitClass(node, insertions) {
  const { body } = /** @type {{ body: Node[] }} */ (node['body']);
  for (const member of body) {
    const { static: isStatic, value } = /** @type {{ static?: boolean, value?: Node | null }} */ (member);
    if (member.type === 'PropertyDefinition' && isStatic === true && value) visit(value, insertions);
  }
}

/**
 * The nodes that are evaluated together with an expression, itself included: bodies of functions and classes are not.
 * @param {Node} node
 * @returns {Generator<Node, void>}
 */
function* evaluated(node) {
  yield node;
  if (isFunction(node) || isClass(node)) return;
  for (const [field, value] of Object.entries(node)) {
    // What is called, and the way to it, belongs to the call.
    if (field === 'callee' && isNamed(/** @type {Node} */ (value))) continue;
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') yield* evaluated(child);
    }
  }
}

/** @param {Node} node */
function cannotBeMarked(node) {
  if (node.type === 'SpreadElement' || node.type === 'MemberExpression') return true;
  // A value in a template is converted to a string, which may call a function of the value.
  if (node.type === 'TemplateLiteral') return /** @type {Node[]} */ (node['expressions']).length > 0;
  if (!isCall(node)) return false;
  const callee = /** @type {Node} */ (node['callee']);
  return !isNamed(callee) && !isFunction(callee);
}

/**
 * A function given by its name, such as `make` or `Object.freeze`.
 * @param {Node} node
 * @returns {boolean}
 */
function isNamed(node) {
  if (node.type !== 'MemberExpression') return node.type === 'Identifier';
  return node['computed'] === false && isNamed(/** @type {Node} */ (node['object']));
}

/** @param {Node} node */
function isCall(node) {
  return node.type === 'CallExpression' || node.type === 'NewExpression';
}

/** @param {Node} node */
function isFunction(node) {
  return node.type === 'FunctionExpression' || node.type === 'ArrowFunctionExpression';
}

/** @param {Node} node */
function isClass(node) {
  return node.type === 'ClassExpression';
}
