import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { openHostFilesystem, openStagedFolder } from 'weakincentives/node';
import { type ProgramPlan, runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSamples } from '../harness/samples.ts';
import { type DiskProject, makeDiskProject } from './disk-project.ts';

const script =
  'for n in 1 2 3; do echo more >>package-0/part-0/file-$n.txt; done; rm package-0/part-0/file-7.txt; echo new >new.txt';
const expected = '1,3,1';

/** A folder staged for a process, by any available method (`any`) or as a copy, and `cp -a` of it; with the process, in ms as `wall`. */
await runProgram<{ readonly way: 'any' | 'copy' | 'cp'; readonly files: number }>(
  async ({ way, files }, plan) => {
    using project = makeDiskProject(plan.effort === 'tiny' ? 20 : files);
    return way === 'cp' ? await measureCopy(project, plan) : await measureStage(project, plan, way);
  },
);

async function measureStage(
  { folder, root }: DiskProject,
  plan: ProgramPlan,
  way: 'any' | 'copy',
): Promise<Report> {
  await using host = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
  const { samples, notes } = await takeSamples(plan, {
    run: async () => {
      const fork = host.fork();
      await using staged = await openStagedFolder(fork.view, way === 'copy' ? { layer: 'copy' } : {});
      await staged.run('sh', ['-c', script]);
      const { created, modified, removed } = await staged.collect();
      const changes = [created, modified, removed].map((paths) => paths.length).join();
      if (changes !== expected) throw new Error(`${changes} files were created, modified and removed.`);
      if (fork.conflicts().length > 0) throw new Error('The call conflicts with something.');
      fork.dispose();
    },
  });
  return { samples: { wall: samples.map(({ wallMs }) => wallMs) }, notes };
}

async function measureCopy({ folder, root }: DiskProject, plan: ProgramPlan): Promise<Report> {
  const copied = join(folder, 'copied');
  const { samples, notes } = await takeSamples(plan, {
    run: () => {
      execFileSync('cp', ['-a', '--reflink=auto', root, copied]);
      execFileSync('sh', ['-c', script], { cwd: copied });
      rmSync(copied, { recursive: true });
    },
  });
  return { samples: { wall: samples.map(({ wallMs }) => wallMs) }, notes };
}
