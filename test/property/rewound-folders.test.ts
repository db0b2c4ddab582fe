import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { openHostFilesystem } from 'weakincentives/node';
import { exportRecord, readRunRecord } from 'weakincentives/record';
import { changesBack, rewindFolder } from '../../src/durable/internal.ts';
import { watchedJournal } from '../support/journals.ts';
import { randomAdapter, randomPrompt, randomRuns, startFiles } from '../support/random-runs.ts';

const base = mkdtempSync(join(tmpdir(), 'wink-rewound-'));
afterAll(() => rmSync(base, { recursive: true, force: true }), 60_000);
let folders = 0;

const newFolder = (): { readonly root: string; readonly stateDirectory: string } => {
  folders += 1;
  const root = join(base, `${folders}`, 'work');
  mkdirSync(root, { recursive: true });
  return { root, stateDirectory: join(base, `${folders}`, 'state') };
};

/** The files of a folder; directories do not count, since empty ones stay. */
const filesOf = (root: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(root, { recursive: true, encoding: 'utf8' })
      .filter((path) => statSync(join(root, path)).isFile())
      .sort()
      .map((path) => [path, readFileSync(join(root, path), 'utf8')]),
  );

test('a folder that is rewound to any commit has the files of that time, unless others have changed them', async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, fc.nat(), async (run, choice) => {
      const place = newFolder();
      for (const [path, text] of Object.entries(startFiles)) {
        mkdirSync(join(place.root, path, '..'), { recursive: true });
        writeFileSync(join(place.root, path), text);
      }
      const journal = watchedJournal();
      {
        await using filesystem = await openHostFilesystem(place);
        await randomAdapter(run).evaluate(randomPrompt(filesystem), {
          ...{ journal, runId: 'run', input: 'Go.' },
          limits: { maxRepeatedFailures: 1_000 },
        });
      }
      const { commits } = await readRunRecord(exportRecord({ journal, runId: 'run' }));
      const to = choice % (commits.length + 1);
      const expected = new Map(Object.entries(startFiles));
      for (const { attempt } of commits.slice(0, to)) {
        for (const { path, kind, after } of attempt.files)
          if (kind === 'removed') expected.delete(path);
          else if (after?.text !== undefined) expected.set(path, after.text);
      }
      const { changes } = changesBack('run', await journal.read('run'), to);
      const copy = newFolder();
      cpSync(place.root, copy.root, { recursive: true });
      await using filesystem = await openHostFilesystem(copy);
      const compared = await rewindFolder(filesystem, changes);
      expect(compared.outside).toEqual([]);
      expect(filesOf(copy.root)).toEqual(filesOf(place.root));
      await rewindFolder(filesystem, changes, true);
      expect(filesOf(copy.root)).toEqual(expected);
      expect((await rewindFolder(filesystem, changes)).fitting).toEqual([]);

      const theirs = changes.find(({ entry, kind }) => entry === 'file' && kind !== 'created');
      if (theirs === undefined) return;
      await using other = await openHostFilesystem(place);
      writeFileSync(join(place.root, theirs.path), 'by another process');
      const before = filesOf(place.root);
      expect((await rewindFolder(other, changes, true)).outside).toEqual([theirs.path]);
      expect(filesOf(place.root)).toEqual(before);
    }),
    { numRuns: 25 },
  );
}, 120_000);
