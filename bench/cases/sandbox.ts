import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { MemoryFilesystem } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import {
  bubblewrapSandbox,
  type SandboxBackend,
  type SandboxOutcome,
  virtualSandbox,
} from 'weakincentives/sandbox';
import { busyboxImage } from '../../test/sandbox/support/busybox-image.ts';
import { unavailableReason } from '../../test/sandbox/support/unavailable-reason.ts';
import { type ProgramPlan, runProgram } from '../harness/program.ts';
import type { Report } from '../harness/row.ts';
import { takeSamples } from '../harness/samples.ts';
import { makeDiskProject } from './disk-project.ts';

const script =
  'for n in 1 2 3; do echo more >>package-0/part-0/file-$n.txt; done; rm package-0/part-0/file-7.txt; echo new >new.txt';
const expected = '1,3,1';

/**
 * Sandboxes of a backend, in ms: its self-test as `prepare`; without files, a sandbox with the command `true` as `start`; with files, one with a
 * command that changes five of them as `command`. `sh` is the same commands without a sandbox, in a copy of the files.
 */
await runProgram<{ readonly backend: string; readonly files: number }>(async ({ backend, files }, plan) => {
  const count = plan.effort === 'tiny' ? Math.min(files, 20) : files;
  if (backend === 'sh') return count === 0 ? measureShell(plan) : measureCopy(count, plan);
  await using chosen = await chooseBackend(backend);
  const { open, unavailable } = chosen;
  if (unavailable !== undefined) return { samples: {}, unavailable };
  // The image is removed when the report exists.
  return await (count === 0 ? measureStart(open, plan) : measureCommand(open(), count, plan));
});

interface ChosenBackend extends AsyncDisposable {
  /** Makes the backend, which has not been checked yet. */
  readonly open: () => SandboxBackend;
  /** Why it does not work on this machine. */
  readonly unavailable: string | undefined;
}

async function chooseBackend(name: string): Promise<ChosenBackend> {
  if (name !== 'podman') {
    const open = name === 'bubblewrap' ? () => bubblewrapSandbox() : () => virtualSandbox();
    return {
      open,
      unavailable: await unavailableReason(open()),
      [Symbol.asyncDispose]: async () => undefined,
    };
  }
  const image = await busyboxImage();
  return {
    open: () => image.open(),
    unavailable: image.skip,
    [Symbol.asyncDispose]: async () => {
      if (image.skip === undefined) image[Symbol.dispose]();
    },
  };
}

async function measureStart(open: () => SandboxBackend, plan: ProgramPlan): Promise<Report> {
  const checked = await measure(plan, 'prepare', async () => {
    await using prepared = await open().prepare();
    void prepared;
  });
  const backend = open();
  await using prepared = await backend.prepare();
  void prepared;
  const started = await measure(plan, 'start', async () => {
    await using sandbox = await backend.start({ filesystem: new MemoryFilesystem() });
    assertSuccess(await sandbox.exec({ command: 'true' }));
  });
  return {
    samples: { ...checked.samples, ...started.samples },
    notes: [...(checked.notes ?? []), ...(started.notes ?? [])],
  };
}

async function measureCommand(backend: SandboxBackend, files: number, plan: ProgramPlan): Promise<Report> {
  using project = makeDiskProject(files);
  const { folder, root } = project;
  await using shared = await backend.prepare();
  void shared;
  await using host = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
  return await measure(plan, 'command', async () => {
    const fork = host.fork();
    await using sandbox = await backend.start({ filesystem: fork.view });
    assertSuccess(await sandbox.exec({ command: script }));
    const { created, modified, removed } = await sandbox.collect();
    const changes = [created, modified, removed].map((paths) => paths.length).join();
    if (changes !== expected) throw new Error(`${changes} files were created, modified and removed.`);
    fork.dispose();
  });
}

function assertSuccess({ exitCode, stderr }: SandboxOutcome): void {
  if (exitCode !== 0) throw new Error(`The command ended with ${exitCode}: ${stderr.text}`);
}

function measureShell(plan: ProgramPlan): Promise<Report> {
  return measure(plan, 'start', () => void execFileSync('sh', ['-c', 'true']));
}

async function measureCopy(files: number, plan: ProgramPlan): Promise<Report> {
  using project = makeDiskProject(files);
  const { folder, root } = project;
  const copied = join(folder, 'copied');
  return await measure(plan, 'command', () => {
    execFileSync('cp', ['-a', '--reflink=auto', root, copied]);
    execFileSync('sh', ['-c', script], { cwd: copied });
    rmSync(copied, { recursive: true });
  });
}

/** Wall times of a figure. */
async function measure(plan: ProgramPlan, figure: string, run: () => Promise<void> | void): Promise<Report> {
  const { samples, notes } = await takeSamples(plan, { run });
  return { samples: { [figure]: samples.map(({ wallMs }) => wallMs) }, notes };
}
