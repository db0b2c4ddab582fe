import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { defineConfig, type ViteUserConfig } from 'vitest/config';
import { deadlockMs } from './test/support/deadlock.ts';

const source = (path: string): string => fileURLToPath(new URL(`./src/${path}`, import.meta.url));

const limits = {
  testTimeout: deadlockMs,
  hookTimeout: deadlockMs,
  expect: { poll: { timeout: deadlockMs / 2 } },
};

/** What needs programs of others, each with a script of its own that installs them: `npm run test:NAME`. */
const serviceTests = {
  browser: ['test/browser/**/*.test.ts'],
  engines: ['test/engines/**/*.test.ts'],
  harness: ['test/harness/**/*.test.ts'],
  mcp: ['test/mcp/**/*.test.ts'],
  sandbox: ['test/sandbox/**/*.test.ts'],
  site: ['test/site/**/*.test.ts'],
};
const isRun = (name: string): boolean => process.argv.includes(`--project=${name}`);
/** Tests of what Node 20 does not have, on the built package: skipped there by name. */
const durableTests = ['test/durable/**/*.test.ts'];
/** Those of them that kill and stop processes: `npm run test:durable` only. */
const killingTests = ['test/durable/{conformance,sqlite}/**/*.test.ts'];
const docsTests = ['test/docs/**/*.test.ts'];
/**
 * What takes a second or more for each thing it tests, or needs the built package: `npm test` leaves it out. A file says so
 * by its name, or lies in a folder of such tests.
 */
const slowTests = [
  'test/**/*.slow.test.ts',
  'test/cli/**/*.test.ts',
  'test/examples/**/*.test.ts',
  'test/pack/**/*.test.ts',
  ...durableTests,
];
const installedPackage = fileURLToPath(
  new URL('test/peers/sandbox/node_modules/weakincentives/dist/', import.meta.url),
);

/** Builds the package first. */
const built = { globalSetup: ['test/package-setup.ts'] };
/** The projects that only their scripts ask for; vitest would make ready every project that there is. */
const onDemand = [
  { name: 'browser', include: serviceTests.browser, ...built },
  // The programs of examples/, too: some of them need a journal.
  {
    name: 'durable',
    include: [...durableTests, 'test/examples/**/*.test.ts'],
    ...built,
  },
  { name: 'engines', include: serviceTests.engines, ...built },
  { name: 'harness', include: serviceTests.harness },
  { name: 'mcp', include: serviceTests.mcp },
  { name: 'site', include: serviceTests.site, globalSetup: ['test/site-setup.ts'] },
].filter(({ name }) => isRun(name));

/** It does not extend the configuration: it tests the package as it is installed, and programs of it run outside of vitest. */
const sandboxProject = {
  resolve: {
    alias: [
      { find: /^weakincentives$/, replacement: `${installedPackage}entries/index.js` },
      { find: /^weakincentives\/(.+)$/, replacement: `${installedPackage}entries/$1.js` },
    ],
  },
  test: {
    name: 'sandbox',
    include: serviceTests.sandbox,
    setupFiles: ['test/property-seed.ts'],
    ...limits,
  },
};

const config: ViteUserConfig = defineConfig({
  resolve: {
    // Tests, guides and examples import the package by its name and get the sources.
    alias: [
      { find: /^weakincentives$/, replacement: source('entries/index.ts') },
      { find: /^weakincentives\/(.+)$/, replacement: source('entries/$1.ts') },
    ],
  },
  test: {
    globalSetup: ['test/temp-folder-setup.ts'],
    setupFiles: ['test/property-seed.ts'],
    ...limits,
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
          // Projects of `wink init` begin with these tests; that of "files" needs a package that only a project installs.
          include: ['test/**/*.test.ts', 'templates/{tools,nightly}/*.test.ts'],
          exclude: [
            // Packages installed under test/peers have tests of their own.
            '**/node_modules/**',
            ...docsTests,
            ...slowTests,
            ...Object.values(serviceTests).flat(),
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
      { extends: true, test: { name: 'docs', include: docsTests } },
      {
        extends: true,
        test: {
          name: 'slow',
          include: slowTests,
          exclude: ['**/node_modules/**', ...killingTests, ...Object.values(serviceTests).flat()],
          ...built,
        },
      },
      ...onDemand.map((test) => ({ extends: true as const, test })),
      ...(isRun('sandbox') ? [sandboxProject] : []),
    ],
  },
});

// vitest asks for a default export.
export default config;
