import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PodmanSandboxOptions, podmanSandbox, type SandboxBackend } from 'weakincentives/sandbox';
import { unavailableReason } from './unavailable-reason.ts';

const busybox = '/bin/busybox';
const imageName = 'localhost/wink-busybox:1';

const pollMs = 20;
/** Only a machine that hangs needs so many. */
const maxPolls = 1500;

/** Whether another process works on a storage: it names it, or was started with variables that do. */
function isUsed(root: string): boolean {
  return readdirSync('/proc').some((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false;
    try {
      return ['cmdline', 'environ'].some((file) =>
        readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(root),
      );
    } catch {
      // It has ended meanwhile, or is of another user.
      return false;
    }
  });
}

/** An image of busybox in a storage of its own, and the runtime that works here. */
export interface BusyboxImage extends Disposable {
  /** Why there is none. */
  readonly skip: string | undefined;
  /** Options that run it; the environment variables of this process name its storage until it is disposed. */
  readonly options: PodmanSandboxOptions;
  readonly open: (options?: Partial<PodmanSandboxOptions>) => SandboxBackend;
}

/**
 * Makes an image without a registry, from the static busybox of this machine.
 * @param scripts further programs, by their names in `/bin`: scripts for sh.
 */
export async function busyboxImage(scripts: Readonly<Record<string, string>> = {}): Promise<BusyboxImage> {
  const root = mkdtempSync(join(tmpdir(), 'wink-busybox-'));
  const variables = {
    CONTAINERS_CONF: join(root, 'containers.conf'),
    CONTAINERS_STORAGE_CONF: join(root, 'storage.conf'),
  };
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  Object.assign(process.env, variables);
  const dispose = (): void => {
    for (const [name, value] of before) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    // Podman cleans up after a container in a process of its own, which may outlive the removal of the container.
    for (let attempt = 0; attempt < maxPolls && isUsed(root); attempt += 1)
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pollMs);
    // An overlay that is still mounted is a part of the storage.
    spawnSync('umount', [join(root, 'storage/overlay')], { stdio: 'ignore' });
    rmSync(root, { recursive: true, force: true });
  };
  const made = (skip: string | undefined, runtime?: string): BusyboxImage => {
    // Hooks of skipped suites do not run.
    if (skip !== undefined) dispose();
    const options: PodmanSandboxOptions = { image: imageName, ...(runtime === undefined ? {} : { runtime }) };
    return {
      skip,
      options,
      open: (others = {}) => podmanSandbox({ ...options, ...others }),
      [Symbol.dispose]: dispose,
    };
  };
  const reason = importImage(root, scripts);
  if (reason !== undefined) return made(reason);
  const reasons: string[] = [];
  for (const runtime of [undefined, 'runc', 'crun']) {
    const candidate = made(undefined, runtime);
    const failure = await unavailableReason(candidate.open());
    if (failure === undefined) {
      // Programs that are given the image alone, such as the command line, find the runtime there.
      if (runtime !== undefined) writeConfiguration(root, runtime);
      return candidate;
    }
    reasons.push(failure);
  }
  return made(reasons[0]);
}

function writeConfiguration(root: string, runtime?: string): void {
  const lines = ['[engine]', 'cgroup_manager="cgroupfs"', 'events_logger="none"'];
  if (runtime !== undefined) lines.push(`runtime="${runtime}"`);
  writeFileSync(join(root, 'containers.conf'), `${lines.join('\n')}\n`);
}

function importImage(root: string, scripts: Readonly<Record<string, string>>): string | undefined {
  if (!existsSync(busybox)) return `${busybox} of busybox-static is missing`;
  writeConfiguration(root);
  let reason = '';
  for (const driver of ['overlay', 'vfs']) {
    const [graph, run] = [join(root, 'storage'), join(root, 'run')];
    writeFileSync(
      join(root, 'storage.conf'),
      `[storage]\ndriver="${driver}"\ngraphroot="${graph}"\nrunroot="${run}"\n`,
    );
    const archive = makeArchive(root, scripts);
    const { error, status, stderr } = spawnSync('podman', ['import', archive, imageName], {
      encoding: 'utf8',
    });
    if (status === 0) return undefined;
    reason = error === undefined ? `podman import: ${stderr.trim()}` : 'podman is not installed';
    rmSync(graph, { recursive: true, force: true });
  }
  return reason;
}

function makeArchive(root: string, scripts: Readonly<Record<string, string>>): string {
  const content = join(root, 'content');
  for (const folder of ['bin', 'proc', 'sys', 'dev', 'etc', 'tmp', 'workspace', 'run'])
    mkdirSync(join(content, folder), { recursive: true });
  cpSync(busybox, join(content, 'bin/busybox'), { dereference: true });
  const { stdout } = spawnSync(busybox, ['--list'], { encoding: 'utf8' });
  for (const name of stdout.split('\n').filter((line) => line !== '' && line !== 'busybox')) {
    if (!existsSync(join(content, 'bin', name))) symlinkSync('busybox', join(content, 'bin', name));
  }
  for (const [name, script] of Object.entries(scripts))
    writeFileSync(join(content, 'bin', name), `#!/bin/sh\n${script}`, { mode: 0o755 });
  chmodSync(join(content, 'tmp'), 0o1777);
  const archive = join(root, 'image.tar');
  spawnSync('tar', ['-C', content, '-cf', archive, '.']);
  return archive;
}
