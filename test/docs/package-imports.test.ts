import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const script = fileURLToPath(new URL('../../scripts/package-imports.mjs', import.meta.url));

function check(testCode: string): { readonly status: number | null; readonly lines: readonly string[] } {
  const root = mkdtempSync(join(tmpdir(), 'package-imports-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const files = {
    'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { kit: ['./src/index.ts'] } } }),
    'src/index.ts': "export { hammer } from './tools.ts';\n",
    'src/tools.ts': 'export const hammer = 1;\nexport const secret = 2;\n',
    'test/unit.test.ts': testCode,
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stdout } = spawnSync(process.execPath, [script, '--root', root], { encoding: 'utf8' });
  return { status, lines: stdout.trim().split('\n') };
}

test.each([
  ["import { hammer } from '../src/tools.ts';", 'hammer'],
  ["import * as kit from '../src/index.ts';", 'import * as'],
  ["export { hammer } from '../src/tools.ts';", 'hammer'],
  ["export * from '../src/index.ts';", 'export *'],
  ["const kit = await import('../src/index.ts');", 'import()'],
])('reports %s', (code, what) => {
  const { status, lines } = check(code);
  expect(lines[0]).toBe(`test/unit.test.ts: ${what} is exported by kit`);
  expect(status).toBe(1);
});

test.each([
  "import { secret } from '../src/tools.ts';",
  "import * as tools from '../src/tools.ts';",
  "import { hammer } from 'kit';",
])('accepts %s', (code) => {
  expect(check(code)).toEqual({ status: 0, lines: [''] });
});
