import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readRunRecord } from 'weakincentives/record';
import { failureLine, numbersText } from '../../../../src/record/fold/call-failure.ts';
import { outcomeOf, outcomeOfRecord, type RunEnd } from '../../../../src/record/fold/run-outcome.ts';

interface TestCall {
  readonly toolName: string;
  readonly turn: number;
  readonly outcome?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly target?: string;
}

const failed = (turn: number, target = 'prod', more: Partial<TestCall> = {}): TestCall => ({
  toolName: 'deploy',
  turn,
  outcome: 'rolled-back',
  reason: 'failed-result',
  message: 'connect ECONNREFUSED 10.0.0.7:443',
  target,
  ...more,
});

const told = (end: RunEnd, calls: readonly TestCall[] = []) =>
  outcomeOf({ end, calls, argumentsOf: ({ target = '' }) => target });

const record = (file: string, without = 0) => {
  const url = new URL(`../../../fixtures/golden/${file}`, import.meta.url);
  const lines = readFileSync(url, 'utf8').trim().split('\n');
  return readRunRecord(lines.slice(0, lines.length - without));
};

describe('the outcome of a run', () => {
  it('names the call that failed too often, and why', () => {
    const calls = [
      failed(1, 'staging'),
      ...[2, 3, 4, 5, 6].map((turn) => failed(turn)),
      { toolName: 'read', turn: 6, outcome: 'committed' },
    ];
    const end = {
      kind: 'failed',
      code: 'evaluation-failures-repeated',
      phase: 'tool',
      message: 'The same call …',
    } as const;
    const outcome = told(end, calls);
    expect(outcome).toMatchObject({
      kind: 'failed',
      word: 'Failed',
      sentence: 'deploy failed in 5 turns with the same arguments and the same reason:',
      message: 'connect ECONNREFUSED 10.0.0.7:443',
      code: 'evaluation-failures-repeated',
      phase: 'tool',
      call: calls[5],
    });
    expect(outcome.failures.map((group) => group.calls.length)).toEqual([1, 5]);
  });

  it('has the message of an error without the place, and what follows its first line', () => {
    const message = 'The model "m" could not be asked: it is late. (prompt "a:b", turn 2)';
    expect(told({ kind: 'failed', message, code: 'evaluation-request-failed', phase: 'request' })).toEqual({
      kind: 'failed',
      word: 'Failed',
      sentence: 'The model "m" could not be asked: it is late.',
      code: 'evaluation-request-failed',
      phase: 'request',
      failures: [],
    });
    expect(told({ kind: 'failed', message: 'First.\n  second\nthird\n' })).toMatchObject({
      sentence: 'First.',
      message: 'second\nthird',
    });
  });

  it('names the call that was running', () => {
    const calls = [failed(1), { toolName: 'wait', turn: 2, outcome: 'aborted', reason: 'interrupted' }];
    const end = { kind: 'failed', phase: 'tool', message: 'It ended the run.' } as const;
    expect(told(end, calls).call).toBe(calls[1]);
  });

  it('says what it waits for', () => {
    const question = { toolName: 'edit_file', policy: 'protect-src', reason: 'Sources need a person.' };
    const call = { toolName: 'edit_file', turn: 3 };
    expect(told({ kind: 'waiting', questions: [question] }, [call])).toEqual({
      kind: 'waiting',
      word: 'Waiting',
      sentence: 'edit_file waits for the answer to a question of protect-src:',
      message: 'Sources need a person.',
      call,
      failures: [],
    });
    expect(told({ kind: 'waiting', questions: [question, question, question] }).sentence).toBe(
      'edit_file waits for the answer to a question of protect-src, and 2 more questions:',
    );
  });

  it.each([
    [{ kind: 'finished' }, 'Done', undefined],
    [{ kind: 'running' }, 'Running', undefined],
    [{ kind: 'interrupted' }, 'Interrupted', 'The process ended before the run did.'],
    [{ kind: 'conflict', message: 'Nothing was written.' }, 'Conflict', 'Nothing was written.'],
    [{ kind: 'cancelled' }, 'Cancelled', 'The run was ended for good.'],
    [{ kind: 'cancelled', by: 'ann', reason: 'Old.' }, 'Cancelled', 'The run was ended for good by ann:'],
  ] satisfies readonly (readonly [RunEnd, string, string | undefined])[])('of %j', (end, word, sentence) => {
    const outcome = told(end);
    expect([outcome.word, outcome.sentence]).toEqual([word, sentence]);
  });

  it('of a record is told by the same words', async () => {
    const finished = await record('record.jsonl');
    expect(outcomeOfRecord(finished)).toMatchObject({ kind: 'finished', word: 'Done' });
    const isOpen = await record('record.jsonl', 1);
    expect(outcomeOfRecord(isOpen).kind).toBe('interrupted');
    expect(outcomeOfRecord(isOpen, true).kind).toBe('running');
    expect(outcomeOfRecord(await record('failed-record.jsonl'))).toMatchObject({
      kind: 'failed',
      sentence: 'The answer of the model "golden adapter" cannot be used: It answered <secret>.',
      code: 'evaluation-response-invalid',
    });
  });
});

describe('a failure', () => {
  it.each([
    [{ message: 'The tool "a" failed: It is gone.\nMore.' }, 'It is gone.'],
    [
      { message: 'The call of "a" was denied by the policy "p": Not there. No effects.' },
      'Not there. No effects.',
    ],
    [
      {
        message:
          'Tool validation failed: the arguments of "a" do not fit.\ncount: must be a number\nsize: unknown',
        reason: 'invalid-arguments',
      },
      'count: must be a number; size: unknown',
    ],
    [{}, ''],
  ])('of %j', (call, line) => {
    expect(failureLine(call)).toBe(line);
  });

  it.each([
    [[], ''],
    [[3, 3], 'turn 3'],
    [[2, 3], 'turns 2 and 3'],
    [[2, 3, 4], 'turns 2 to 4'],
    [[2, 4, 9], 'turns 2, 4 and 9'],
    [[1, 3, 5, 7, 9], '5 turns from 1 to 9'],
  ])('in %j', (turns, text) => {
    expect(numbersText('turn', turns)).toBe(text);
  });
});
