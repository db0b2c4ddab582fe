import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallCommit, Filesystem, Session } from 'weakincentives';
import { readRunRecord, runRecorder } from 'weakincentives/record';
import { draws, seenAtLeast } from '../support/draws.ts';
import { randomRuns, randomSlices, runRandomly } from '../support/random-runs.ts';

type Items = Readonly<Record<string, readonly unknown[]>>;

function itemsOf(session: Session): Items {
  return Object.fromEntries(randomSlices.map((slice) => [slice.name, session.slice(slice).all()]));
}

async function filesOf(filesystem: Filesystem): Promise<Readonly<Record<string, string>>> {
  const { paths } = await filesystem.glob('**');
  const entries = await Promise.all(
    paths.map(async (path) => [path, (await filesystem.read(path)).text] as const),
  );
  return Object.fromEntries(entries);
}

describe('the record of a random run', () => {
  it('folds to the state and the files of the run, at its end and after each commit', async () => {
    let commits = 0;
    let superseded = 0;
    await fc.assert(
      fc.asyncProperty(randomRuns, async (run) => {
        const lines: string[] = [];
        const states: Items[] = [];
        let session: Session | undefined;
        const recorder = runRecorder({ write: (line) => void lines.push(line) });
        const watch = {
          onState: () => {
            if (session !== undefined) states[states.length - 1] = itemsOf(session);
          },
          onCommit: ({ isFinal }: CallCommit) => {
            if (isFinal && session !== undefined) states.push(itemsOf(session));
          },
        };
        const ran = await runRandomly(run, {
          observers: [recorder, watch],
          onSession: (made) => (session = made),
        });
        const record = await readRunRecord(lines);
        const ofRecord = (seq: number): Items =>
          Object.fromEntries(
            record
              .stateAt(seq)
              .filter(({ name }) => randomSlices.some((slice) => slice.name === name))
              .map(({ name, items }) => [name, items.map(({ value }) => value)]),
          );
        const last = record.commits.length;
        commits += last;
        superseded += record.calls.filter(({ attempts }) => attempts.length > 1).length;
        expect(ofRecord(last)).toEqual(itemsOf(ran.session));
        for (const [index, state] of states.entries()) {
          // What failed calls logged after a commit belongs to its state.
          const { journal: _log, ...before } = state;
          expect(ofRecord(index + 1)).toMatchObject(before);
        }
        const files = await filesOf(ran.filesystem);
        for (const { path, content, isChanged } of record.filesAt(last)) {
          expect([path, content.text]).toEqual([path, files[path]]);
          if (isChanged) {
            const blamed = record.blameLines(path, last).map(({ text }) => text);
            expect(blamed.join('\n')).toBe((content.text ?? '').replace(/\n$/, ''));
          }
        }
        expect(record).toMatchObject({ isComplete: true, isTorn: false, unknownRows: {} });
        expect(record.root.text).toBe(ran.text);
      }),
      { numRuns: draws(300) },
    );
    expect(commits).toBeGreaterThan(seenAtLeast(300));
    expect(superseded).toBeGreaterThan(seenAtLeast(30));
  });

  it('has a fold for each of its beginnings, torn in the middle of a line or not', async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, fc.double({ min: 0, max: 1, noNaN: true }), async (run, part) => {
        const lines: string[] = [];
        await runRandomly(run, { observers: [runRecorder({ write: (line) => void lines.push(line) })] });
        const whole = lines.join('\n');
        const cut = whole.slice(0, Math.ceil(part * whole.length));
        const shown = cut.split('\n');
        if (shown.length < 2) return;
        const record = await readRunRecord(shown);
        const isWhole = cut.length === whole.length;
        expect(record.isComplete).toBe(isWhole);
        expect(record.commits.length).toBe(
          shown.slice(0, record.isTorn ? -1 : undefined).filter((line) => line.includes('"seq":')).length,
        );
        for (let seq = record.commits.length; seq >= 0; seq -= 1) record.stateAt(seq);
      }),
      { numRuns: draws(100) },
    );
  });
});
