import { describe, expect, inject, it } from 'vitest';
import type { DurableOutcome } from '../../../src/testing/durable/options.ts';
import { noSqlite, sqliteSuite } from '../../support/sqlite.ts';
import { builtKit, journalModule } from './built-kit.ts';

const { ConformanceError, durableConformance } = await builtKit();

const seed = 7;
/** `npm run test:durable -- --soak` sets the variable. */
const isSoak = process.env['WINK_SOAK'] === '1';
const [killsInFile, killsInDatabase, leastKills] = isSoak ? [80, 30, 2_000] : [3, 1, 60];

describe.skipIf(noSqlite !== undefined)(sqliteSuite('durable runs on an SQLite journal'), () => {
  const outcomes: DurableOutcome[] = [];
  const cases = [
    ...durableConformance({
      name: '{ file }',
      open: { module: journalModule('sqlite-file') },
      killsPerCase: killsInFile,
      seed: seed,
      onOutcome: (outcome) => void outcomes.push(outcome),
    }),
    ...durableConformance({
      name: '{ database }',
      open: { module: journalModule('sqlite-database') },
      killsPerCase: killsInDatabase,
      seed: seed,
      files: ['memory'],
      onOutcome: (outcome) => void outcomes.push(outcome),
    }),
    ...durableConformance({
      name: '{ blobs }',
      open: { module: journalModule('sqlite-blobs') },
      killsPerCase: killsInDatabase,
      seed: seed,
      files: ['memory'],
      onOutcome: (outcome) => void outcomes.push(outcome),
    }),
    // What a folder gets is not up to the driver, but for this: the rows of a run are read by another process.
    ...['sqlite-database', 'better-sqlite3'].flatMap((driver) =>
      durableConformance({
        name: driver,
        open: { module: journalModule(driver) },
        killsPerCase: killsInDatabase,
        seed: seed,
        files: ['folder'],
        onOutcome: (outcome) => void outcomes.push(outcome),
      }).filter(({ name }) => name.includes('a fresh copy of its folder')),
    ),
  ];

  for (const { name, run } of cases) it(name, () => expect(run()).resolves.toBeUndefined());

  it('were killed or stopped often enough, and mostly nobody could see it', () => {
    expect(inject('buildProblem')).toBe('');
    if (isSoak) console.table(tableOf(outcomes));
    const same = outcomes.filter(({ became }) => became === 'same');
    const strokes = outcomes.reduce((sum, { at }) => sum + at.length, 0);
    expect(strokes).toBeGreaterThanOrEqual(leastKills);
    expect(same.length).toBeGreaterThan(outcomes.length / 2);
  });
});

describe.skipIf(noSqlite !== undefined)(sqliteSuite('the kit'), () => {
  it('finds a journal that says too early that rows are durable', async () => {
    const cases = durableConformance({
      name: 'forgetful',
      open: { module: journalModule('forgetful') },
      files: ['memory'],
      killsPerCase: Infinity,
    });
    const outside = cases.find(({ name }) => name.includes('effects outside'));
    const error: unknown = await outside?.run().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ConformanceError);
    expect(error).toMatchObject({
      code: 'journal-not-conformant',
      message: expect.stringContaining('an effect outside happened twice'),
    });
  });

  it('says which point differs when a journal cannot be opened', async () => {
    const [first] = durableConformance({
      name: 'missing',
      open: { module: journalModule('missing') },
      files: ['memory'],
    });
    await expect(first?.run()).rejects.toThrow(
      /^Killed or stopped at no point: the run that continued ended with 1/,
    );
  });
});

/** How many runs of each case became what. */
function tableOf(outcomes: readonly DurableOutcome[]): readonly object[] {
  const names = new Set(outcomes.map(({ name }) => name));
  return [...names].map((name) => {
    const of = outcomes.filter((outcome) => outcome.name === name);
    const count = (became: DurableOutcome['became']): number =>
      of.filter((outcome) => outcome.became === became).length;
    return {
      case: name,
      runs: of.length,
      strokes: of.reduce((sum, { at }) => sum + at.length, 0),
      same: count('same'),
      'in doubt': count('in-doubt'),
      'asked again': count('asked-again'),
    };
  });
}
