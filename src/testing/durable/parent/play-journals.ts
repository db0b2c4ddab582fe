import { tearJournal } from '../child/open-journal.ts';
import { readLeft } from '../child/run-left.ts';
import { cancelName, exits } from '../life.ts';
import type { CaseFolder } from './case-folder.ts';
import { differences } from './differences.ts';
import { readEnd } from './end-of-case.ts';
import { atPoints, expectThat, oneRun, type Play } from './play.ts';
import type { StartedLife } from './start-life.ts';

/** Lets the journal refuse all rows from a point on. */
export async function fullJournal(play: Play): Promise<void> {
  await atPoints(play, /^append before/, async (at, folder) => {
    const where = [`full ${at}`];
    const end = await folder.live({ stroke: { at, do: 'fill' } });
    const { codes = [], isClosed } = readLeft(folder.path, 'run') ?? {};
    const isLost = end.code === exits.failed && codes.includes('run-lost');
    expectThat(where, 'a run whose rows are refused ends with a RunLostError', isLost, {
      expected: { code: exits.failed, codes: 'run-lost' },
      actual: { code: end.code, codes },
    });
    const isRefused = play.files !== 'memory' || isClosed === true;
    expectThat(where, 'session and files refuse everything after it', isRefused, {
      expected: true,
      actual: isClosed,
    });
    await play.end(folder, where);
  });
}

/** Kills in the middle of an append, and leaves half of one where the module can. */
export async function tornAppend(play: Play): Promise<void> {
  await atPoints(play, /^append while/, async (at, folder) => {
    await folder.live({ stroke: { at, do: 'kill' } });
    await tearJournal(folder.journal, folder.path);
    await play.end(folder, [`torn ${at}`]);
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

/** Does the work while an owner is stopped, at quiet points. */
export async function whileStopped(
  play: Play,
  work: (at: string, folder: CaseFolder, owner: StartedLife, where: readonly string[]) => Promise<void>,
  among: (points: readonly string[]) => readonly string[] = quietPoints,
): Promise<void> {
  const stop = async (at: string, folder: CaseFolder): Promise<void> => {
    const where = [`stop ${at}`];
    const owner = folder.start({ stroke: { at, do: 'stop' } });
    expectThat(where, 'the owner is stopped', await owner.passed(at), { expected: true, actual: false });
    await work(at, folder, owner, where);
  };
  await atPoints(play, /./, stop, among);
}

/** Stops an owner, lets another one finish the run after the lease, and wakes the first one. */
export async function wokenOwner(play: Play): Promise<void> {
  const { points } = await play.whole();
  await whileStopped(play, async (at, folder, owner, where) => {
    // A lock of a folder is of one machine; the lease of the journal is what all machines see.
    await play.finish(folder, where, { state: 'other-state' });
    const before = endWithoutLeft(folder);
    owner.signal('SIGCONT');
    const { code, problems } = await owner.ended;
    // One that had written its last row has nothing left to write.
    const isOver = !points.slice(points.indexOf(at) + 1).some((point) => point.startsWith('append '));
    const expected = isOver ? exits.finished : exits.failed;
    expectThat(where, `the run of the owner that woke up ${isOver ? 'ends' : 'fails'}`, code === expected, {
      expected,
      actual: code ?? problems,
    });
    const different = differences(before, endWithoutLeft(folder));
    expectThat(where, 'nothing of it gets in', different.length === 0, { expected: [], actual: different });
  });
}

/** What both owners share. */
function endWithoutLeft(folder: CaseFolder): unknown {
  const { disk, effects, asked, ledger } = readEnd(folder.path, oneRun);
  return { disk, effects, asked, ledger };
}

/** Begins a second life while the first one is stopped and has the lease. */
export async function busyOwner(play: Play): Promise<void> {
  await whileStopped(play, async (_at, folder, owner, where) => {
    const second = await folder.live({ isContemporary: true, state: 'other-state' });
    const { codes = [] } = readLeft(folder.path, 'run') ?? {};
    const isRefused = second.code === exits.failed && codes.includes('session-busy');
    expectThat(where, 'a second owner is refused with a SessionBusyError', isRefused, {
      expected: 'session-busy',
      actual: codes,
    });
    owner.signal('SIGCONT');
    const { code, problems } = await owner.ended;
    expectThat(where, 'the first owner finishes', code === 0, { expected: 0, actual: code ?? problems });
    await play.compare(folder, where);
  });
}

/** Quiet points of a run that its journal knows. */
export function begunPoints(points: readonly string[]): readonly string[] {
  const first = points.findIndex((point) => point.startsWith('append after'));
  return quietPoints(points).filter((point) => points.indexOf(point) > first);
}

/** Cancels a run while its owner is stopped, wakes the owner, and wants to continue. */
export async function cancelledRun(play: Play): Promise<void> {
  const cancelAt = async (
    _at: string,
    folder: CaseFolder,
    owner: StartedLife,
    where: readonly string[],
  ): Promise<void> => {
    await folder.live({ isContemporary: true, cancels: true });
    const refused = readLeft(folder.path, cancelName)?.codes ?? [];
    owner.signal('SIGCONT');
    const { problems } = await owner.ended;
    const { codes } = readLeft(folder.path, 'run') ?? {};
    // It may have got its answer at the same moment.
    const hasAnswer = codes === undefined;
    const ends = hasAnswer || codes.includes('evaluation-cancelled');
    expectThat(where, 'the owner ends with evaluation-cancelled', ends, {
      expected: 'evaluation-cancelled',
      actual: codes ?? problems,
    });
    expectThat(where, 'only a run with its answer is not cancelled', hasAnswer || refused.length === 0, {
      expected: [],
      actual: refused,
    });
    if (hasAnswer) {
      await play.end(folder, where);
      return;
    }
    const before = endWithoutLeft(folder);
    await folder.live();
    const later = readLeft(folder.path, 'run')?.codes ?? [];
    expectThat(where, 'nothing continues it', later.includes('run-cancelled'), {
      expected: 'run-cancelled',
      actual: later,
    });
    const different = differences(before, endWithoutLeft(folder));
    expectThat(where, 'nothing is done any more', different.length === 0, {
      expected: [],
      actual: different,
    });
  };
  await whileStopped(play, cancelAt, begunPoints);
}
