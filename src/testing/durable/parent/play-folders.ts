import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { openHostFilesystem } from '../../../host/index.ts';
import { readLeft } from '../child/run-left.ts';
import type { Stroke } from '../life.ts';
import { treeOf } from './end-of-case.ts';
import { atPoints, expectThat, type Play } from './play.ts';
import { inTwos } from './random.ts';

/** Continues with another state folder, as another container has. */
export async function otherState(play: Play): Promise<void> {
  await atPoints(play, /^disk /, async (at, folder) => {
    const where = [`kill ${at}`, 'another state folder'];
    await folder.live({ stroke: { at, do: 'kill' } });
    await play.end(folder, where, { state: 'other-state' });
  });
}

/** Opens the folder by another program after a kill in the middle of a commit on the disk. */
export async function otherProgram(play: Play): Promise<void> {
  await atPoints(play, /^disk (step|do|swap)/, async (at, folder) => {
    const where = [`kill ${at}`, 'another program'];
    await folder.live({ stroke: { at, do: 'kill' } });
    const other = await openHostFilesystem({ root: folder.work, stateDirectory: folder.stateFolder() });
    const pending = other.pendingCommits();
    await other[Symbol.asyncDispose]();
    const isNamed = pending.length === 1 && pending[0]?.runId === 'run';
    expectThat(where, 'the folder says which run has a pending commit', isNamed, {
      expected: 'run',
      actual: pending,
    });
    const left = readdirSync(folder.work, { recursive: true, encoding: 'utf8' });
    const staged = left.filter((path) => path.includes('.wink-'));
    expectThat(where, 'nothing of the commit is left in the folder', staged.length === 0, {
      expected: [],
      actual: staged,
    });
    await play.end(folder, where);
  });
}

/** Changes a file from outside that a commit was writing when the process was killed. */
export async function changedFile(play: Play): Promise<void> {
  const { points, end } = await play.whole();
  // The commit of the call that books: nothing after it touches its file.
  const booked = points.indexOf('ledger after:1');
  const at = points.slice(booked).find((point) => point.startsWith('disk do:')) ?? '';
  using folder = play.folder();
  const where = [`kill ${at}`, 'changed by others'];
  await folder.live({ stroke: { at, do: 'kill' } });
  const path = 'booked/run.3-0.txt';
  const text = 'by others\n';
  mkdirSync(join(folder.work, 'booked'), { recursive: true });
  writeFileSync(join(folder.work, path), text);
  await play.finish(folder, where, { resumedFiles: 'as-is' });
  const changed = readLeft(folder.path, 'run')?.changed ?? [];
  const named = `file ${path}`;
  expectThat(where, `the run that continues names the file ${path}`, changed.includes(named), {
    expected: [named],
    actual: changed,
  });
  const disk = treeOf(folder.work);
  expectThat(where, 'the file is as others left it', disk[path]?.endsWith(text) === true, {
    expected: text,
    actual: disk[path],
  });
  // All but that file is the same.
  await play.compare(folder, where, { disk: { ...disk, [path]: end.disk[path] ?? '' }, changed: [] });
}

/** The state folder of another machine. */
const otherMachine = 'other-machine';

/** Continues with a fresh copy of the folder, as another machine does. */
export async function anotherMachine(play: Play): Promise<void> {
  const { points } = await play.whole();
  // Every commit is done, and the model is asked for the last time.
  const stop: Stroke = { at: points.findLast((point) => point.startsWith('model in:')) ?? '', do: 'abort' };
  await inTwos(['check', 'as-is'] as const, async (resumedFiles) => {
    using folder = play.folder();
    const where = [`abort ${stop.at}`, 'a fresh copy of the folder'];
    await folder.live({ stroke: stop });
    folder.renewWork();
    const fresh = treeOf(folder.work);
    if (resumedFiles === 'as-is') await play.finish(folder, where, { state: otherMachine, resumedFiles });
    else {
      await folder.live({ state: otherMachine });
      const codes = readLeft(folder.path, 'run')?.codes ?? [];
      const isRefused = codes.includes('run-files-differ');
      expectThat(where, 'the run is refused', isRefused, { expected: ['run-files-differ'], actual: codes });
    }
    const tree = treeOf(folder.work);
    const claim = `with ${resumedFiles} the folder is as it was`;
    expectThat(where, claim, isDeepStrictEqual(tree, fresh), { expected: fresh, actual: tree });
    if (resumedFiles === 'as-is') return;
    // A restore that is killed is undone by the next opening, and done again.
    const restored = { state: otherMachine, resumedFiles: 'restore' } as const;
    const kill: Stroke = { at: 'disk do:3', do: 'kill' };
    await folder.live({ ...restored, stroke: kill });
    const last = [...where, `restored, kill ${kill.at}`, 'restored'];
    await play.end(folder, last, restored);
  });
  await atPoints(play, /./, async (at, folder) => {
    await folder.live({ stroke: { at, do: 'kill' } });
    folder.renewWork();
    const where = [`kill ${at}`, 'a fresh copy of the folder, restored'];
    await play.end(folder, where, { state: otherMachine, resumedFiles: 'restore' });
  });
}
