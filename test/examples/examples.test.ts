import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { deadlockMs } from '../support/deadlock.ts';

const root = new URL('../../', import.meta.url);

beforeAll(() => {
  const problem = inject('buildProblem');
  if (problem !== '') throw new Error(problem);
});

describe('examples', () => {
  const programs = findPrograms();

  it('are there', () => {
    expect(programs).not.toEqual([]);
  });

  // Each runs on the built package in a process of its own, offline and without any key, and asserts its own result.
  it.concurrent.each(programs)('examples/%s.ts ends well and prints what it shows', async (program) => {
    const { code, stdout, stderr } = await runProgram(program);
    expect(code, `${stdout}\n${stderr}`).toBe(0);
    expect(stdout.trim()).not.toBe('');
    expect(stderr).toBe('');
  });
});

/** `<name>` of every `examples/<name>.ts`, and `<name>/main` of every folder with a `main.ts`; the tour and the issues have tests of their own. */
function findPrograms(): readonly string[] {
  const folder = new URL('examples/', root);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (!entry.isDirectory()) return entry.name.endsWith('.ts') ? [entry.name.slice(0, -'.ts'.length)] : [];
    const needsDatabase = entry.name === 'fleet';
    const isProgram = !needsDatabase && existsSync(new URL(`${entry.name}/main.ts`, folder));
    return isProgram ? [`${entry.name}/main`] : [];
  });
}

interface Outcome {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

function runProgram(program: string): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [
        '--disable-warning=ExperimentalWarning',
        fileURLToPath(new URL(`.build/examples/${program}.js`, root)),
      ],
      { cwd: fileURLToPath(root), env: { PATH: process.env['PATH'], NO_COLOR: '1' }, timeout: deadlockMs },
      (error, stdout, stderr) =>
        resolve({ code: error === null ? 0 : (error.code ?? error.message), stdout, stderr }),
    );
  });
}
