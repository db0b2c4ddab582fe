import { expect, test } from 'vitest';
import { runCheck } from '../support/run-check.ts';

function check(testCode: string): ReturnType<typeof runCheck> {
  return runCheck('package-imports', {
    'tsconfig.json': JSON.stringify({ compilerOptions: { paths: { kit: ['./src/index.ts'] } } }),
    'src/index.ts': "export { hammer } from './tools.ts';\n",
    'src/tools.ts': 'export const hammer = 1;\nexport const secret = 2;\n',
    'test/unit.test.ts': testCode,
  });
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
