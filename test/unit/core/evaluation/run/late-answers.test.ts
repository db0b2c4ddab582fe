import { expect, test } from 'vitest';
import { Deadline, promptTemplate, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';

const sections = [section({ title: 'Task', key: 'task', template: 'Do it.' })] as const;
const plain = promptTemplate({ ns: 'test', key: 'late', sections }).bind();

test('an answer that comes after the deadline is none, also when no timer has told', async () => {
  let now = 0;
  const lagging = { now: () => now, schedule: () => () => undefined };
  const run = scriptedAdapter(() => {
    now += 10;
    return { text: 'too late' };
  }).evaluate(plain, { limits: { deadline: Deadline.after(10, lagging) }, clock: lagging });
  const error = await evaluationFailure(run);
  expect(error).toMatchObject({ code: 'evaluation-deadline-exceeded', phase: 'request' });
  // Nothing of it is lost.
  expect(error.conversation).toMatchObject([{ type: 'assistant', content: [{ text: 'too late' }] }]);
});

test('an answer that is not read by the deadline is none', async () => {
  const clock = createManualClock();
  const reading = gate();
  const output = z.object({ name: z.string() }).refine(async () => {
    await reading.pass();
    return true;
  });
  const prompt = promptTemplate({ ns: 'test', key: 'late', sections, output }).bind();
  const run = scriptedAdapter([{ text: '{"name":"Ada"}' }]).evaluate(prompt, {
    limits: { deadline: Deadline.after(10, clock) },
    clock,
  });
  await reading.reached;
  clock.advance(10);
  expect(await evaluationFailure(run)).toMatchObject({
    code: 'evaluation-deadline-exceeded',
    phase: 'parse',
  });
  expect(clock.pending).toBe(0);
  reading.open();
});

test('an answer in time is one', async () => {
  const clock = createManualClock();
  const run = scriptedAdapter([{ text: 'in time' }]).evaluate(plain, {
    limits: { deadline: Deadline.after(10, clock) },
    clock,
  });
  expect((await run).text).toBe('in time');
});
