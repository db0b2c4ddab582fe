import { describe, expect, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { eventWords } from '../../../../../src/viewer/view/parts/event-words.ts';
import { suspendedRun } from '../../../../browser/support/suspended-run.ts';

describe('eventWords', () => {
  it('says which question ended a run, and where it continued', async () => {
    const record = await readRunRecord(suspendedRun);
    const words = record.turns.flatMap(({ events }) =>
      events.flatMap(({ event }) => eventWords(event) ?? []),
    );
    expect(words).toEqual([
      'The run continued here, after 1 commit; changed since it began: tools.',
      'first asks about publish: Publish this? The run ended with the question.',
    ]);
    expect(
      eventWords({
        type: 'approval-pending',
        turn: 1,
        callId: 'c',
        toolName: 'write_file',
        policy: 'reviews',
        reason: 'Is this right?',
        about: 'changes',
        id: 'i',
        digest: 'd',
      }),
    ).toBe('reviews asks about the changes of write_file: Is this right? The run ended with the question.');
    expect(eventWords({ type: 'run-resumed', turn: 1, runId: 'r', commits: 2, changed: [] })).toBe(
      'The run continued here, after 2 commits.',
    );
  });
});

it('says which model could not answer, and which one took over', () => {
  const changed = { from: 'a', to: 'b', reason: 'quota', message: 'No money.' } as const;
  expect(eventWords({ type: 'model-changed', turn: 2, ...changed })).toBe(
    'a could not answer (quota); from here on the run asked b: No money.',
  );
});

describe('the problems of a suspended run', () => {
  it('are its questions, and not that its record is incomplete', async () => {
    const { problems, isComplete, root } = await readRunRecord(suspendedRun);
    expect([root.outcome, isComplete]).toEqual(['suspended', true]);
    expect(problems.map(({ kind, isFailure, text }) => [kind, isFailure, text])).toEqual([
      ['approval-wait', false, 'The run ended with a question that first asked about publish: Publish this?'],
    ]);
  });
});
