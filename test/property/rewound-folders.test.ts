import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openHostFilesystem } from 'weakincentives/node';
import { exportRecord, type RecordedFileChange, readRunRecord } from 'weakincentives/record';
import { changesBack, rewindFolder } from '../../src/durable/internal.ts';
import { diskTree, startFolder } from '../support/disk-tree.ts';
import { draws, seenAtLeast } from '../support/draws.ts';
import { watchedJournal } from '../support/journals.ts';
import { randomAdapter, randomPrompt, randomTreeRuns } from '../support/random-runs.ts';

const base = mkdtempSync(join(tmpdir(), 'wink-rewound-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let folders = 0;

interface Place {
  readonly root: string;
  readonly stateDirectory: string;
}

const newFolder = (): Place => {
  folders += 1;
  const root = join(base, `${folders}`, 'work');
  mkdirSync(root, { recursive: true });
  return { root, stateDirectory: join(base, `${folders}`, 'state') };
};

const copyOf = ({ root }: Place): Place => {
  const copy = newFolder();
  cpSync(root, copy.root, { recursive: true, verbatimSymlinks: true });
  return copy;
};

type Tree = ReturnType<typeof diskTree>;

const isBelow = (path: string, directory: string): boolean => path.startsWith(`${directory}/`);

/**
 * The paths where a folder differs from how it was, but for directories of which rows do not tell: those that the run made for its files stay, empty, and one that
 * was empty and was removed with files that the run had made in it does not come back.
 */
function differencesOf(tree: Tree, expected: Tree, later: readonly RecordedFileChange[]): readonly string[] {
  const isMade = (path: string): boolean =>
    tree.get(path) === 'directory' &&
    later.some((change) => isBelow(change.path, path)) &&
    [...tree].every(([other, entry]) => !isBelow(other, path) || entry === 'directory');
  const isUnknown = (path: string): boolean =>
    expected.get(path) === 'directory' &&
    later.some(({ removedWith = '' }) => removedWith === path || isBelow(path, removedWith)) &&
    later.some(({ path: at, kind }) => kind === 'created' && isBelow(at, path));
  return [...new Set([...tree.keys(), ...expected.keys()])].filter((path) => {
    if (tree.get(path) === expected.get(path)) return false;
    return tree.has(path) ? expected.has(path) || !isMade(path) : !isUnknown(path);
  });
}

test('a folder that is rewound to any commit is as it was then, unless others have changed it', async () => {
  let written = 0;
  await fc.assert(
    fc.asyncProperty(randomTreeRuns, fc.nat(), async (run, choice) => {
      const place = newFolder();
      startFolder(place.root);
      const journal = watchedJournal();
      const trees = [diskTree(place.root)];
      {
        await using filesystem = await openHostFilesystem(place);
        await randomAdapter(run).evaluate(randomPrompt(filesystem), {
          journal,
          runId: 'run',
          input: 'Go.',
          limits: { maxRepeatedFailures: 1_000 },
          // The files of a call are in the folder when it ends.
          observers: [
            {
              onEvent: (event) =>
                event.type === 'tool-call-end' &&
                event.path.length === 0 &&
                event.invocation.success &&
                trees.push(diskTree(place.root)),
            },
          ],
        });
      }
      const { commits } = await readRunRecord(exportRecord({ journal, runId: 'run' }));
      expect(trees).toHaveLength(commits.length + 1);
      const to = choice % trees.length;
      const later = commits.slice(to).flatMap(({ attempt }) => attempt.files);
      const back = changesBack('run', await journal.read('run'), to);
      expect(back.missing).toEqual([]);
      const whole = diskTree(place.root);

      const copy = copyOf(place);
      {
        await using seen = await openHostFilesystem({ ...copy, writeOn: 'never' });
        expect(rewindFolder(seen, back)).toMatchObject({ outside: [], left: [] });
        expect(diskTree(copy.root)).toEqual(whole);
        await using filesystem = await openHostFilesystem(copy);
        written += rewindFolder(filesystem, back, true).fitting.length;
        expect(differencesOf(diskTree(copy.root), trees[to] ?? new Map(), later)).toEqual([]);
        expect(rewindFolder(filesystem, back)).toMatchObject({ fitting: [], outside: [], left: [] });
      }

      const theirs = back.paths.find(({ path, found }) => found?.kind === 'file' && !path.includes('/'));
      if (theirs === undefined) return;
      await using other = await openHostFilesystem(place);
      writeFileSync(join(place.root, theirs.path), 'by another process');
      const before = diskTree(place.root);
      expect(rewindFolder(other, back, true).outside).toEqual([theirs.path]);
      expect(diskTree(place.root)).toEqual(before);
    }),
    { numRuns: draws(40) },
  );
  expect(written).toBeGreaterThan(seenAtLeast(40));
});
