import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const project = fileURLToPath(new URL('../..', import.meta.url));
const oxlint = join(project, 'node_modules/oxlint/bin/oxlint');

/** What lint says about sources, each by its path, with the project's own configuration; only what the named rules say. */
function lint(files: Readonly<Record<string, readonly string[]>>, rules = /^wink\(/): readonly string[] {
  const root = mkdtempSync(join(tmpdir(), 'lint-rules-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const path of ['.oxlintrc.json', 'scripts/oxlint-plugin.mjs'])
    cpSync(join(project, path), join(root, path));
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), lines.join('\n'));
  }
  const { stdout, stderr } = spawnSync(process.execPath, [oxlint, '--format=unix'], {
    cwd: root,
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  // Without its last line, which counts the problems, lint has not run.
  expect(stdout).toMatch(/^\d+ problems?\n?$/m);
  return [...stdout.matchAll(/^(.+:\d+):\d+: (.+) \[Error\/(.+)\]$/gm)]
    .filter(([, , , rule = '']) => rules.test(rule))
    .map(([, place, message]) => `${place}: ${message}`)
    .toSorted();
}

test('refuses constants in capitals, however they are declared', () => {
  expect(
    lint({
      'src/a.ts': ['export const MAX_BYTES = 3;', 'const [FIRST, { x: SECOND }] = rest;'],
      'examples/b.mjs': ['for (const STEP2 of steps) run(STEP2);'],
      'test/c.tsx': ['const { a: B_C = 1, ...REST } = <div />;'],
    }),
  ).toEqual([
    'examples/b.mjs:1: STEP2: constants are camelCase: step2',
    'src/a.ts:1: MAX_BYTES: constants are camelCase: maxBytes',
    'src/a.ts:2: FIRST: constants are camelCase: first',
    'src/a.ts:2: SECOND: constants are camelCase: second',
    'test/c.tsx:1: B_C: constants are camelCase: bC',
    'test/c.tsx:1: REST: constants are camelCase: rest',
  ]);
});

test('accepts other names, and those that somebody else gave', () => {
  expect(
    lint({
      'src/a.ts': [
        'const maxBytes = 3, ToolResult = {}, X = class {};',
        'const { O_RDONLY } = constants;',
        "const fields = { MAX_BYTES: 1 }; const path = process.env['PATH'];",
      ],
    }),
  ).toEqual([]);
});

test('refuses spreads of object literals, under a condition or not', () => {
  expect(
    lint({
      'src/a.ts': [
        'const a = { b, ...(c === undefined ? {} : { c }) };',
        'const d = { ...(isOn && { e }), ...(f ? { g } : h ? { i } : {}) };',
        'const j = { ...(k ? undefined : { l }), ...{ m } };',
      ],
      'test/b.ts': ['const a = { ...(b ? { b } : {}), ...{ c } };'],
    }),
  ).toEqual([
    ...[1, 2, 2, 3].map(
      (line) =>
        `src/a.ts:${line}: conditional spread: use present() of src/core/internal, or a member that may be undefined`,
    ),
    'src/a.ts:3: spread of an object literal: write its members',
    'test/b.ts:1: spread of an object literal: write its members',
  ]);
});

test('accepts spreads of other objects, and a choice of two', () => {
  expect(
    lint({
      'src/a.ts': [
        'const a = { ...b, ...present({ c }), ...(d ? { d } : { e: 1 }), ...(isRecord(f) ? f : {}) };',
        'const list = [...(g === undefined ? [] : [g])];',
      ],
    }),
  ).toEqual([]);
});

test('refuses cuts of texts, but in the one file that has them', () => {
  const cuts = [
    'const a = `${text.slice(0, 9)}…`;',
    "const b = text.substring(0, most) + '...';",
    'const c = text.slice(0, limits.maxCharacters);',
    'const d = `${startOf(text, 9)}…`;',
    'const e = text.slice(0, 200);',
  ];
  expect(lint({ 'src/a.ts': cuts, 'src/core/internal/text.ts': cuts, 'test/a.ts': cuts })).toEqual(
    cuts.map(
      (_, index) =>
        `src/a.ts:${index + 1}: cut texts by startOf(), cutAfter(), shorten(), cutLine() or clip() of src/core/internal`,
    ),
  );
});

test('accepts starts of lists, of hashes and up to a place', () => {
  expect(
    lint({
      'src/a.ts': [
        'const a = names.slice(0, maxNamed); const b = text.slice(0, at);',
        "const c = createHash('sha256').update(text).digest('hex').slice(0, 32);",
        'const d = `${startOf(text, 9)}, ${cutAfter(text, 9)}`;',
      ],
    }),
  ).toEqual([]);
});

test('refuses numbers of draws and limits of time that a test sets itself', () => {
  const lines = [
    "test('a', () => fc.assert(property, { numRuns: 9 }), 5 * 1000);",
    "test.each([1])('b', { timeout: 5 }, () => expect(1).toBe(1));",
    "test('c', () => fc.assert(property, { numRuns: draws(300) }));",
    'const most = draws(9); fc.assert(property, { numRuns: most });',
  ];
  expect(lint({ 'test/a.test.ts': lines, 'bench/a.ts': lines })).toEqual([
    'test/a.test.ts:1: A test measures no speed: leave its limit to vitest.config.ts.',
    'test/a.test.ts:1: Take the number of draws from test/support/draws.ts: `numRuns: draws(300)`.',
    'test/a.test.ts:2: A test measures no speed: leave its limit to vitest.config.ts.',
  ]);
});

test('refuses a test that asserts nothing, which takes the plugins of both jest and vitest', () => {
  const lines = [
    "import { expect, test } from 'vitest';",
    "test('a', () => {});",
    "test('b', () => expect(1).toBe(1));",
  ];
  expect(lint({ 'test/a.test.ts': lines }, /expect-expect/)).toEqual([
    'test/a.test.ts:2: Test has no assertions',
  ]);
});

test('refuses to start a process anywhere but in one file', () => {
  expect(
    lint({
      'src/a.ts': ["import { type ChildProcess, spawn } from 'node:child_process';"],
      'src/b.ts': [
        "import childProcess from 'child_process';",
        "const other = import('node:child_process');",
      ],
      'src/c.ts': [
        "import type { ChildProcess } from 'node:child_process';",
        "import { type SpawnOptions } from 'node:child_process';",
      ],
      'src/host/process/child.ts': ["import { spawn } from 'node:child_process';"],
      'test/d.ts': ["import { spawn } from 'node:child_process';"],
    }),
  ).toEqual([
    'src/a.ts:1: start processes by Child or startProcess() of src/host/process',
    'src/b.ts:1: start processes by Child or startProcess() of src/host/process',
    'src/b.ts:2: start processes by Child or startProcess() of src/host/process',
  ]);
});
