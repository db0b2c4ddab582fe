import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../harness/program.ts';

const child = fileURLToPath(new URL('import-once.js', import.meta.url));

/**
 * Cost of a process that imports a module, over one that imports nothing right after it: `cpu` and `wall` in ms.
 * Every sample is two processes.
 */
await runProgram<{ readonly specifier: string }>(async ({ specifier }, { samples, effort }) => {
  const cpu: number[] = [];
  const wall: number[] = [];
  const count = effort === 'tiny' ? 1 : samples;
  for (let sample = 0; sample < count; sample += 1) {
    const [cpuMs, wallMs] = start(specifier);
    const [emptyCpuMs, emptyWallMs] = start();
    cpu.push(cpuMs - emptyCpuMs);
    wall.push(wallMs - emptyWallMs);
  }
  return { samples: { cpu, wall } };
});

function start(...specifier: readonly string[]): [cpuMs: number, wallMs: number] {
  const printed = execFileSync(process.execPath, [child, ...specifier], { encoding: 'utf8' });
  return JSON.parse(printed) as [number, number];
}
