import { execFileSync } from 'node:child_process';
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem } from 'weakincentives';
import { openHostFilesystem, openStagedFolder } from 'weakincentives/node';
import { contentOf } from '../contract/filesystem-setup.ts';
import { draws } from '../support/draws.ts';
import { manifestOf } from '../support/tree-manifest.ts';
import { layers } from '../unit/host/staged-folder/staging-layers.ts';
import { passTick } from '../unit/host/temp-folder.ts';

/** Something that a process does in the folder. It may fail, as it may for a process. */
type Edit = (at: (path: string) => string) => void;

const path = fc
  .array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 3 })
  .map((names) => names.join('/'));
const text = fc.constantFrom('', 'x', 'y', 'long');

const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(path, text).map(
      ([file, data]): Edit =>
        (at) => {
          mkdirSync(dirname(at(file)), { recursive: true });
          writeFileSync(at(file), data);
        },
    ),
  },
  {
    weight: 2,
    // An edit that wants to go unnoticed: the modification time is the one from before.
    arbitrary: fc.tuple(path, text).map(
      ([file, data]): Edit =>
        (at) => {
          const { atimeMs, mtimeMs } = lstatSync(at(file));
          passTick(at(file), at('..'));
          writeFileSync(at(file), data);
          utimesSync(at(file), atimeMs / 1000, mtimeMs / 1000);
        },
    ),
  },
  {
    weight: 2,
    arbitrary: path.map(
      (file): Edit =>
        (at) =>
          rmSync(at(file), { recursive: true }),
    ),
  },
  {
    weight: 2,
    arbitrary: path.map(
      (folder): Edit =>
        (at) =>
          mkdirSync(at(folder), { recursive: true }),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(path, path).map(
      ([from, to]): Edit =>
        (at) =>
          renameSync(at(from), at(to)),
    ),
  },
  {
    weight: 2,
    // As `mv` does where a folder cannot be renamed.
    arbitrary: fc.tuple(path, path).map(
      ([from, to]): Edit =>
        (at) => {
          // Not by cpSync: from Node 22 on it ends the process where a path leads through the root of another one.
          if (lstatSync(at(to), { throwIfNoEntry: false }) !== undefined) throw new Error('It exists.');
          execFileSync('cp', ['-R', '--', at(from), at(to)], { stdio: 'ignore' });
          rmSync(at(from), { recursive: true });
        },
    ),
  },
  {
    weight: 1,
    arbitrary: path.map(
      (file): Edit =>
        (at) =>
          utimesSync(at(file), 1, 1),
    ),
  },
  {
    weight: 1,
    // A link to nothing: writing through it fails, as it leads into a folder that is not there.
    arbitrary: path.map(
      (link): Edit =>
        (at) => {
          rmSync(at(link), { recursive: true, force: true });
          symlinkSync('nowhere/at/all', at(link));
        },
    ),
  },
);

interface OnDisk {
  readonly content: Record<string, string>;
  readonly links: readonly string[];
}

function onDisk(root: string): OnDisk {
  const content: Record<string, string> = {};
  const links: string[] = [];
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const found = lstatSync(join(root, name));
    if (found.isSymbolicLink()) links.push(name);
    else if (found.isDirectory()) content[`${name}/`] = '';
    else content[name] = readFileSync(join(root, name), 'latin1');
  }
  return { content, links };
}

/** Something that the call does before its files are staged. It may fail. */
type Step = (filesystem: Filesystem) => Promise<unknown>;

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(path, text).map(
    ([file, data]): Step =>
      (filesystem) =>
        filesystem.write(file, data),
  ),
  path.map(
    (file): Step =>
      (filesystem) =>
        filesystem.remove(file, { recursive: true }),
  ),
  path.map(
    (folder): Step =>
      (filesystem) =>
        filesystem.mkdir(folder),
  ),
  fc.tuple(path, path, fc.constantFrom('move' as const, 'copy' as const)).map(
    ([from, to, action]): Step =>
      (filesystem) =>
        filesystem[action](from, to),
  ),
);

/** A file system with files, some of which a call has changed. */
interface Subject {
  readonly filesystem: Filesystem;
  /** Looks at what must be so when everything was collected. */
  readonly finish: (expected: Readonly<Record<string, string>>) => Promise<void>;
}

const ignore = (): undefined => undefined;

async function memorySubject(
  files: Readonly<Record<string, string>>,
  steps: readonly Step[],
): Promise<Subject> {
  const filesystem = new MemoryFilesystem({ clock: { now: () => 1_000_000_000_000 } });
  // Of two paths of which one is below the other, the first is there.
  for (const [file, data] of Object.entries(files)) await filesystem.write(file, data).catch(ignore);
  for (const change of steps) await change(filesystem).catch(ignore);
  return { filesystem, finish: async () => undefined };
}

async function hostSubject(
  folder: string,
  files: Readonly<Record<string, string>>,
  steps: readonly Step[],
): Promise<Subject> {
  const root = join(mkdtempSync(join(folder, 'host-')), 'root');
  mkdirSync(root);
  for (const [index, [file, data]] of Object.entries(files).entries()) {
    try {
      mkdirSync(dirname(join(root, file)), { recursive: true });
      writeFileSync(join(root, file), data, { mode: index % 2 === 0 ? 0o644 : 0o755 });
      if (index % 3 > 0) utimesSync(join(root, file), 1_000_000_000, 1_000_000_000 + index);
    } catch {
      // Of two paths of which one is below the other, the first is there.
    }
  }
  const host = await openHostFilesystem({ root, stateDirectory: join(folder, 'state') });
  const fork = host.fork();
  for (const change of steps) await change(fork.view).catch(ignore);
  const before = manifestOf(root);
  return {
    filesystem: fork.view,
    finish: async (expected) => {
      expect(manifestOf(root)).toEqual(before);
      expect(fork.conflicts()).toEqual([]);
      host.apply(fork.patch());
      expect(onDisk(root)).toEqual({ content: expected, links: [] });
      fork.dispose();
      await host[Symbol.asyncDispose]();
    },
  };
}

describe.for([['memory', undefined], ...layers] as const)('files of %s', ([kind, refusal]) => {
  it.skipIf(refusal !== undefined)(
    refusal ?? 'are, after each collection, what the folder holds, and where links are what they were',
    async () => {
      const tempRoot = mkdtempSync(join(tmpdir(), 'staged-folder-property-'));
      const folder = mkdtempSync(join(tmpdir(), 'staged-folder-property-'));
      const start = fc.dictionary(path, text, { maxKeys: 6 });
      const steps = fc.array(step, { maxLength: 6 });
      const rounds = fc.array(fc.array(edit, { maxLength: 12 }), { minLength: 1, maxLength: 3 });
      try {
        await fc.assert(
          fc.asyncProperty(start, steps, rounds, async (files, changes, edits) => {
            const { filesystem, finish } =
              kind === 'memory'
                ? await memorySubject(files, changes)
                : await hostSubject(folder, files, changes);
            let expected: Record<string, string> = { ...(await contentOf(filesystem)) };
            await using staged = await openStagedFolder(filesystem, {
              tempRoot,
              layer: kind === 'overlay' ? 'overlay' : 'copy',
            });
            expect(onDisk(staged.path)).toEqual({ content: expected, links: [] });
            for (const round of edits) {
              for (const change of round) {
                try {
                  change((name) => join(staged.path, name));
                } catch {
                  // Not possible on what is there.
                }
              }
              const { content, links } = onDisk(staged.path);
              const isKept = (name: string): boolean =>
                links.some((link) => name === link || name === `${link}/` || name.startsWith(`${link}/`));
              const kept = Object.entries(expected).filter(([name]) => isKept(name));
              const before = expected;
              expected = { ...Object.fromEntries(kept), ...content };
              const report = await staged.collect();
              expect(await contentOf(filesystem)).toEqual(expected);
              expect(report.skipped.map((skip) => skip.path)).toEqual(links.toSorted());
              const modified = Object.keys(before).filter(
                (name) => expected[name] !== undefined && expected[name] !== before[name],
              );
              expect(report.modified).toEqual(modified.toSorted());
            }
            await finish(expected);
          }),
          { numRuns: draws(100) },
        );
      } finally {
        rmSync(tempRoot, { recursive: true, force: true });
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
});
