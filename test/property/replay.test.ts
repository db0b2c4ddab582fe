import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RecordedCall, readRunRecord, replayRun } from 'weakincentives/record';
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
        expect(report.calls.filter(({ status }) => status !== 'same' && status !== 'unchecked')).toEqual([]);
        const unchecked = report.calls.filter(({ status }) => status === 'unchecked').map(({ id }) => id);
        expect(unchecked).toEqual(record.calls.filter(isInsideOrder).map(({ id }) => id));
        expect(report).toMatchObject({ isSame: unchecked.length === 0, ending: 'complete' });
        expect(report.notes).toHaveLength(Math.min(1, unchecked.length));
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
        const expected = ['same', 'unchecked', 'not-replayed'];
        expect(report.calls.filter(({ status }) => !expected.includes(status))).toEqual([]);
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

/** Whether a call is inside one of "order", which the record answers for, so that no policy is asked about it. */
function isInsideOrder({ run: { parent } }: RecordedCall): boolean {
  return parent !== undefined && (parent.call.toolName === 'order' || isInsideOrder(parent.call));
}
