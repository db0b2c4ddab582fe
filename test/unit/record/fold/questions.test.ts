import { describe, expect, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { waitingRun } from '../../../browser/support/ended-runs.ts';
import { commitRow, endRow, headerRow, responseRow } from '../../../browser/support/rows.ts';
import { answeredRun, suspendedRun } from '../../../browser/support/suspended-run.ts';

describe('the questions of a record', () => {
  it('are open until somebody answers', async () => {
    const { questions } = await readRunRecord(waitingRun);
    expect(questions).toMatchObject([
      { toolName: 'edit_file', policy: 'protect-src', reason: 'Sources need a person.', askedAtMs: 2_200 },
    ]);
    expect(questions[0]).toMatchObject({ call: { id: 'call-2' }, expiresAtMs: 7 * 86_400_000 });
    expect(questions[0]).not.toHaveProperty('answer');
  });

  it('have their answers', async () => {
    const { questions } = await readRunRecord(answeredRun);
    expect(questions).toMatchObject([{ askedAtMs: 4_000, answer: { approved: true, atMs: 54_000 } }]);
  });

  it('are those of events, where the record is not of a journal', async () => {
    const { questions } = await readRunRecord(suspendedRun);
    expect(questions).toMatchObject([{ toolName: 'publish', about: 'call', askedAtMs: 70 }]);
  });

  it('are none once the run continued without them', async () => {
    const resumed = JSON.stringify({ type: 'resumed', t: 90, atMs: 0, turn: 2, changed: [] });
    expect((await readRunRecord([...suspendedRun, resumed])).questions).toEqual([]);
  });
});

describe('the attempts of a run that was resumed', () => {
  it('say in which life they were made', async () => {
    const { calls } = await readRunRecord(answeredRun);
    expect(calls.at(-1)?.attempts.map(({ number, life }) => [number, life])).toEqual([
      [1, 0],
      [2, 1],
    ]);
  });
});

describe('the redactions of a record', () => {
  const rows = (more: object): readonly string[] =>
    [
      headerRow({ redacted: true }),
      responseRow(1, 100, 'Hello.'),
      commitRow(1, 1, 100, { ...more }),
      endRow(1, 200),
    ].map((row) => JSON.stringify(row));

  it('are none where nothing was replaced, though a redaction was in place', async () => {
    const record = await readRunRecord(rows({}));
    expect([record.isRedacted, record.redactions]).toEqual([true, []]);
  });

  it('are the places whose rows say so', async () => {
    const { redactions } = await readRunRecord(rows({ redacted: true }));
    expect(redactions.map(({ call }) => call?.id)).toEqual(['call-1']);
  });
});
