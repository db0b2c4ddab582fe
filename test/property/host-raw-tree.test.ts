import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FilesystemError } from 'weakincentives';
import type { FileOperations, FilePatch } from '../../src/core/filesystem/index.ts';
import { hostOperations } from '../../src/host/host-filesystem/host-paths.ts';
import { openWorkspace } from '../../src/host/host-filesystem/open-workspace.ts';
import type { DiskWorkspace } from '../../src/host/host-filesystem/workspace/disk-workspace.ts';
import { draws } from '../support/draws.ts';
import { removeTestFolder } from '../support/ordinary-user.ts';
import { type RawEntry, rawPath, rawTree } from '../support/raw-tree.ts';

/** Each run makes a folder on the disk and looks at all of it several times. */

const directoryNames = ['.', 'a', 'b', 'a/c', 'a/c/d'];
/** Names that paths have, in each directory. */
const fileNames = ['f.txt', 'g.txt', 'link', 'dangling', 'to-folder', 'pipe'];
/** What paths cannot name, as Latin-1. */
const namesWithoutPath = ['back\\slash', 'latin-\xe9', '\xff\xfe'];

/** The entries of one directory, as indexes into the names. */
interface Folder {
  readonly names: readonly number[];
  readonly unnamed: readonly number[];
}

type Operation =
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly into: string; readonly prefix: string }
  | { readonly op: 'remove' | 'write' | 'mkdir'; readonly path: string };
type Transfer = Extract<Operation, { readonly from: string }>;

const folder: fc.Arbitrary<Folder> = fc.record({
  names: fc.uniqueArray(fc.nat(fileNames.length - 1), { maxLength: 4 }),
  unnamed: fc.uniqueArray(fc.nat(namesWithoutPath.length - 1), { maxLength: 1 }),
});
const directory = fc.constantFrom(...directoryNames, 'n', 'a/n', 'b/xa', 'xa', 'xa/c');
const somewhere = fc.oneof(
  directory.filter((path) => path !== '.'),
  fc.tuple(directory, fc.constantFrom(...fileNames, 'xf.txt', 'xlink')).map(([at, name]) => pathIn(at, name)),
);
const anyOperation: fc.Arbitrary<Operation> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constant('move' as const),
      from: somewhere,
      into: directory,
      prefix: fc.constantFrom('', 'x'),
    }),
  },
  fc.record({
    op: fc.constant('copy' as const),
    from: somewhere,
    into: directory,
    prefix: fc.constantFrom('', 'x'),
  }),
  fc.record({ op: fc.constant('remove' as const), path: somewhere }),
  fc.record({ op: fc.constant('mkdir' as const), path: directory }),
  fc.record({
    op: fc.constant('write' as const),
    path: fc
      .tuple(directory, fc.constantFrom('f.txt', 'g.txt', 'xf.txt'))
      .map(([at, name]) => pathIn(at, name)),
  }),
);

function pathIn(at: string, name: string): string {
  return at === '.' ? name : `${at}/${name}`;
}

function build(root: string, folders: readonly Folder[]): void {
  for (const [index, { names, unnamed }] of folders.entries()) {
    const at = join(root, directoryNames[index] ?? '.');
    mkdirSync(at, { recursive: true });
    for (const name of names.map((one) => fileNames[one] ?? '')) {
      if (name === 'link') symlinkSync('f.txt', join(at, name));
      else if (name === 'dangling') symlinkSync(rawPath('no', 'where-\xfc'), join(at, name));
      else if (name === 'to-folder') symlinkSync('.', join(at, name));
      else if (name === 'pipe') execFileSync('mkfifo', [join(at, name)]);
      else writeFileSync(join(at, name), `${at.slice(root.length)}/${name}`);
    }
    for (const one of unnamed) writeFileSync(rawPath(at, namesWithoutPath[one] ?? ''), `unnamed in ${index}`);
  }
}

/** Does an operation. @returns whether it was carried out. */
function act(operations: FileOperations, operation: Operation): boolean {
  try {
    if ('from' in operation) operations.transfer(operation.from, target(operation), operation.op);
    else if (operation.op === 'remove') operations.remove(operation.path, true);
    else if (operation.op === 'mkdir') operations.mkdir(operation.path);
    else operations.write(operation.path, 'written', undefined);
    return true;
  } catch (error) {
    if (FilesystemError.isInstance(error)) return false;
    throw error;
  }
}

function target({ from, into, prefix }: Transfer): string {
  return pathIn(into, `${prefix}${from.slice(from.lastIndexOf('/') + 1)}`);
}

/** Where what was there at first has to be, as long as no operation was about it itself. */
class Expected {
  readonly #places = new Map<string, { readonly entry: RawEntry; readonly isMoved: boolean }>();

  constructor(tree: ReadonlyMap<string, RawEntry>) {
    for (const [path, entry] of tree) this.#places.set(path, { entry, isMoved: false });
  }

  note(operation: Operation): void {
    if (operation.op === 'write') this.#places.delete(operation.path);
    if (operation.op !== 'remove' && operation.op !== 'move') return;
    const from = 'from' in operation ? operation.from : operation.path;
    for (const [path, { entry }] of [...this.#places]) {
      if (path !== from && !path.startsWith(`${from}/`)) continue;
      this.#places.delete(path);
      if ('from' in operation)
        this.#places.set(`${target(operation)}${path.slice(from.length)}`, { entry, isMoved: path === from });
    }
  }

  check(tree: ReadonlyMap<string, RawEntry>): void {
    for (const [path, { entry, isMoved }] of this.#places) {
      const found = tree.get(path);
      expect(found?.kind, path).toBe(entry.kind);
      // A link that is moved by itself continues leading where it led, so it may say something else.
      if (entry.kind !== 'link' || !isMoved) expect(found?.content, path).toBe(entry.content);
      if (isUnnamed(path) || entry.kind === 'special') expect(found?.inode, path).toBe(entry.inode);
    }
  }
}

function isUnnamed(path: string): boolean {
  return namesWithoutPath.some((name) => path === name || path.endsWith(`/${name}`));
}

/** Without the inodes of what may be made anew. */
function comparable(tree: ReadonlyMap<string, RawEntry>): object {
  return Object.fromEntries(
    [...tree].map(([path, { kind, content, inode }]) => [
      path,
      `${kind} ${content} ${isUnnamed(path) || kind === 'special' ? inode : ''}`,
    ]),
  );
}

/** Applies a patch at once or in two parts. @returns whether it was applied. */
function commit(workspace: DiskWorkspace, patch: FilePatch, way: string): boolean {
  if (way === 'apply') {
    workspace.apply(patch);
    return true;
  }
  const staged = workspace.stage(patch);
  if (way === 'land') staged.land();
  else staged.discard();
  return way === 'land';
}

describe('a folder of the disk, looked at byte by byte', () => {
  it('changes where an operation was about it and nowhere else, and comes back', () => {
    fc.assert(
      fc.property(
        fc.tuple(folder, folder, folder, folder, folder),
        fc.array(fc.array(anyOperation, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
        fc.option(fc.nat(40)),
        fc.array(fc.constantFrom('apply', 'land', 'discard'), { minLength: 3, maxLength: 3 }),
        (folders, calls, failing, ways) => {
          const base = mkdtempSync(join(tmpdir(), 'host-raw-'));
          const root = join(base, 'root');
          mkdirSync(root);
          build(root, folders);
          let countdown = -1;
          const { workspace, lock } = openWorkspace(
            { root, stateDirectory: join(base, 'state') },
            (failpoint) => {
              if (failpoint === 'clear' || failpoint === 'remove-journal') return;
              countdown -= 1;
              if (countdown === -1)
                throw Object.assign(new Error('full'), { code: 'ENOSPC', syscall: 'write' });
            },
          );
          try {
            const first = rawTree(root);
            const start = workspace.takeSnapshot().root;
            workspace.retain(start);
            const snapshot = workspace.cellShowing(start).snapshot();
            for (const [index, call] of calls.entries()) {
              const before = rawTree(root);
              const expected = new Expected(before);
              const { cell, dispose } = workspace.fork(workspace.takeSnapshot(), false);
              const operations = hostOperations(cell);
              for (const one of call) if (act(operations, one)) expected.note(one);
              // Nothing of a call is on the disk before it is applied.
              expect(rawTree(root)).toEqual(before);
              countdown = index === 0 && failing !== null ? failing + 1 : -1;
              try {
                if (commit(workspace, cell.patch(), ways[index] ?? 'apply')) expected.check(rawTree(root));
                else expect(rawTree(root)).toEqual(before);
              } catch (error) {
                if (!FilesystemError.isInstance(error) && !String(error).includes('full')) throw error;
                expect(rawTree(root)).toEqual(before);
              }
              countdown = -1;
              cell.dispose();
              dispose();
            }
            const last = rawTree(root);
            try {
              workspace.restore((cell) => cell.restore(snapshot));
              expect(comparable(rawTree(root))).toEqual(comparable(first));
            } catch (error) {
              if (!FilesystemError.isInstance(error)) throw error;
              expect(error.code).toBe('path-excluded');
              expect(rawTree(root)).toEqual(last);
            }
          } finally {
            workspace.dispose();
            lock.dispose();
            removeTestFolder(dirname(root));
          }
        },
      ),
      { numRuns: draws(100) },
    );
  });
});
