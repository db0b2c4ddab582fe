import { MemoryFilesystem, type MemoryFilesystemOptions } from 'weakincentives';
import type { FilesystemRead } from '../../../src/core/filesystem/fork/read-set.ts';
import type { TreeFork } from '../../../src/core/filesystem/index.ts';
import { type Call, manifest, runSteps } from './script.ts';

/** What running a batch showed and left. */
export interface BatchOutcome {
  readonly seen: readonly (readonly string[])[];
  readonly left: readonly string[];
  readonly reruns: number;
}

/** Where a batch runs: its limits, and in how many forks of the file system the calls' forks are nested. */
export interface Setting {
  readonly limits: Pick<MemoryFilesystemOptions, 'maxBytes' | 'maxFiles' | 'maxFileBytes'>;
  readonly depth: number;
}

const files = { 'a/a': 'x', 'a/b/c.ts': 'y\n', 'c.ts': 'xy' };

/** Time depends on the call and its step alone, so that it is the same in both ways to run a batch. */
class StepClock {
  #time = 0;
  startCall(index: number): void {
    this.#time = (index + 1) * 1000;
  }
  tick(): void {
    this.#time += 1;
  }
  now(): number {
    return this.#time;
  }
}

interface Attempt {
  readonly fork: TreeFork;
  readonly seen: readonly string[];
}

type Forkable = Pick<TreeFork, 'view'>['view'];

interface Opened {
  readonly filesystem: Forkable;
  attempt(call: Call, index: number): Promise<Attempt>;
}

async function open({ limits, depth }: Setting): Promise<Opened> {
  const clock = new StepClock();
  let filesystem: Forkable = new MemoryFilesystem({ files, clock, ...limits });
  for (let level = 0; level < depth; level += 1) {
    filesystem = filesystem.fork().view;
    await filesystem.edit('c.ts', [{ oldText: 'x', newText: `${level}` }]).catch(() => undefined);
  }
  return {
    filesystem,
    async attempt(call, index): Promise<Attempt> {
      clock.startCall(index);
      const fork = filesystem.fork();
      return { fork, seen: await runSteps(fork, call.steps, () => clock.tick()) };
    },
  };
}

function finish(filesystem: Forkable, call: Call, fork: TreeFork): void {
  if (call.succeeds) filesystem.apply(fork.patch());
  fork.dispose();
}

export async function runOneByOne(calls: readonly Call[], setting: Setting): Promise<BatchOutcome> {
  const { filesystem, attempt } = await open(setting);
  const seen: (readonly string[])[] = [];
  for (const [index, call] of calls.entries()) {
    const attempted = await attempt(call, index);
    seen.push(attempted.seen);
    finish(filesystem, call, attempted.fork);
  }
  return { seen, left: await manifest(filesystem), reruns: 0 };
}

/** Forks for all calls first, then commits in order; what conflicts runs again. `ignored`: a kind of read to overlook. */
export async function runInParallel(
  calls: readonly Call[],
  setting: Setting,
  ignored?: FilesystemRead['kind'],
): Promise<BatchOutcome> {
  const { filesystem, attempt } = await open(setting);
  const started: Attempt[] = [];
  for (const [index, call] of calls.entries()) started.push(await attempt(call, index));
  const seen: (readonly string[])[] = [];
  let reruns = 0;
  for (const [index, call] of calls.entries()) {
    let current = started[index];
    const conflicts = current?.fork.conflicts() ?? [];
    if (current === undefined || conflicts.some((conflict) => conflict.split(' ')[0] !== ignored)) {
      reruns += 1;
      current?.fork.dispose();
      current = await attempt(call, index);
    }
    seen.push(current.seen);
    finish(filesystem, call, current.fork);
  }
  return { seen, left: await manifest(filesystem), reruns };
}
