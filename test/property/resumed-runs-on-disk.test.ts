import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { type JournalBatch, resumeRun, Session } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { draws } from '../support/draws.ts';
import { journalAfter, watchedJournal } from '../support/journals.ts';
import {
  type RandomRun,
  randomAdapter,
  randomPrompt,
  randomRuns,
  randomSlices,
  startFiles,
} from '../support/random-runs.ts';

const limits = { maxRepeatedFailures: 1_000 };
const base = mkdtempSync(join(tmpdir(), 'wink-resumed-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
let folders = 0;

/** What a folder holds: files with their contents, and directories. */
function treeOf(root: string): unknown {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((path) => [
      path,
      statSync(join(root, path)).isDirectory() ? null : readFileSync(join(root, path), 'utf8'),
    ]);
}

interface Place {
  readonly root: string;
  readonly stateDirectory: string;
}

function newPlace(): Place {
  folders += 1;
  const place = { root: join(base, `${folders}`, 'work'), stateDirectory: join(base, `${folders}`, 'state') };
  mkdirSync(place.root, { recursive: true });
  return place;
}

async function startPlace(): Promise<Place> {
  const place = newPlace();
  await using files = await openHostFilesystem(place);
  for (const [path, text] of Object.entries(startFiles)) await files.write(path, text);
  return place;
}

/** The folder and the rows as they were right before and right after each flush. */
interface Moment {
  readonly place: Place;
  readonly batches: readonly JournalBatch[];
}

async function whole(run: RandomRun): Promise<{ moments: readonly Moment[]; end: unknown }> {
  const place = await startPlace();
  const moments: Moment[] = [];
  const journal = watchedJournal(
    () => keep(),
    () => keep(),
  );
  const keep = (): void => {
    const copy = newPlace();
    // What a killed process leaves: the folder with staged files, and the undo journal, but not the lock of a live process.
    cpSync(place.root, copy.root, { recursive: true });
    moments.push({ place: copy, batches: [...journal.batches] });
  };
  await using filesystem = await openHostFilesystem(place);
  const session = new Session({ id: 'session' });
  const { text } = await randomAdapter(run).evaluate(randomPrompt(filesystem), {
    session,
    journal,
    limits,
    runId: 'run',
    input: 'Go.',
  });
  const slices = randomSlices.map((slice) => session.slice(slice).all());
  return { moments, end: { text, slices, tree: treeOf(place.root) } };
}

async function resumed(run: RandomRun, { place, batches }: Moment): Promise<unknown> {
  const journal = await journalAfter(batches, 'session');
  await using filesystem = await openHostFilesystem(place);
  const session = new Session({ id: 'session' });
  const ended = await resumeRun({
    journal,
    session,
    limits,
    adapter: randomAdapter(run),
    prompt: randomPrompt(filesystem),
    runId: 'run',
  });
  if (ended.finishReason === 'suspended') throw new Error('A run without questions was suspended.');
  const slices = randomSlices.map((slice) => session.slice(slice).all());
  return { text: ended.text, slices, tree: treeOf(place.root) };
}

test('a run on a folder that is resumed before or after any flush ends as the whole one did', async () => {
  await fc.assert(
    fc.asyncProperty(randomRuns, async (run) => {
      const { moments, end } = await whole(run);
      for (const [index, moment] of moments.entries()) {
        if (moment.batches.length === 0) continue;
        expect(await resumed(run, moment), `at ${index} of ${moments.length}`).toEqual(end);
      }
    }),
    { numRuns: draws(8) },
  );
});
