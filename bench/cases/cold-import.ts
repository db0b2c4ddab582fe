import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../harness/program.ts';

const child = fileURLToPath(new URL('import-once.js', import.meta.url));

/**
 * Cost of importing a module in a new process, minus the cost of the process itself: `cpu` and `wall` in ms.
 * Every sample is a separate process.
 */
await runProgram<{ readonly specifier: string }>(async ({ specifier }, { samples, effort }) => {
  const cpu: number[] = [];
  const wall: number[] = [];
  const count = effort === 'tiny' ? 1 : 2 * samples;
  for (let sample = 0; sample < count; sample += 1) {
    const printed = execFileSync(process.execPath, [child, specifier], { encoding: 'utf8' });
    const [cpuMs, wallMs] = JSON.parse(printed) as [number, number];
    cpu.push(cpuMs);
    wall.push(wallMs);
  }
  return { samples: { cpu, wall } };
});
