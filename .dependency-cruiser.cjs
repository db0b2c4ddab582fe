/**
 * Import directions of the source tree. A folder may import only what stands left of it in `order`; what has a
 * subpath and `cli` come last, and only `cli` may see the others.
 */
const order = [
  'internal',
  'error',
  'schema',
  'session',
  'resource',
  'filesystem',
  'tool',
  'policy',
  'prompt',
  'runtime',
  'evaluation',
  'record',
  'durable',
  'provider',
  'suite',
];

/** @param {readonly string[]} folders */
const inside = (folders) => `^src/(${folders.join('|')})/`;

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const directionRules = order.map((folder, position) => ({
  name: `direction-${folder}`,
  comment: `src/${folder} may import only: ${order.slice(0, position).join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: inside([folder]) },
  to: { path: '^src/', pathNot: inside(order.slice(0, position + 1)) },
}));

/**
 * The rooms (sub folders) of a folder, each of which may import only those left of it. The files directly in the folder, beside its
 * index.ts, may import every room; no room imports them.
 *
 * @type {Readonly<Record<string, readonly string[]>>}
 */
const rooms = {
  anthropic: ['hosted'],
  durable: ['rows', 'resume', 'run', 'fork', 'approvals'],
  cli: [
    'process',
    'durable',
    'model',
    'run',
    'record',
    'report',
    'prompt',
    'view',
    'replay',
    'query',
    'runs',
    'rewind',
    'fork',
    'approvals',
    'serve',
  ],
  evaluation: ['stream', 'options', 'answer', 'scope', 'inner', 'run', 'runtime', 'agent'],
  prompt: ['template', 'visibility', 'section', 'plan', 'override', 'render'],
  filesystem: ['path', 'text', 'glob', 'content', 'interface', 'tree', 'fork', 'operations'],
  session: ['event', 'slice', 'state', 'export', 'fork'],
  record: ['format', 'fold', 'writer', 'export', 'replay'],
  runtime: ['journal', 'events', 'redaction', 'observer', 'model', 'limits', 'feedback', 'call', 'loop'],
  'runtime/call': ['transaction', 'tool-call', 'report', 'environment', 'attempt', 'policies', 'approvals'],
  schema: ['json', 'json-schema', 'projection'],
  provider: ['schema', 'wire', 'hosted', 'harness'],
  'ai-sdk': ['wire', 'hosted', 'request', 'turn', 'tools'],
  mcp: ['wire', 'server', 'client', 'mount'],
  node: [
    'disk',
    'lock',
    'process',
    'host-mount',
    'host-filesystem',
    'staged-folder',
    'overrides',
    'git',
    'record',
  ],
  'node/host-filesystem': ['jail', 'tree', 'commit', 'workspace', 'landing'],
  'node/staged-folder': ['staging', 'overlay', 'collect'],
  openai: ['hosted', 'wire', 'request', 'response', 'tools'],
  sandbox: ['backend', 'virtual', 'bubblewrap', 'podman', 'shell', 'evaluate', 'podman-section'],
  sqlite: ['store', 'worker', 'resource'],
  suite: ['vfs', 'digest', 'planning', 'hosted', 'agent'],
  viewer: ['model', 'view'],
  'viewer/view': ['store', 'parts', 'files', 'timeline', 'details'],
};

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const roomRules = Object.entries(rooms).flatMap(([folder, names]) => {
  const insideRooms = (/** @type {readonly string[]} */ some) => `^src/${folder}/(${some.join('|')})/`;
  return names.map((room, position) => ({
    name: `direction-${folder}-${room}`,
    comment: `src/${folder}/${room} may import only: ${names.slice(0, position).join(', ') || 'no other room'}.`,
    severity: 'error',
    from: { path: insideRooms([room]) },
    to: { path: `^src/${folder}/`, pathNot: insideRooms(names.slice(0, position + 1)) },
  }));
});

/**
 * What is in a room that the table does not name, whether it imports something or is only imported; a folder without a line has no rooms.
 *
 * @type {import('dependency-cruiser').IForbiddenRuleType[]}
 */
const knownRoomRules = [
  ...new Set([
    ...order,
    'acp',
    'ai-sdk',
    'anthropic',
    'claude-agent',
    'cli',
    'node',
    'openai',
    'otel',
    'sandbox',
    'viewer',
    'vitest',
    ...Object.keys(rooms),
  ]),
].flatMap((folder) => {
  const names = rooms[folder] ?? [];
  const unknown = { path: `^src/${folder}/(?!(${names.join('|')})/)[^/]+/` };
  const comment = `A room of src/${folder} has its place in the order: ${names.join(', ') || 'it has none'}.`;
  return [
    { name: `known-rooms-${folder}`, comment, severity: 'error', from: unknown, to: {} },
    { name: `known-rooms-${folder}`, comment, severity: 'error', from: {}, to: unknown },
  ];
});

/** What the folders of bench/ may import of each other: the harness knows nothing of what it runs. */
const benchFolders = {
  harness: [],
  systems: ['harness'],
  cases: ['harness'],
  scale: ['harness', 'systems'],
  rows: ['harness'],
  trips: [],
};

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
const benchRules = Object.entries(benchFolders).map(([folder, others]) => ({
  name: `direction-bench-${folder}`,
  comment: `bench/${folder} may import only: ${others.join(', ') || 'no other folder of bench'}.`,
  severity: 'error',
  from: { path: `^bench/${folder}/` },
  to: { path: '^bench/', pathNot: ['node_modules', `^bench/(${[folder, ...others].join('|')})/`] },
}));

/** Which folder may import which package. Everything else from node_modules is refused in src. */
const packages = {
  re2js: 'filesystem',
  'iso-3166': 'suite',
  diff: 'cli',
  preact: 'viewer',
  '@preact/signals': 'viewer',
  '@opentelemetry/api': 'otel',
  '@noble/hashes': 'record',
  vitest: 'vitest',
  openai: 'openai',
  '@anthropic-ai/sdk': 'anthropic',
  jiti: 'cli',
  '@agentclientprotocol/sdk': 'acp',
  '@anthropic-ai/claude-agent-sdk': 'claude-agent',
  '@modelcontextprotocol/client': 'mcp',
  '@modelcontextprotocol/node': 'mcp',
  '@modelcontextprotocol/server': 'mcp',
};

/** The programs that `durableConformance` starts and kills, and what starts them. */
const killMatrix = '^src/testing/durable/(parent|child)/';

const packagePath = (/** @type {string} */ name) => `node_modules/${name}/`;

/** @type {import('dependency-cruiser').IForbiddenRuleType[]} */
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
    ...directionRules,
    ...roomRules,
    ...knownRoomRules,
    {
      name: 'direction-subpaths',
      comment: 'What has a subpath imports the core, never each other or the command line.',
      severity: 'error',
      from: {
        path: '^src/(ai-sdk|anthropic|mcp|node|openai|otel|sqlite|testing|viewer|vitest)/',
        pathNot: killMatrix,
      },
      to: { path: '^src/', pathNot: [inside(order), '^src/$1/'] },
    },
    {
      name: 'direction-kill-matrix',
      comment: 'What kills processes also works on folders: it imports the core, src/node and src/testing.',
      severity: 'error',
      from: { path: killMatrix },
      to: { path: '^src/', pathNot: inside([...order, 'node', 'testing']) },
    },
    {
      name: 'kill-matrix-on-demand',
      comment: 'The conformance suites are made anywhere: what needs Node is loaded when a case runs.',
      severity: 'error',
      from: { path: '^src/testing/', pathNot: killMatrix },
      to: { path: killMatrix, dependencyTypesNot: ['dynamic-import', 'type-only'] },
    },
    {
      name: 'direction-sandbox',
      comment: 'Sandboxes work on staged folders: they import the core and src/node.',
      severity: 'error',
      from: { path: '^src/sandbox/' },
      to: { path: '^src/', pathNot: inside([...order, 'node', 'sandbox']) },
    },
    {
      name: 'direction-harness',
      comment:
        'Adapters of harnesses serve the tools of a run to them: they import the core, src/mcp and src/node.',
      severity: 'error',
      from: { path: '^src/(acp|claude-agent)/' },
      to: { path: '^src/', pathNot: [inside([...order, 'mcp', 'node']), '^src/$1/'] },
    },
    {
      name: 'folders-through-index',
      comment:
        'A file of another folder is reached only through that folder’s index.ts, or the internal.ts beside it where the index is a subpath.',
      severity: 'error',
      from: { path: '^src/([^/]+)/' },
      to: {
        path: '^src/[^/]+/.+',
        pathNot: ['^src/$1/', '^src/[^/]+/(index|internal)[.]ts$', '^src/testing/conformance[.]ts$'],
      },
    },
    {
      name: 'root-through-index',
      comment: 'src/index.ts gathers the index.ts of the folders of the core.',
      severity: 'error',
      from: { path: '^src/index[.]ts$' },
      to: { path: '^src/', pathNot: `^src/(${order.join('|')})/index[.]ts$` },
    },
    {
      name: 'no-internals-exported',
      comment: 'An entry of the package exports nothing through an internal.ts.',
      severity: 'error',
      from: { path: ['^src/index[.]ts$', '^src/[^/]+/index[.]ts$'] },
      to: { path: '/internal[.]ts$' },
    },
    {
      name: 'no-root-entry-inside',
      comment: 'Only the command line, which uses the library as its users do, imports the root entry.',
      severity: 'error',
      from: { path: '^src/', pathNot: inside(['cli']) },
      to: { path: '^src/index[.]ts$' },
    },
    {
      name: 'runtime-neutral-core',
      comment:
        'Node modules are imported only in src/acp, src/claude-agent, src/mcp, src/node, src/sandbox, src/sqlite, src/cli and the kill matrix; the core runs anywhere.',
      severity: 'error',
      from: {
        path: '^src/',
        pathNot: [inside(['acp', 'claude-agent', 'mcp', 'node', 'sandbox', 'sqlite', 'cli']), killMatrix],
      },
      to: { dependencyTypes: ['core'] },
    },
    ...packageRules,
    ...benchRules,
    {
      name: 'known-packages-only',
      comment:
        'A package that src imports is a runtime dependency or an optional peer with a folder of its own in this file.',
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
        pathNot: '^src/(index|[^/]+/index|cli/main|viewer/main|.+/program)[.]tsx?$',
      },
      to: {},
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['types', 'import'] },
  },
};
