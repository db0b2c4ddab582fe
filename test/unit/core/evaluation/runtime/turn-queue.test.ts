import { expect, test } from 'vitest';
import { TurnQueue } from '../../../../../src/core/evaluation/runtime/turn-queue.ts';
import { gate } from '../../../../support/gate.ts';

test('each call of a burst is checked once, by the check of its turn', async () => {
  const checks: string[] = [];
  let turns = 0;
  const gathered = gate();
  const queue = new TurnQueue<string, string>({
    gather: () => gathered.pass(),
    run: async (calls) => calls.map((call) => `${call} done`),
    createCheck: () => {
      turns += 1;
      return (call) => {
        checks.push(call);
        if (call === 'bad') throw new RangeError('It is bad.');
      };
    },
  });
  const calls = Array.from({ length: 100 }, (_, index) => `call-${index}`);
  const answers = calls.map((call) => queue.join(call));
  await expect(queue.join('bad')).rejects.toThrow('It is bad.');
  gathered.open();
  expect(await Promise.all(answers)).toEqual(calls.map((call) => `${call} done`));
  expect(checks).toEqual([...calls, 'bad']);
  expect(turns).toBe(1);
  expect(await queue.join('later')).toBe('later done');
  expect(turns).toBe(2);
});

test('a call that may not join opens no turn', async () => {
  let runs = 0;
  const queue = new TurnQueue<string, string>({
    gather: async () => undefined,
    run: async (calls) => {
      runs += 1;
      return calls;
    },
    createCheck: () => () => {
      throw new RangeError('It is bad.');
    },
  });
  await expect(queue.join('bad')).rejects.toThrow('It is bad.');
  await queue.settled();
  expect(runs).toBe(0);
});
