import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type HostFilesystem, openHostFilesystem } from 'weakincentives/node';
import { type ProgramPlan, runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSamples } from '../harness/samples.ts';
import { type DiskProject, makeDiskProject } from './disk-project.ts';

/** A change to one of many files, committed or rolled back: `cpu` and `wall` in ms. */
const ways = {
  /** The work of a tool call: a fork, a write to it, the check for conflicts, and the commit to the disk. */
  commit: (project: DiskProject, plan: ProgramPlan) =>
    measureFork(project, plan, (host, fork) => {
      if (fork.conflicts().length > 0) throw new Error('Somebody else has changed the file.');
      host.apply(fork.patch());
    }),
  /** The work of a failing tool call: the same without a commit. */
  rollback: (project: DiskProject, plan: ProgramPlan) => measureFork(project, plan, undefined),
  git: async ({ root, path }: DiskProject, plan: ProgramPlan): Promise<Report> => {
    const git = (...command: string[]): string =>
      execFileSync('git', command, { cwd: root, encoding: 'utf8' });
    git('init', '--quiet');
    git('add', '-A');
    let tree = git('write-tree');
    return measureChildren(plan, (round) => {
      writeFileSync(join(root, path), `changed ${round}`);
      git('add', '-A');
      const next = git('write-tree');
      if (next === tree) throw new Error('git has seen no change.');
      tree = next;
    });
  },
  'git-restore': async ({ root, path }: DiskProject, plan: ProgramPlan): Promise<Report> => {
    const git = (...command: string[]): string =>
      execFileSync('git', command, { cwd: root, encoding: 'utf8' });
    const before = readFileSync(join(root, path), 'utf8');
    git('init', '--quiet');
    git('add', '-A');
    return measureChildren(plan, (round) => {
      writeFileSync(join(root, path), `changed ${round}`);
      git('checkout-index', '--all', '--force', '--quiet');
      git('clean', '-fdq');
      if (readFileSync(join(root, path), 'utf8') !== before) throw new Error('git has restored nothing.');
    });
  },
} satisfies Record<string, (project: DiskProject, plan: ProgramPlan) => Promise<Report>>;

await runProgram<{ readonly way: keyof typeof ways; readonly files: number }>(
  async ({ way, files }, plan) => {
    using project = makeDiskProject(plan.effort === 'tiny' ? 20 : files);
    return await ways[way](project, plan);
  },
);

async function measureFork(
  { folder, root, path }: DiskProject,
  plan: ProgramPlan,
  commit: ((host: HostFilesystem, fork: ReturnType<HostFilesystem['fork']>) => void) | undefined,
): Promise<Report> {
  await using host = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
  const rounds = plan.effort === 'tiny' ? 1 : 100;
  let round = 0;
  let written = '';
  const before = readFileSync(join(root, path), 'utf8');
  const { samples, notes } = await takeSamples(plan, {
    run: async () => {
      for (let time = 0; time < rounds; time += 1) {
        round += 1;
        written = `changed ${round}`;
        const fork = host.fork();
        await fork.view.write(path, written);
        commit?.(host, fork);
        fork.dispose();
      }
    },
  });
  const now = readFileSync(join(root, path), 'utf8');
  if (now !== (commit === undefined ? before : written)) throw new Error('The disk is not as it should be.');
  return {
    samples: {
      cpu: samples.map(({ cpuMs }) => cpuMs / rounds),
      wall: samples.map(({ wallMs }) => wallMs / rounds),
    },
    notes,
  };
}

/** With the CPU time of the child processes, where the system reports it. */
async function measureChildren(plan: ProgramPlan, run: (round: number) => void): Promise<Report> {
  // The system counts in hundredths of a second.
  const rounds = plan.effort === 'tiny' ? 1 : 10;
  let round = 0;
  const cpu: number[] = [];
  const { samples, notes } = await takeSamples(plan, {
    run: () => {
      const before = childrenCpuMs();
      for (let time = 0; time < rounds; time += 1) {
        round += 1;
        run(round);
      }
      cpu.push((childrenCpuMs() - before) / rounds);
    },
  });
  return {
    samples: { cpu: cpu.slice(-samples.length), wall: samples.map(({ wallMs }) => wallMs / rounds) },
    notes,
  };
}

/** User and system time of all children that have ended: fields 16 and 17 of proc_pid_stat(5), in hundredths of a second. */
function childrenCpuMs(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return 10 * (Number(fields[13]) + Number(fields[14]));
}
