import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openHostFilesystem } from '../../../host/index.ts';
import { readLeft } from '../child/run-left.ts';
import { treeOf } from './end-of-case.ts';
import { expectThat, type Play, pointsOf } from './play.ts';
import { inTwos } from './random.ts';

/** Goes on with another state folder, as another container has. */
export async function otherState(play: Play): Promise<void> {
  await inTwos(await pointsOf(play, /^disk /), async (at) => {
    using folder = play.folder();
    const where = [`kill ${at}`, 'another state folder'];
    await folder.live({ stroke: { at, do: 'kill' } });
    await play.finish(folder, where, 'other-state');
    await play.compare(folder, where);
  });
}

/** Opens the folder by another program after a kill in the middle of a commit on the disk. */
export async function otherProgram(play: Play): Promise<void> {
  await inTwos(await pointsOf(play, /^disk (step|do|swap)/), async (at) => {
    using folder = play.folder();
    const where = [`kill ${at}`, 'another program'];
    await folder.live({ stroke: { at, do: 'kill' } });
    const other = await openHostFilesystem({ root: folder.work, stateDirectory: folder.stateFolder() });
    const pending = other.pendingCommits();
    await other[Symbol.asyncDispose]();
    expectThat(where, 'the folder says which run has a pending commit', {
      expected: 'run',
      actual: pending,
      holds: pending.length === 1 && pending[0]?.runId === 'run',
    });
    const left = readdirSync(folder.work, { recursive: true, encoding: 'utf8' });
    const staged = left.filter((path) => path.includes('.wink-'));
    expectThat(where, 'nothing of the commit is left in the folder', {
      expected: [],
      actual: staged,
      holds: staged.length === 0,
    });
    await play.finish(folder, where);
    await play.compare(folder, where);
  });
}

/** Changes a file from outside that a commit was writing when the process was killed. */
export async function changedFile(play: Play): Promise<void> {
  const { points } = await play.whole();
  // The commit of the call that books: nothing after it touches its file.
  const booked = points.indexOf('ledger after:1');
  const at = points.slice(booked).find((point) => point.startsWith('disk do:')) ?? '';
  using folder = play.folder();
  const where = [`kill ${at}`, 'changed by others'];
  await folder.live({ stroke: { at, do: 'kill' } });
  const path = 'booked/run.3-0.txt';
  const text = 'by others\n';
  const file = join(folder.work, path);
  mkdirSync(join(folder.work, 'booked'), { recursive: true });
  writeFileSync(file, text);
  await play.finish(folder, where);
  const changed = readLeft(folder.path, 'run')?.changed ?? [];
  expectThat(where, `the run that goes on names the file ${path}`, {
    expected: [`file ${path}`],
    actual: changed,
    holds: changed.includes(`file ${path}`),
  });
  const disk = treeOf(folder.work);
  expectThat(where, 'the file is as others left it', {
    expected: text,
    actual: disk[path],
    holds: disk[path]?.endsWith(text) === true,
  });
  // All but that file is the same.
  const { end } = await play.whole();
  await play.compare(folder, where, { disk: { ...disk, [path]: end.disk[path] ?? '' }, changed: [] });
}
