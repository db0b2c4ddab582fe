import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { cellName, compareCells } from '../../bench/compare/harness/rows.ts';
import { type CellRun, runCellScript } from '../../bench/compare/harness/run-cell.ts';

const major = Number(process.versions.node.split('.')[0]);
const own = compareCells.filter(({ system }) => system === 'wink');

describe('scripts of the comparison', () => {
  beforeAll(() => {
    const problem = inject('buildProblem');
    if (problem !== '') throw new Error(problem);
  });

  // The others need packages that only the benchmarks install: `npm run bench -- compare` runs all.
  it.concurrent.each(own.map((one) => [cellName(one), one.minNode] as const))(
    '%s holds, on Node %i or later',
    async (name, minNode) => {
      const run = await runCellScript(
        fileURLToPath(new URL(`../../.build/bench/compare/${name}.js`, import.meta.url)),
      );
      if (major < minNode) expect(run).toMatchObject({ error: expect.stringContaining('node:sqlite') });
      else expect(run).toMatchObject({ outcome: { result: expect.stringMatching(/^(holds|figure)$/) } });
    },
  );
});

describe('a script of the comparison', () => {
  it.each([
    [
      "throw new Error('The tool is missing.');",
      { error: expect.stringMatching(/^ended with 1:[^]*The tool is missing/) },
    ],
    ["process.kill(process.pid, 'SIGKILL');", { error: 'ended with SIGKILL:\n' }],
    ["console.log('It holds.');", { error: 'ended without an outcome' }],
    [
      'console.log(\'outcome: {"result":"fails","reason":"It does not."}\');',
      { outcome: { result: 'fails', reason: 'It does not.' } },
    ],
  ])('that is %s', async (source, expected) => {
    expect(await runSource(source)).toEqual(expected);
  });

  it('that throws in its body is an error, never a result', async () => {
    const cell = new URL('../../.build/bench/compare/harness/cell.js', import.meta.url);
    const run = await runSource(
      `import { cell } from ${JSON.stringify(cell.href)};\nawait cell(() => { throw new TypeError('A mistake.'); });`,
    );
    expect(run).toEqual({ error: expect.stringContaining('TypeError: A mistake.') });
  });
});

async function runSource(source: string): Promise<CellRun> {
  const file = join(await mkdtemp(join(tmpdir(), 'compare-script-')), 'script.mjs');
  await writeFile(file, source);
  return await runCellScript(file);
}
