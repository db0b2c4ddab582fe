import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FilesystemError } from 'weakincentives';
import { type HostFilesystem, openHostFilesystem } from 'weakincentives/node';
import type { TreeFork } from '../../src/core/filesystem/index.ts';
import { draws } from '../support/draws.ts';
import { type Call, calls, manifest, runSteps, tightCalls } from './filesystem/script.ts';

/** Each run makes two folders on the disk and commits to them: a tenth of what the others do. */

/** What another process does to the folder, by `node:fs`, before the call with this number commits. */
interface Outsider {
  readonly before: number;
  readonly path: string;
  readonly does: 'write' | 'remove';
}

interface Setting {
  readonly limits: { readonly maxBytes?: number; readonly maxFiles?: number; readonly maxFileBytes?: number };
  readonly outsiders: readonly Outsider[];
  readonly writeOn: 'apply' | 'flush' | 'never';
}

const setting: fc.Arbitrary<Setting> = fc.record({
  limits: fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    {
      weight: 1,
      arbitrary: fc.record({
        maxBytes: fc.integer({ min: 10, max: 30 }),
        maxFiles: fc.integer({ min: 4, max: 8 }),
        maxFileBytes: fc.constantFrom(4, 12, 40),
      }),
    },
  ),
  outsiders: fc.array(
    fc.record({
      before: fc.nat(3),
      path: fc.constantFrom('a', 'a/a', 'a/b', 'a/b/c.ts', 'c.ts', 'b', 'b/a'),
      does: fc.constantFrom('write' as const, 'remove' as const),
    }),
    { maxLength: 2 },
  ),
  writeOn: fc.constantFrom('apply', 'flush', 'never'),
});

const files = { 'a/a': 'x', 'a/b/c.ts': 'y\n', 'c.ts': 'xy' };

/** On the disk a file has the time of the machine, which is another in each run. */
function withoutTimes(line: string): string {
  return line.replaceAll(/"modifiedAtMs":[\d.]+/g, '"modifiedAtMs":0').replace(/^(\S+) \d\S* /, '$1 ');
}

interface BatchOutcome {
  readonly seen: readonly (readonly string[])[];
  readonly left: readonly string[];
  readonly reruns: number;
  /** What became of changes that were held back. */
  readonly flushed: boolean;
}

interface Attempt {
  readonly fork: TreeFork;
  readonly seen: readonly string[];
}

async function attempt(filesystem: HostFilesystem, call: Call): Promise<Attempt> {
  const fork = filesystem.fork();
  return { fork, seen: await runSteps(fork, call.steps, () => undefined) };
}

function interfere(root: string, { path, does }: Outsider): void {
  try {
    if (does === 'write') writeFileSync(join(root, path), 'out!');
    else rmSync(join(root, path), { recursive: true });
  } catch {
    // What cannot be done here cannot be done in the other run either.
  }
}

async function contentOf(filesystem: HostFilesystem): Promise<readonly string[]> {
  try {
    return (await manifest(filesystem)).map(withoutTimes);
  } catch (error) {
    // A file that was moved or copied in memory only, and changed by another process where it lies.
    if (FilesystemError.isInstance(error) && error.code === 'file-changed-on-disk') return [error.message];
    throw error;
  }
}

async function onDisk(root: string): Promise<readonly string[]> {
  await using disk = await openHostFilesystem({ root, writeOn: 'never' });
  return await contentOf(disk);
}

/** Brings what is held back to the disk: all of it, or nothing where another process has changed the same files. */
async function flush(filesystem: HostFilesystem, root: string, left: readonly string[]): Promise<boolean> {
  const before = await onDisk(root);
  const isFree = filesystem.outsideChanges().length === 0;
  try {
    filesystem.flush();
  } catch (error) {
    expect(error).toMatchObject({ code: 'file-changed-on-disk' });
    expect(await onDisk(root)).toEqual(before);
    return false;
  }
  expect(isFree).toBe(true);
  expect(await onDisk(root)).toEqual(left);
  expect(await contentOf(filesystem)).toEqual(left);
  return true;
}

/** @param atOnce start all calls first; what conflicts when it is to commit runs again. */
async function runBatch(
  batch: readonly Call[],
  { limits, outsiders, writeOn }: Setting,
  atOnce: boolean,
): Promise<BatchOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'host-property-'));
  const root = join(folder, 'root');
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  }
  const clock = { now: () => 0 };
  const filesystem = await openHostFilesystem({
    root,
    stateDirectory: join(folder, 'state'),
    clock,
    writeOn,
    ...limits,
  });
  try {
    const started: Attempt[] = [];
    if (atOnce) for (const call of batch) started.push(await attempt(filesystem, call));
    const seen: (readonly string[])[] = [];
    let reruns = 0;
    for (const [index, call] of batch.entries()) {
      for (const outsider of outsiders) if (outsider.before === index) interfere(root, outsider);
      let current = started[index];
      if (current === undefined || current.fork.conflicts().length > 0) {
        if (current !== undefined) reruns += 1;
        current?.fork.dispose();
        current = await attempt(filesystem, call);
      }
      seen.push(current.seen.map(withoutTimes));
      if (call.succeeds) filesystem.apply(current.fork.patch());
      current.fork.dispose();
    }
    const left = await contentOf(filesystem);
    const flushed = writeOn === 'flush' && (await flush(filesystem, root, left));
    return { seen, left, reruns, flushed };
  } finally {
    await filesystem[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  }
}

it('calls on a folder see and leave what they would one after the other, whatever others do to it', async () => {
  let reruns = 0;
  let quiet = 0;
  let flushes = 0;
  await fc.assert(
    fc.asyncProperty(fc.oneof(calls, tightCalls), setting, async (batch, place) => {
      const parallel = await runBatch(batch, place, true);
      const sequential = await runBatch(batch, place, false);
      expect({ ...parallel, reruns: 0 }).toEqual(sequential);
      reruns += parallel.reruns;
      if (parallel.reruns === 0) quiet += 1;
      if (parallel.flushed) flushes += 1;
    }),
    { numRuns: draws(100) },
  );
  // The test must have bitten: some batches conflicted, and not all.
  expect(reruns).toBeGreaterThan(0);
  expect(quiet).toBeGreaterThan(0);
  expect(flushes).toBeGreaterThan(0);
});
