import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

/** Tests that need the built package; their global setup builds it. */
const packageTests = [
  'test/bench/trips.test.ts',
  'test/cli/**/*.test.ts',
  'test/examples/**/*.test.ts',
  'test/pack/**/*.test.ts',
];
/** Tests that need the optional peers of `weakincentives/sandbox` and programs beside Node: `npm run test:sandbox`. */
const sandboxTests = ['test/sandbox/**/*.test.ts'];
const installedPackage = fileURLToPath(
  new URL('test/peers/sandbox/node_modules/weakincentives/dist/', import.meta.url),
);
const isHarnessRun = process.argv.includes('--project=harness');
const isBrowserRun = process.argv.includes('--project=browser');
const isSandboxRun = process.argv.includes('--project=sandbox');
/** Tests with servers and clients of others that speak MCP: `npm run test:mcp`. */
const mcpTests = ['test/mcp/**/*.test.ts'];
const isMcpRun = process.argv.includes('--project=mcp');
/** Tests that run real harnesses: `npm run test:harness`. */
const harnessTests = ['test/harness/**/*.test.ts'];
/** Tests that need a browser: `npm run test:browser`. */
const browserTests = ['test/browser/**/*.test.ts'];
/** Tests of what Node 20 does not have: skipped there by name. */
const durableTests = ['test/durable/**/*.test.ts'];
/** Those of them that kill and stop processes, on the built package: `npm run test:durable` only. */
const killingTests = ['test/durable/{conformance,sqlite}/**/*.test.ts'];
const isDurableRun = process.argv.includes('--project=durable');
const docsTests = ['test/docs/**/*.test.ts'];
const mutationTests = ['test/mutation/**/*.test.ts'];

/** A project of its own, because it tests the package as it is installed: programs of it run outside of vitest. */
const sandboxProject = {
  resolve: {
    alias: [
      { find: /^weakincentives$/, replacement: `${installedPackage}index.js` },
      { find: /^weakincentives\/(.+)$/, replacement: `${installedPackage}$1/index.js` },
    ],
  },
  test: { name: 'sandbox', include: sandboxTests, testTimeout: 120_000, hookTimeout: 120_000 },
};

/** On the sources, with programs of others that are installed in test/peers/mcp. */
const mcpProject = {
  test: { name: 'mcp', include: mcpTests, testTimeout: 120_000, hookTimeout: 120_000 },
};

/** Programs of others, started one after the other. */
const harnessProject = {
  test: {
    name: 'harness',
    include: harnessTests,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
};

/** On the page that the build makes, in a browser of its own for each file. */
const browserProject = {
  test: {
    name: 'browser',
    include: browserTests,
    globalSetup: ['test/package-setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
};

const config: ViteUserConfig = defineConfig({
  resolve: {
    // Tests, guides and examples import the package by its name and get the sources.
    alias: [
      { find: /^weakincentives$/, replacement: source('index.ts') },
      { find: /^weakincentives\/acp$/, replacement: source('acp/index.ts') },
      { find: /^weakincentives\/ai-sdk$/, replacement: source('ai-sdk/index.ts') },
      { find: /^weakincentives\/anthropic$/, replacement: source('anthropic/index.ts') },
      { find: /^weakincentives\/claude-agent$/, replacement: source('claude-agent/index.ts') },
      { find: /^weakincentives\/mcp$/, replacement: source('mcp/index.ts') },
      { find: /^weakincentives\/node$/, replacement: source('node/index.ts') },
      { find: /^weakincentives\/openai$/, replacement: source('openai/index.ts') },
      { find: /^weakincentives\/otel$/, replacement: source('otel/index.ts') },
      { find: /^weakincentives\/provider$/, replacement: source('provider/index.ts') },
      { find: /^weakincentives\/sandbox$/, replacement: source('sandbox/index.ts') },
      { find: /^weakincentives\/record$/, replacement: source('record/index.ts') },
      { find: /^weakincentives\/sqlite$/, replacement: source('sqlite/index.ts') },
      { find: /^weakincentives\/suite$/, replacement: source('suite/index.ts') },
      { find: /^weakincentives\/testing$/, replacement: source('testing/index.ts') },
      { find: /^weakincentives\/vitest$/, replacement: source('vitest/index.ts') },
    ],
  },
  test: {
    globalSetup: ['test/temp-folder-setup.ts'],
    // One more than there are cores: tests of programs and of folders mostly wait, and leave a core to others.
    maxWorkers: availableParallelism() + 1,
    // The test files of a worker share the modules they import: most of the time of a file went into loading the library
    // once more. So no test may leave anything behind in a module or in the process.
    isolate: false,
    coverage: { provider: 'v8', include: ['src/**'] },
    projects: [
      {
        extends: true,
        test: {
          name: 'core',
          include: ['test/**/*.test.ts'],
          setupFiles: ['test/property-seed.ts'],
          // No test waits for time; the limit is for what hangs, and property tests on a busy machine are slow.
          testTimeout: 120_000,
          // `npm run test:soak` sets the variable.
          exclude: [
            // Packages installed under test/peers have tests of their own.
            '**/node_modules/**',
            ...browserTests,
            ...docsTests,
            ...durableTests,
            ...harnessTests,
            ...mcpTests,
            ...mutationTests,
            ...packageTests,
            ...sandboxTests,
            ...(process.env['WINK_SOAK'] === '1' ? [] : ['test/soak/**']),
          ],
        },
      },
      {
        extends: true,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            checker: fileURLToPath(new URL('./node_modules/typescript-7/bin/tsc', import.meta.url)),
            include: ['test/types/**/*.test-d.ts'],
            tsconfig: './tsconfig.types.json',
          },
        },
      },
      {
        extends: true,
        test: { name: 'mutation', include: mutationTests, testTimeout: 120_000 },
      },
      {
        extends: true,
        test: { name: 'docs', include: docsTests, testTimeout: 120_000, hookTimeout: 120_000 },
      },
      {
        extends: true,
        test: {
          name: 'durable',
          include: durableTests,
          exclude: isDurableRun ? [] : killingTests,
          globalSetup: ['test/package-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      ...(isSandboxRun ? [sandboxProject] : []),
      ...(isMcpRun ? [{ extends: true as const, ...mcpProject }] : []),
      ...(isHarnessRun ? [{ extends: true as const, ...harnessProject }] : []),
      ...(isBrowserRun ? [{ extends: true as const, ...browserProject }] : []),
      {
        extends: true,
        test: {
          name: 'package',
          include: packageTests,
          globalSetup: ['test/package-setup.ts'],
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});

// vitest asks for a default export.
export default config;
