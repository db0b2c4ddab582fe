// Rules of this project for oxlint, about tests; `.oxlintrc.json` switches them on.

/** @typedef {{ type: string, [field: string]: any }} Node */
/** @typedef {{ report: (problem: { node: Node, message: string }) => void }} Context */

const testFunctions = new Set([
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'it',
  'onTestFinished',
  'test',
]);

/** How many cases a property draws comes from `draws()`, so that `npm test` draws few and CI all. */
const draws = {
  /** @param {Context} context */
  create(context) {
    /** Constants that hold what `draws()` gave. @type {Set<string>} */
    const drawn = new Set();
    /** @param {Node} value */
    const isDrawn = (value) =>
      (value.type === 'CallExpression' && value['callee'].name === 'draws') ||
      (value.type === 'Identifier' && drawn.has(value['name']));
    return {
      /** @param {Node} node */
      VariableDeclarator(node) {
        if (node['init'] && isDrawn(node['init'])) drawn.add(node['id'].name);
      },
      /** @param {Node} node */
      Property(node) {
        const key = node['key'].name ?? node['key'].value;
        if (key !== 'numRuns' || isDrawn(node['value'])) return;
        const message = 'Take the number of draws from test/support/draws.ts: `numRuns: draws(300)`.';
        context.report({ node, message });
      },
    };
  },
};

/** A test has no time limit of its own: the one of `vitest.config.ts` is for what hangs, and no test measures speed. */
const noTestLimit = {
  /** @param {Context} context */
  create(context) {
    return {
      /** @param {Node} node */
      CallExpression(node) {
        if (!testFunctions.has(calledName(node['callee']) ?? '')) return;
        const values = /** @type {Node[]} */ (node['arguments']);
        const limit =
          values.length > 1 && isNumber(values.at(-1))
            ? values.at(-1)
            : values
                .filter(({ type }) => type === 'ObjectExpression')
                .flatMap((options) => /** @type {Node[]} */ (options['properties']))
                .find((property) => property['key']?.name === 'timeout');
        if (limit === undefined) return;
        const message = 'A test measures no speed: leave its limit to vitest.config.ts.';
        context.report({ node: limit, message });
      },
    };
  },
};

/** @param {Node | undefined} value a literal, or a sum or product that begins with one @returns {boolean} */
function isNumber(value) {
  if (value?.type === 'BinaryExpression') return isNumber(value['left']);
  return value?.type === 'Literal' && typeof value['value'] === 'number';
}

/** @param {Node} callee @returns {string | undefined} `test` of `test.each(rows)` */
function calledName(callee) {
  if (callee.type === 'Identifier') return callee['name'];
  if (callee.type === 'MemberExpression') return calledName(callee['object']);
  if (callee.type === 'CallExpression') return calledName(callee['callee']);
  return callee.type === 'TaggedTemplateExpression' ? calledName(callee['tag']) : undefined;
}

// oxlint asks for a default export.
export default { meta: { name: 'wink' }, rules: { draws, 'no-test-limit': noTestLimit } };
