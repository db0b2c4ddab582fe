import type { CaseFolder } from './case-folder.ts';
import { readEnd } from './end-of-case.ts';
import { expectThat, type Play } from './play.ts';
import { inTwos, spread } from './random.ts';
import { isExcusedBy } from './windows.ts';

/** Both want the same thing done. */
const runs = ['one', 'two'];

/** Kills two runs that want the same thing done, in either of them. */
export async function doneOnce(play: Play): Promise<void> {
  using whole = play.folder(runs, 'once');
  const { points } = await play.finish(whole, ['no point']);
  judgeOnce(whole, ['no point']);
  await inTwos(spread(points, play.killsPerCase, play.random), async (at) => {
    using folder = play.folder(runs, 'once');
    const where = [`kill ${at}`];
    await folder.live({ stroke: { at, do: 'kill' } });
    await play.finish(folder, where);
    play.report(where, judgeOnce(folder, where));
  });
}

/** @throws {ConformanceError} for what must not be. */
function judgeOnce(folder: CaseFolder, where: readonly string[]): 'same' | 'in-doubt' {
  const { effects, doubts } = readEnd(folder.path, runs);
  const [doubt] = doubts;
  const isDone = effects.length === 1 || (effects.length === 0 && doubt !== undefined);
  expectThat(where, 'it is done once, or is in doubt', isDone, { expected: 1, actual: effects });
  const isExcused = doubt === undefined || folder.struck.some((life) => isExcusedBy(doubt, life));
  expectThat(where, 'only a call that has begun and has no result is in doubt', isExcused, {
    expected: [],
    actual: doubts,
  });
  const isAlike = doubts.length === 0 || doubts.length === runs.length;
  expectThat(where, 'what is in doubt for one run is in doubt for the next one', isAlike, {
    expected: runs,
    actual: doubts,
  });
  return doubt === undefined ? 'same' : 'in-doubt';
}
