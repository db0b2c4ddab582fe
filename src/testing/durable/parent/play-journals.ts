import { tearJournal } from '../child/open-journal.ts';
import { readLeft } from '../child/run-left.ts';
import { exits } from '../life.ts';
import type { CaseFolder } from './case-folder.ts';
import { differences } from './differences.ts';
import { readEnd } from './end-of-case.ts';
import { expectThat, oneRun, type Play, pointsOf } from './play.ts';
import { inTwos } from './random.ts';
import type { StartedLife } from './start-life.ts';

/** Lets the journal refuse all rows from a point on. */
export async function fullJournal(play: Play): Promise<void> {
  await inTwos(await pointsOf(play, /^append before/), async (at) => {
    using folder = play.folder();
    const where = [`full ${at}`];
    const end = await folder.live({ stroke: { at, do: 'fill' } });
    const { codes = [], isClosed } = readLeft(folder.path, 'run') ?? {};
    expectThat(where, 'a run whose rows are refused ends with a RunLostError', {
      expected: { code: exits.failed, codes: 'run-lost' },
      actual: { code: end.code, codes },
      holds: end.code === exits.failed && codes.includes('run-lost'),
    });
    expectThat(where, 'session and files refuse everything after it', {
      expected: true,
      actual: isClosed,
      holds: play.files !== 'memory' || isClosed === true,
    });
    await play.finish(folder, where);
    await play.compare(folder, where);
  });
}

/** Kills in the middle of an append, and leaves half of one where the module can. */
export async function tornAppend(play: Play): Promise<void> {
  await inTwos(await pointsOf(play, /^append while/), async (at) => {
    using folder = play.folder();
    await folder.live({ stroke: { at, do: 'kill' } });
    await tearJournal(folder);
    await play.finish(folder, [`torn ${at}`]);
    await play.compare(folder, [`torn ${at}`]);
  });
}

/**
 * Points at which an owner can be stopped for good: nothing of the journal is in flight, which might hold a lock of its database, and no effect
 * outside follows at once, which a lease cannot stop.
 */
function quietPoints(points: readonly string[]): readonly string[] {
  let inFlight = 0;
  return points.filter((point, index) => {
    if (point.startsWith('append before')) inFlight += 1;
    if (point.startsWith('append after')) inFlight -= 1;
    const next = points.slice(index + 1, index + 4).join();
    const isBeforeEffect = /(send|mail|post|ledger|asked) (before|mid)/.test(next);
    return inFlight === 0 && !isBeforeEffect && !/^(send|mail|post|ledger|asked)/.test(point);
  });
}

/** Starts an owner that is stopped at a point, and resolves when it is. */
async function stoppedOwner(folder: CaseFolder, at: string, where: readonly string[]): Promise<StartedLife> {
  const owner = folder.start({ stroke: { at, do: 'stop' } });
  expectThat(where, 'the owner is stopped', {
    expected: true,
    actual: false,
    holds: await owner.passed(at),
  });
  return owner;
}

/** Stops an owner, lets another one finish the run after the lease, and wakes the first one. */
export async function wokenOwner(play: Play): Promise<void> {
  const { points } = await play.whole();
  await inTwos(await pointsOf(play, /./, quietPoints), async (at) => {
    using folder = play.folder();
    const where = [`stop ${at}`];
    const owner = await stoppedOwner(folder, at, where);
    // A lock of a folder is of one machine; the lease of the journal is what all machines see.
    await play.finish(folder, where, 'other-state');
    const before = endWithoutLeft(folder);
    owner.signal('SIGCONT');
    const { code, problems } = await owner.ended;
    // One that had written its last row has nothing left to write.
    const isOver = !points.slice(points.indexOf(at) + 1).some((point) => point.startsWith('append '));
    const expected = isOver ? exits.finished : exits.failed;
    expectThat(where, `the run of the owner that woke up ${isOver ? 'ends' : 'fails'}`, {
      expected,
      actual: code ?? problems,
      holds: code === expected,
    });
    const different = differences(before, endWithoutLeft(folder));
    expectThat(where, 'nothing of it gets in', {
      expected: [],
      actual: different,
      holds: different.length === 0,
    });
  });
}

/** What both owners share. */
function endWithoutLeft(folder: CaseFolder): unknown {
  const { disk, effects, asked, ledger } = readEnd(folder.path, oneRun);
  return { disk, effects, asked, ledger };
}

/** Begins a second life while the first one is stopped and has the lease. */
export async function busyOwner(play: Play): Promise<void> {
  await inTwos(await pointsOf(play, /./, quietPoints), async (at) => {
    using folder = play.folder();
    const where = [`stop ${at}`];
    const owner = await stoppedOwner(folder, at, where);
    const second = await folder.live({ isContemporary: true, state: 'other-state' });
    const { codes = [] } = readLeft(folder.path, 'run') ?? {};
    expectThat(where, 'a second owner is refused with a SessionBusyError', {
      expected: 'session-busy',
      actual: codes,
      holds: second.code === exits.failed && codes.includes('session-busy'),
    });
    owner.signal('SIGCONT');
    const { code, problems } = await owner.ended;
    expectThat(where, 'the first owner finishes', {
      expected: 0,
      actual: code ?? problems,
      holds: code === 0,
    });
    await play.compare(folder, where);
  });
}
