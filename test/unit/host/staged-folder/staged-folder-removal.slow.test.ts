import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { openStagedFolder } from 'weakincentives/node';
import { makeDeepTree } from '../../../support/deep-tree.ts';
import { tempFolder } from '../temp-folder.ts';

/** A folder for temporary files that is removed with whatever is in it. */
function deepTempFolder(): string {
  const folder = tempFolder();
  onTestFinished(() => void execFileSync('rm', ['-rf', folder]));
  return folder;
}

/** What a process that has ended left. */
function leftover(tempRoot: string, name: string, mark: string | undefined): string {
  const folder = join(tempRoot, `wink-staged-${name}`);
  mkdirSync(join(folder, 'files'), { recursive: true });
  if (mark !== undefined) writeFileSync(join(folder, 'owner.json'), mark);
  return folder;
}

const markOf = (pid: number, startedAt: string): string =>
  JSON.stringify({ host: hostname(), pid, startedAt });
// No process of this number has started so.
const dead = markOf(process.pid, 'never');
const alive = markOf(process.pid, '');

describe('what a process has left in tempRoot', () => {
  it.each([
    ['4,000 levels', 4_000, 'n'],
    ['paths longer than a system takes', 40, 'n'.repeat(255)],
  ])('is removed by the next start: %s', async (_title, levels, name) => {
    const tempRoot = deepTempFolder();
    makeDeepTree(join(leftover(tempRoot, 'dead', dead), 'files'), levels, name);
    await using staged = await openStagedFolder(new MemoryFilesystem(), { tempRoot });
    expect(readdirSync(tempRoot)).toHaveLength(1);
    expect(staged.files).toBe(0);
  });

  it('stays while the process lives, and while it may be making or removing it', async () => {
    const tempRoot = deepTempFolder();
    const [living, made, broken] = [
      leftover(tempRoot, 'alive', alive),
      leftover(tempRoot, 'made', undefined),
      leftover(tempRoot, 'broken', '{"host":'),
    ];
    for (const [ageMs, found] of [
      [0, [true, true, true]],
      [7_200_000, [true, false, false]],
    ] as const) {
      const seconds = (Date.now() - ageMs) / 1000;
      for (const folder of [living, made, broken])
        if (existsSync(folder)) utimesSync(folder, seconds, seconds);
      await using staged = await openStagedFolder(new MemoryFilesystem(), { tempRoot });
      expect(staged.files).toBe(0);
      expect([living, made, broken].map((folder) => existsSync(folder))).toEqual(found);
    }
  });
});

it('a command that made 4,000 levels is collected, reported and removed', async () => {
  const tempRoot = deepTempFolder();
  const filesystem = new MemoryFilesystem();
  const staged = await openStagedFolder(filesystem, { tempRoot });
  makeDeepTree(staged.path, 4_000, 'n');
  const { created, skipped } = await staged.collect();
  expect(created).toHaveLength(64);
  expect(skipped).toEqual([{ path: `inner${'/n'.repeat(64)}`, reason: 'name-not-allowed' }]);
  await staged[Symbol.asyncDispose]();
  expect(readdirSync(tempRoot)).toEqual([]);
});

/** A file system whose operations keep the machine for a while and never wait. */
function busyFilesystem(filesystem: MemoryFilesystem, onOperation: () => void): MemoryFilesystem {
  for (const name of ['mkdir', 'write', 'remove', 'stat'] as const) {
    const original = filesystem[name].bind(filesystem) as (...given: unknown[]) => unknown;
    Object.defineProperty(filesystem, name, {
      value: (...given: unknown[]) => {
        const until = performance.now() + 10;
        while (performance.now() < until);
        onOperation();
        return original(...given);
      },
    });
  }
  return filesystem;
}

it.each(['made', 'changed', 'removed'])(
  'timers have their turn while much that was %s is collected',
  async (what) => {
    const paths = Array.from({ length: 20 }, (_, index) => `${index}`);
    const before = what === 'made' ? {} : Object.fromEntries(paths.map((path) => [path, 'before']));
    let turns = 0;
    const turnsAt: number[] = [];
    const filesystem = busyFilesystem(new MemoryFilesystem({ files: before }), () => turnsAt.push(turns));
    await using staged = await openStagedFolder(filesystem, { tempRoot: tempFolder() });
    turnsAt.length = 0;
    for (const path of paths) {
      if (what === 'made') mkdirSync(join(staged.path, path));
      else if (what === 'changed') writeFileSync(join(staged.path, path), 'after');
      else execFileSync('rm', [join(staged.path, path)]);
    }
    const timer = setInterval(() => {
      turns += 1;
    });
    try {
      await staged.collect();
    } finally {
      clearInterval(timer);
    }
    expect(turnsAt.length).toBeGreaterThanOrEqual(20);
    // Operations take 10 ms and more; each second one or so is followed by a pause.
    expect(new Set(turnsAt).size).toBeGreaterThanOrEqual(5);
  },
);
