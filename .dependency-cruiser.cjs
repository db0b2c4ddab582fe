const { existsSync, readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * The order of the wings, of the rooms of each wing and of their inner rooms, by folder of `src/`: one may import only those before it, and those
 * of an inner list not each other. The files directly in a folder may import every room of it; no room imports them.
 *
 * @type {{
 *   readonly order: Readonly<Record<string, readonly (string | readonly string[])[]>>;
 *   readonly needsNode: readonly string[];
 *   readonly packages: Readonly<Record<string, string>>;
 * }}
 */
const { order, needsNode, packages } = JSON.parse(
  readFileSync(join(__dirname, 'scripts/wings.json'), 'utf8'),
);

/** @typedef {import('dependency-cruiser').IForbiddenRuleType} Rule */

/** @param {readonly string[]} folders @param {string} [parent] */
const inside = (folders, parent = '') => `^src/${parent === '' ? '' : `${parent}/`}(${folders.join('|')})/`;

/** What may import an entry, and what an entry may import, is not a matter of order. */
const entries = '^src/entries/';

/** @type {Rule[]} */
const orderRules = Object.entries(order).flatMap(([parent, rooms]) =>
  rooms.flatMap((place, position) => {
    const earlier = rooms.slice(0, position).flat();
    return [place].flat().map((room) => ({
      name: `order-${parent === '' ? '' : `${parent}/`}${room}`,
      comment: `src/${parent === '' ? '' : `${parent}/`}${room} may import only: ${earlier.join(', ') || 'no other'}.`,
      severity: /** @type {const} */ ('error'),
      from: { path: inside([room], parent) },
      to: {
        path: `^src/${parent === '' ? '' : `${parent}/`}`,
        pathNot: [inside([...earlier, room], parent), entries],
      },
    }));
  }),
);

/** The folders of `src/`, without it. @param {string} [below] @returns {string[]} */
function foldersOf(below = '') {
  return readdirSync(join(__dirname, 'src', below), { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return [];
    const folder = below === '' ? entry.name : `${below}/${entry.name}`;
    return [folder, ...foldersOf(folder)];
  });
}

const folders = foldersOf();
/** Entries may import every wing; the style of the page is no code. */
const withoutOrder = ['entries', 'viewer/style'];
const places = Object.entries(order).flatMap(([parent, rooms]) =>
  rooms.flat().map((room) => (parent === '' ? room : `${parent}/${room}`)),
);
/** Folders that their parent's line leaves out, and places without a folder. A folder without a line has no order. */
const misplaced = [
  ...folders.filter((folder) => {
    const parent = folder.includes('/') ? folder.slice(0, folder.lastIndexOf('/')) : '';
    return order[parent] !== undefined && !places.includes(folder) && !withoutOrder.includes(folder);
  }),
  ...places.filter((place) => !folders.includes(place)),
];
if (misplaced.length > 0) {
  throw new Error(`scripts/wings.json and the folders of src/ differ: ${misplaced.join(', ')}.`);
}

/**
 * A folder with an `index.ts` is entered through that file only; `internal.ts` beside it is what it loads on demand.
 *
 * @type {Rule[]}
 */
const indexRules = folders
  .filter((folder) => existsSync(join(__dirname, 'src', folder, 'index.ts')))
  .map((folder) => ({
    name: `index-${folder}`,
    comment: `src/${folder} is entered through its index.ts.`,
    severity: /** @type {const} */ ('error'),
    from: { path: '^src/', pathNot: [`^src/${folder}/`, entries] },
    to: { path: `^src/${folder}/`, pathNot: '/(index|internal)[.]ts$' },
  }));

/** What the folders of bench/ may import of each other: the harness knows nothing of what it runs. */
const benchFolders = {
  harness: [],
  systems: ['harness'],
  cases: ['harness'],
  scale: ['harness', 'systems'],
  trace: ['harness'],
  rows: ['harness'],
  trips: [],
  compare: [],
};

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const benchRules = Object.entries(benchFolders).map(([folder, others]) => ({
  name: `direction-bench-${folder}`,
  comment: `bench/${folder} may import only: ${others.join(', ') || 'no other folder of bench'}.`,
  severity: 'error',
  from: { path: `^bench/${folder}/` },
  to: { path: '^bench/', pathNot: ['node_modules', `^bench/(${[folder, ...others].join('|')})/`] },
}));

const packagePath = (/** @type {string} */ name) => `node_modules/${name}/`;

/** @type {Rule[]} */
const packageRules = Object.entries(packages).map(([name, folder]) => ({
  name: `only-${folder}-imports-${name.replace(/^@.*\//, '')}`,
  comment: `${name} is an implementation detail of src/${folder}.`,
  severity: 'error',
  from: { path: '^src/', pathNot: inside([folder]) },
  to: { path: packagePath(name) },
}));

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-circular',
      comment: 'No import cycles, type-only imports included.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    ...orderRules,
    ...indexRules,
    {
      name: 'wings-through-index',
      comment: 'Another wing is entered through an index.ts.',
      severity: 'error',
      from: { path: '^src/([^/]+)/', pathNot: entries },
      to: { path: '^src/[^/]+/.+', pathNot: ['^src/$1/', '/(index|internal)[.]ts$'] },
    },
    {
      name: 'no-entry-inside',
      comment:
        'Nothing imports an entry: the modules of agents, which the command loads, name them as users do.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: entries },
    },
    {
      name: 'no-internals-exported',
      comment: 'An entry exports nothing through an internal.ts.',
      severity: 'error',
      from: { path: entries },
      to: { path: '/internal[.]ts$' },
    },
    {
      name: 'runs-anywhere',
      comment: `Node modules are imported only in ${needsNode.join(', ')} and the entry of the command; the rest runs anywhere.`,
      severity: 'error',
      from: { path: '^src/', pathNot: [inside(needsNode), '^src/entries/wink[.]ts$'] },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'runs-anywhere-transitively',
      comment:
        'What runs anywhere imports nothing of what needs Node, nor types, whose declarations need those of Node, and nothing on demand, which bundlers follow.',
      severity: 'error',
      from: { path: '^src/', pathNot: [inside(needsNode), entries] },
      to: { path: inside(needsNode) },
    },
    ...packageRules,
    ...benchRules,
    {
      name: 'known-packages-only',
      comment:
        'A package that src imports is a runtime dependency or an optional peer with a folder of its own in scripts/wings.json.',
      severity: 'error',
      from: { path: '^src/' },
      to: {
        dependencyTypesNot: ['core'],
        path: 'node_modules/',
        pathNot: Object.keys(packages).map(packagePath),
      },
    },
    {
      name: 'no-unresolvable',
      comment: 'Every import resolves, but for the peers of the benchmarks, which need not be installed.',
      severity: 'error',
      from: { pathNot: '^bench/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'no-tests-in-source',
      comment: 'The sources import nothing from tests, examples, benchmarks or scripts.',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(test|examples|bench|scripts)/' },
    },
    {
      name: 'no-orphans',
      comment: 'A source file that nothing imports is dead, unless it is an entry.',
      severity: 'error',
      from: {
        orphan: true,
        path: '^src/',
        pathNot: '^src/(entries/.+|viewer/main|.+/program)[.]tsx?$',
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Projects of their own, with dependencies of their own.
    exclude: { path: '^test/consumers/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import'] },
  },
};
