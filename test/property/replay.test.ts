import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readRunRecord, replayRun } from 'weakincentives/record';
import { recordedAdapter } from 'weakincentives/testing';
import { draws } from '../support/draws.ts';
import { randomAdapter, randomPrompt, randomRuns } from '../support/replayed-runs.ts';
import { linesOf } from '../support/replays.ts';

describe('a random run', () => {
  it('is replayed without a difference', async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, async (run) => {
        const outside = { count: 0 };
        const lines = await linesOf(randomAdapter(run), randomPrompt(run, outside), {
          input: 'Go.',
          approve: () => run.approves,
        });
        const record = await readRunRecord(lines);
        const count = outside.count;
        const report = await replayRun({ record, prompt: randomPrompt(run, outside, {}) });
        expect(report.firstDifference).toBeUndefined();
        expect(report.calls.filter(({ status }) => status !== 'same')).toEqual([]);
        expect(report).toMatchObject({ isSame: true, ending: 'complete', notes: [] });
        expect(outside.count).toBe(count);
        const last = record.commits.length;
        expect(report.record.filesAt(last).filter(({ isChanged }) => isChanged)).toEqual(
          record.filesAt(last).filter(({ isChanged }) => isChanged),
        );
      }),
      { numRuns: draws(400) },
    );
  });

  it('is replayed without a difference as far as a record goes that ends early', async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, fc.nat(10_000), async (run, place) => {
        const lines = await linesOf(randomAdapter(run), randomPrompt(run, { count: 0 }), {
          input: 'Go.',
          approve: () => run.approves,
        });
        const record = await readRunRecord(lines.slice(0, 1 + (place % lines.length)));
        const report = await replayRun({ record, prompt: randomPrompt(run, { count: 0 }, {}) });
        expect(report.firstDifference).toBeUndefined();
        expect(report.calls.filter(({ status }) => status !== 'same' && status !== 'not-replayed')).toEqual(
          [],
        );
        // What is inside a call without an end may be made again or not.
        const ended = record.root.turns
          .flatMap(({ calls }) => calls)
          .filter(({ outcome }) => outcome !== undefined);
        const same = report.calls.filter(({ status, id }) => status === 'same' && !id.includes('/'));
        expect(same.map(({ id }) => id).sort()).toEqual(ended.map(({ id }) => id).sort());
      }),
      { numRuns: draws(200) },
    );
  });

  it('runs again on its recorded model, which is asked for every answer', async () => {
    await fc.assert(
      fc.asyncProperty(randomRuns, async (run) => {
        const options = { input: 'Go.', approve: () => run.approves };
        const lines = await linesOf(randomAdapter(run), randomPrompt(run, { count: 0 }), options);
        const adapter = recordedAdapter({ record: await readRunRecord(lines) });
        await adapter.evaluate(randomPrompt(run, { count: 0 }), options);
        adapter.assertComplete();
      }),
      { numRuns: draws(200) },
    );
  });
});
