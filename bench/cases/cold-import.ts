import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runProgram } from '../harness/program.ts';

const child = fileURLToPath(new URL('import-once.js', import.meta.url));

/**
 * What importing a module costs a process that has just begun, over what the process itself costs: `cpu` and `wall` in ms.
 * Every sample is a process of its own.
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
