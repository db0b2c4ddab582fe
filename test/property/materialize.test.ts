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
import { expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { materialize } from 'weakincentives/node';
import { contentOf } from '../contract/filesystem-setup.ts';
import { passTick } from '../unit/node/temp-folder.ts';

const runs = Number(process.env['WINK_PROPERTY_BATCHES'] ?? 150);

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

it('after each collection the file system holds what the folder holds, and what it held where links are', {
  timeout: 120_000,
}, async () => {
  const tempRoot = mkdtempSync(join(tmpdir(), 'materialize-property-'));
  const start = fc.dictionary(path, text, { maxKeys: 6 });
  const rounds = fc.array(fc.array(edit, { maxLength: 12 }), { minLength: 1, maxLength: 3 });
  try {
    await fc.assert(
      fc.asyncProperty(start, rounds, async (files, edits) => {
        const filesystem = new MemoryFilesystem({ clock: { now: () => 1_000_000_000_000 } });
        for (const [file, data] of Object.entries(files)) {
          // One of two paths of which one is below the other.
          await filesystem.write(file, data).catch(() => undefined);
        }
        let expected: Record<string, string> = { ...(await contentOf(filesystem)) };
        await using staged = await materialize(filesystem, { tempRoot });
        expect(onDisk(staged.path).content).toEqual(expected);
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
          expected = { ...Object.fromEntries(kept), ...content };
          const before = await filesystem.snapshot();
          const report = await staged.collect();
          expect(await contentOf(filesystem)).toEqual(expected);
          expect(report.skipped.map((skip) => skip.path)).toEqual(links.toSorted());
          const modified = filesystem.changesSince(before).filter(({ kind }) => kind === 'modified');
          expect(report.modified).toEqual(modified.map((change) => change.path));
        }
      }),
      { numRuns: runs },
    );
  } finally {
    rmSync(tempRoot, { recursive: true, force: true });
  }
});
