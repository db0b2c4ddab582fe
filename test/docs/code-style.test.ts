import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/code-style.mjs', import.meta.url));

/** What the check says about sources, each by its path. */
function check(files: Readonly<Record<string, readonly string[]>>): {
  readonly status: number | null;
  readonly lines: readonly string[];
} {
  const root = mkdtempSync(join(tmpdir(), 'code-style-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), lines.join('\n'));
  }
  const { status, stdout } = spawnSync(process.execPath, [script, '--root', root], { encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n') };
}

test('refuses constants in capitals, however they are declared', () => {
  expect(
    check({
      'src/a.ts': ['export const MAX_BYTES = 3;', 'const [FIRST, { x: SECOND }] = rest;'],
      'examples/b.mjs': ['for (const STEP2 of steps) run(STEP2);'],
      'test/c.tsx': ['const { a: B_C = 1, ...REST } = <div />;'],
    }),
  ).toEqual({
    status: 1,
    lines: [
      'src/a.ts:1: MAX_BYTES: constants are camelCase: maxBytes',
      'src/a.ts:2: FIRST: constants are camelCase: first',
      'src/a.ts:2: SECOND: constants are camelCase: second',
      'test/c.tsx:1: B_C: constants are camelCase: bC',
      'test/c.tsx:1: REST: constants are camelCase: rest',
      'examples/b.mjs:1: STEP2: constants are camelCase: step2',
    ],
  });
});

test('accepts other names, and those that somebody else gave', () => {
  expect(
    check({
      'src/a.ts': [
        'const maxBytes = 3, ToolResult = {}, X = class {};',
        'const { O_RDONLY } = constants;',
        "const fields = { MAX_BYTES: 1 }; const path = process.env['PATH'];",
      ],
    }),
  ).toEqual({ status: 0, lines: [''] });
});

test('refuses spreads of object literals, under a condition or not', () => {
  expect(
    check({
      'src/a.ts': [
        'const a = { b, ...(c === undefined ? {} : { c }) };',
        'const d = { ...(isOn && { e }), ...(f ? { g } : h ? { i } : {}) };',
        'const j = { ...(k ? undefined : { l }), ...{ m } };',
      ],
      'test/b.ts': ['const a = { ...(b ? { b } : {}), ...{ c } };'],
    }),
  ).toEqual({
    status: 1,
    lines: [
      ...[1, 2, 2, 3].map(
        (line) =>
          `src/a.ts:${line}: conditional spread: use present() of src/core/internal, or a member that may be undefined`,
      ),
      'src/a.ts:3: spread of an object literal: write its members',
      'test/b.ts:1: spread of an object literal: write its members',
    ],
  });
});

test('accepts spreads of other objects, and a choice of two', () => {
  expect(
    check({
      'src/a.ts': [
        'const a = { ...b, ...present({ c }), ...(d ? { d } : { e: 1 }), ...(isRecord(f) ? f : {}) };',
        'const list = [...(g === undefined ? [] : [g])];',
      ],
    }),
  ).toEqual({ status: 0, lines: [''] });
});

test('refuses cuts of texts, but in the one file that has them', () => {
  const cuts = [
    'const a = `${text.slice(0, 9)}…`;',
    "const b = text.substring(0, most) + '...';",
    'const c = text.slice(0, limits.maxCharacters);',
    'const d = `${startOf(text, 9)}…`;',
    'const e = text.slice(0, 200);',
  ];
  expect(check({ 'src/a.ts': cuts, 'src/core/internal/text.ts': cuts, 'test/a.ts': cuts })).toEqual({
    status: 1,
    lines: cuts.map(
      (_, index) =>
        `src/a.ts:${index + 1}: cut texts by startOf(), cutAfter(), shorten(), cutLine() or clip() of src/core/internal`,
    ),
  });
});

test('accepts starts of lists, of hashes and up to a place', () => {
  expect(
    check({
      'src/a.ts': [
        'const a = names.slice(0, maxNamed); const b = text.slice(0, at);',
        "const c = createHash('sha256').update(text).digest('hex').slice(0, 32);",
        'const d = `${startOf(text, 9)}, ${cutAfter(text, 9)}`;',
      ],
    }),
  ).toEqual({ status: 0, lines: [''] });
});
