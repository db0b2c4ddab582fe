import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openHostFilesystem } from 'weakincentives/node';
import { settleFiles } from '../../src/durable/resume/files-of-run.ts';
import { readRunRows } from '../../src/durable/rows/run-rows.ts';
import { diskTree, startFolder } from '../support/disk-tree.ts';
import { draws } from '../support/draws.ts';
import { watchedJournal } from '../support/journals.ts';
import { randomAdapter, randomPrompt, randomTreeRuns } from '../support/random-runs.ts';

const base = mkdtempSync(join(tmpdir(), 'wink-restored-'));
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

/**
 * What rows say of a tree: not of directories that a run has made for its files and emptied again, and not whether the text of a moved link that leads nowhere was
 * changed with its place.
 */
function known(tree: ReturnType<typeof diskTree>): ReadonlyMap<string, string> {
  const paths = [...tree];
  const isFilled = (path: string): boolean =>
    paths.some(([other, entry]) => entry !== 'directory' && other.startsWith(`${path}/`));
  return new Map(
    paths
      .filter(([path, entry]) => entry !== 'directory' || isFilled(path))
      .map(([path, entry]) => [path, entry.replace(/^link to .*\//, 'link to ')]),
  );
}

test('a folder as it was before any commit is made by restore as the run left it', async () => {
  let differing = 0;
  await fc.assert(
    fc.asyncProperty(randomTreeRuns, fc.nat(), async (run, choice) => {
      const place = newFolder();
      startFolder(place.root);
      const earlier = [copyOf(place)];
      const journal = watchedJournal();
      {
        await using filesystem = await openHostFilesystem(place);
        await randomAdapter(run).evaluate(randomPrompt(filesystem), {
          journal,
          runId: 'run',
          input: 'Go.',
          limits: { maxRepeatedFailures: 1_000 },
          observers: [
            {
              onEvent: (event) =>
                event.type === 'tool-call-end' &&
                event.path.length === 0 &&
                event.invocation.success &&
                earlier.push(copyOf(place)),
            },
          ],
        });
      }
      const all = await journal.read('run');
      const rows = readRunRows('run', all);
      const left = diskTree(place.root);
      // A process that was killed when a commit was decided: the folder has it, or lacks it.
      const commits = all.flatMap(({ type, line }, index) =>
        type === 'commit' && 'seq' in JSON.parse(line) ? index : [],
      );
      const number = choice % (commits.length + 1);
      if (number > 0) {
        const decided = readRunRows('run', all.slice(0, (commits[number - 1] ?? 0) + 1));
        const after = diskTree((earlier[number] ?? place).root);
        for (const folder of earlier.slice(number - 1, number + 1)) {
          const copy = copyOf(folder);
          await using filesystem = await openHostFilesystem(copy);
          expect(settleFiles(filesystem, decided, 'check')).toEqual([]);
          expect(known(diskTree(copy.root))).toEqual(known(after));
        }
      }
      {
        await using filesystem = await openHostFilesystem(place);
        for (const files of ['check', 'as-is', 'restore'] as const)
          expect(settleFiles(filesystem, rows, files)).toEqual([]);
        expect(diskTree(place.root)).toEqual(left);
      }
      const copy = earlier[choice % earlier.length] ?? place;
      await using filesystem = await openHostFilesystem(copy);
      const before = diskTree(copy.root);
      differing += settleFiles(filesystem, rows, 'as-is').length;
      expect(diskTree(copy.root)).toEqual(before);
      expect(settleFiles(filesystem, rows, 'restore')).toEqual([]);
      expect(known(diskTree(copy.root))).toEqual(known(left));
      expect(settleFiles(filesystem, rows, 'check')).toEqual([]);
    }),
    { numRuns: draws(40) },
  );
  expect(differing).toBeGreaterThan(0);
});
