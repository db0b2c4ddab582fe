// Rules of this project for oxlint, about constants, spreads, cuts of texts, child processes, and tests; `.oxlintrc.json` says which files each is for.

/** @typedef {{ type: string, [field: string]: any }} Node */
/** @typedef {{ report: (problem: { node: Node, message: string }) => void }} Context */

/** Constants are camelCase: no variable has a name of capitals. A single capital passes. */
const camelCaseConstants = {
  /** @param {Context} context */
  create(context) {
    return {
      /** @param {Node} declarator */
      VariableDeclarator(declarator) {
        for (const { name, node } of boundNames(declarator['id'])) {
          if (!/^[A-Z][A-Z0-9_]+$/.test(name)) continue;
          const better = name.toLowerCase().replace(/_+([a-z0-9])/g, (_, first) => first.toUpperCase());
          context.report({ node, message: `${name}: constants are camelCase: ${better}` });
        }
      },
    };
  },
};

/** A literal within a literal is plain members. */
const noLiteralSpread = {
  /** @param {Context} context */
  create(context) {
    return {
      /** @param {Node} node */
      ObjectExpression(node) {
        for (const { spread, value } of spreadsOf(node)) {
          if (value.type !== 'ObjectExpression') continue;
          context.report({ node: spread, message: 'spread of an object literal: write its members' });
        }
      },
    };
  },
};

/** Members that may be undefined go through `present()`; only sources have it. */
const noConditionalSpread = {
  /** @param {Context} context */
  create(context) {
    const message =
      'conditional spread: use present() of src/core/internal, or a member that may be undefined';
    return {
      /** @param {Node} node */
      ObjectExpression(node) {
        for (const { spread, value } of spreadsOf(node))
          if (isConditional(value)) context.report({ node: spread, message });
      },
    };
  },
};

/**
 * A text is cut by one function, which never leaves half of a surrogate pair: no start of a text with an ellipsis, and no start up to
 * a limit of characters.
 */
const textCuts = {
  /** @param {Context} context */
  create(context) {
    const message = 'cut texts by startOf(), cutAfter(), shorten(), cutLine() or clip() of src/core/internal';
    return {
      /** @param {Node} node */
      TemplateLiteral(node) {
        for (const [index, expression] of node['expressions'].entries()) {
          const after = node['quasis'][index + 1].value.cooked;
          if (/^(…|\.\.\.)/.test(after) && isStart(expression)) context.report({ node: expression, message });
        }
      },
      /** @param {Node} node */
      BinaryExpression(node) {
        const { left, right } = node;
        if (node['operator'] !== '+' || right.type !== 'Literal') return;
        if (/^(…|\.\.\.)/.test(right['value']) && isStart(left)) context.report({ node: left, message });
      },
      /** @param {Node} node */
      CallExpression(node) {
        if (isTextCut(node)) return context.report({ node, message });
        const length = lengthOfStart(node);
        if (length !== undefined && node['callee'].type === 'MemberExpression' && isTextLimit(length))
          context.report({ node, message });
      },
    };
  },
};

/** A child process is started in one file, so that every one has its end, its drain and the kill of its group. Types may be imported. */
const oneChildProcess = {
  /** @param {Context} context */
  create(context) {
    const message = 'start processes by Child or startProcess() of src/host/process';
    return {
      /** @param {Node} node */
      ImportDeclaration(node) {
        if (!/^(node:)?child_process$/.test(node['source'].value) || node['importKind'] === 'type') return;
        const members = /** @type {Node[]} */ (node['specifiers']);
        if (!members.length || members.some((member) => member['importKind'] !== 'type'))
          context.report({ node, message });
      },
      /** @param {Node} node */
      ImportExpression(node) {
        if (/^(node:)?child_process$/.test(node['source'].value)) context.report({ node, message });
      },
    };
  },
};

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

/** @param {Node | null} pattern what a declaration binds @returns {{ name: string, node: Node }[]} */
function boundNames(pattern) {
  switch (pattern?.type) {
    case 'Identifier':
      return [{ name: pattern['name'], node: pattern }];
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

/** @param {Node} object an object literal @returns {{ spread: Node, value: Node }[]} what it spreads */
function spreadsOf(object) {
  const members = /** @type {Node[]} */ (object['properties']);
  return members
    .filter(({ type }) => type === 'SpreadElement')
    .map((spread) => ({ spread, value: spread['argument'] }));
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

/** Whether the start of something is taken, in a way that is not reported as a cut already. @param {Node} node @returns {boolean} */
function isStart(node) {
  return lengthOfStart(node) !== undefined && !isTextCut(node);
}

/**
 * Whether a call cuts a text at a number or a limit: any `substring` or `substr`, and `slice` of what is called a text. A place that was looked for,
 * such as `text.slice(0, end)`, is between characters. @param {Node} node @returns {boolean}
 */
function isTextCut({ type, callee, arguments: given }) {
  if (type !== 'CallExpression' || callee.type !== 'MemberExpression') return false;
  const method = callee['property'].name;
  if (['substring', 'substr'].includes(method)) return true;
  const { object } = callee;
  const name = object['name'] ?? object['property']?.name ?? '';
  if (method !== 'slice' || !/(text|message|line|reason|title|label|output|answer)$/i.test(name))
    return false;
  const [from, to] = /** @type {Node[]} */ (given);
  const back = from?.type === 'UnaryExpression' ? from['argument'] : undefined;
  return [back, to].some((limit) => limit !== undefined && isLimit(limit));
}

/** @param {Node} limit a number, or something that is called a limit @returns {boolean} */
function isLimit(limit) {
  if (limit.type === 'Literal') return limit['value'] > 1;
  if (limit.type === 'BinaryExpression') return isLimit(limit['left']) || isLimit(limit['right']);
  return /^(max|limit|kept|width|shown)/i.test(limit['name'] ?? limit['property']?.name ?? '');
}

/** Whether a length is a limit of texts by its name, or too large for a list. @param {Node} length @returns {boolean} */
function isTextLimit(length) {
  if (length.type === 'Literal') return length['value'] >= 30;
  const name = length['name'] ?? length['property']?.name ?? '';
  return /^max\w*(Characters|Length|Text|Reason|Read)$/.test(name);
}

// oxlint asks for a default export.
export default {
  meta: { name: 'wink' },
  rules: {
    'camel-case-constants': camelCaseConstants,
    'no-literal-spread': noLiteralSpread,
    'no-conditional-spread': noConditionalSpread,
    'text-cuts': textCuts,
    'one-child-process': oneChildProcess,
    draws,
    'no-test-limit': noTestLimit,
  },
};
