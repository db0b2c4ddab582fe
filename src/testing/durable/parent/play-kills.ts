import { readLeft } from '../child/run-left.ts';
import { exits, type Stroke } from '../life.ts';
import { atPoints, expectThat, type Play, pointsOf } from './play.ts';
import { inTwos } from './random.ts';
import type { LifeEnd } from './start-life.ts';

/** Kills at points of a kind, one for each run. */
export function inKinds(kind: RegExp): (play: Play) => Promise<void> {
  return async (play) => inTwos(await pointsOf(play, kind), (at) => play.strike([{ at, do: 'kill' }]));
}

/** Stops at points of all kinds. */
export function stopped(how: 'abort' | 'deadline'): (play: Play) => Promise<void> {
  return async (play) => inTwos(await pointsOf(play, /./), (at) => play.strike([{ at, do: how }]));
}

/** Kills two or three times, also while the run is repeated. */
export async function inARow(play: Play): Promise<void> {
  const { points } = await play.whole();
  const within = (length: number): Stroke => ({
    at: points[Math.floor(play.random() * length)] ?? '',
    do: 'kill',
  });
  // Points of later lives have smaller numbers, since what was decided is not passed again.
  const all = points.length;
  const rows = Array.from({ length: Math.min(play.killsPerCase, all) }, () =>
    [all, all / 4, all / 4].map(within),
  );
  await inTwos(rows, (strokes) => play.strike(strokes));
}

/** Kills from outside, when the process has passed a point and is somewhere after it. */
export async function randomly(play: Play): Promise<void> {
  await atPoints(play, /./, async (point, folder) => {
    const life = folder.start();
    if (await life.passed(point)) life.signal('SIGKILL');
    const end = await life.ended;
    if (end.signal !== undefined) folder.struck.push({ points: end.points, length: end.points.length });
    const at = [`kill from outside after ${point}`];
    await play.end(folder, at);
  });
}

/** Kills each of three runs of one session once. */
export async function threeRuns(play: Play): Promise<void> {
  const runs = ['one', 'two', 'three'];
  const { points } = await play.whole(runs);
  const length = points.length / runs.length;
  await inTwos(
    Array.from({ length: Math.ceil(Math.min(play.killsPerCase, length) / 2) }, (_, index) => index),
    async () => {
      using folder = play.folder(runs);
      const at: string[] = [];
      for (const [index] of runs.entries()) {
        // By the number of points that were passed since the session began, whichever process did so.
        const remaining = index === 0 ? points : points.slice(0, Math.floor(length * (runs.length - index)));
        const point = remaining[Math.floor(play.random() * length)] ?? '';
        const end = await folder.live({ stroke: { at: point, do: 'kill' } });
        at.push(`kill ${point}`);
        if (end.signal === undefined) break;
      }
      await play.end(folder, at);
    },
  );
}

/** So many lives are more than `limits.maxInterruptions` lets a call have, with those in which it is not known which call it was. */
const maxLives = 12;

/** Kills in the same handler in each life, until the call is not made any more. */
export async function crashLoop(play: Play): Promise<void> {
  // Each of them is passed once: no other call of the run passes its point.
  await atPoints(play, /^(fail|move|clean|undo) mid:1$/, async (at, folder) => {
    const where = [`kill ${at} in each life`];
    let end: LifeEnd;
    let lives = 0;
    do {
      end = await folder.live({ stroke: { at, do: 'kill' } });
      lives += 1;
    } while (end.signal !== undefined && lives < maxLives);
    expectThat(where, 'the run ends', end.code === exits.finished, {
      expected: exits.finished,
      actual: end.code ?? `still killed in life ${lives}`,
    });
    const said = JSON.stringify(readLeft(folder.path, 'run')?.conversation);
    const isSaid = said.includes('is not made again');
    expectThat(where, 'the model reads that the call is not made again', isSaid, {
      expected: true,
      actual: isSaid,
    });
  });
}
