import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { openHostFilesystem } from 'weakincentives/node';
import { runProgram } from '../harness/program.ts';
import { type Sample, takeSample } from '../harness/samples.ts';
import { childrenCpuMs } from './children-cpu.ts';
import { countNeedles, makeDiskProject, needle } from './disk-project.ts';

const pattern = `${needle}-[0-9]+`;
const tickMs = 5;

const hasRipgrep = spawnSync('rg', ['--version']).status === 0;

/** Commands that do the same, by the names of their figures. */
const commands = {
  list: hasRipgrep ? ['rg', '--files', '--glob', '*.txt'] : ['find', '.', '-type', 'f', '-name', '*.txt'],
  grepCommand: ['grep', '-rE', pattern, '.'],
} satisfies Record<string, readonly [command: string, ...args: string[]]>;

/**
 * Searches in one project, all in the same process and in turns: for `glob`, `grep` of the library and for each command `NAMECpu` and `NAMEWall` in
 * ms; and how late a timer of the process is at most while the library searches, `globLate` and `grepLate`, in ms.
 */
await runProgram<{ readonly files: number }>(async ({ files: wanted }, plan) => {
  const files = plan.effort === 'tiny' ? 40 : wanted;
  using project = makeDiskProject(files);
  const { root, folder } = project;
  await using host = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
  const figures: Record<string, number[]> = {};
  const add = (name: string, { cpuMs, wallMs }: Sample) => {
    (figures[`${name}Cpu`] ??= []).push(cpuMs);
    (figures[`${name}Wall`] ??= []).push(wallMs);
  };
  const search = async (name: string, expected: number, run: () => Promise<number>) => {
    let found = 0;
    const late = watchTimers();
    add(name, await takeSample(async () => (found = await run())));
    (figures[`${name}Late`] ??= []).push(late());
    if (found !== expected) throw new Error(`${name} found ${found} of ${expected}.`);
  };
  const endMs = performance.now() + plan.limitMs;
  for (let sample = 0; sample < plan.samples && (sample === 0 || performance.now() < endMs); sample += 1) {
    const fork = host.fork();
    await search('glob', files, async () => (await fork.view.glob('**/*.txt')).paths.length);
    await search('grep', countNeedles(files), async () => (await fork.view.grep(pattern)).matches.length);
    fork.dispose();
    for (const [name, [command, ...args]] of Object.entries(commands)) {
      const lines = await runCommand(command, args, root, (taken) => add(name, taken));
      if (lines !== (name === 'grepCommand' ? countNeedles(files) : files)) {
        throw new Error(`${command} found ${lines}.`);
      }
    }
  }
  return { samples: figures, notes: hasRipgrep ? [] : ['paths listed by find: rg is not installed'] };
});

/** Timers all the time. @returns ends them and says how late the latest was, in ms. */
function watchTimers(): () => number {
  let latestMs = 0;
  let dueMs = performance.now() + tickMs;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    latestMs = Math.max(latestMs, nowMs - dueMs);
    dueMs = nowMs + tickMs;
  }, tickMs);
  return () => {
    clearInterval(timer);
    return Math.max(latestMs, performance.now() - dueMs);
  };
}

/** @returns how many lines it printed */
async function runCommand(
  command: string,
  args: readonly string[],
  cwd: string,
  taken: (sample: Sample) => void,
): Promise<number> {
  const before = childrenCpuMs();
  const startMs = performance.now();
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
  let lines = 0;
  child.stdout.on('data', (piece: Buffer) => {
    for (const byte of piece) if (byte === 10) lines += 1;
  });
  await once(child, 'close');
  taken({ cpuMs: childrenCpuMs() - before, mainMs: 0, wallMs: performance.now() - startMs });
  return lines;
}
