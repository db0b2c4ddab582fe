import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { promptTemplate, section } from 'weakincentives';
import { scriptedModel } from 'weakincentives/testing';
import { keepStandingCall } from '../../../src/adapter/standing-call.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { unheardRejections } from '../../support/unheard-rejections.ts';

const prompt = promptTemplate({
  ns: 'test',
  key: 'plain',
  sections: [section({ title: 'Plain', key: 'plain', template: 'Say something.' })],
}).bind();

test('one call stands open behind the first evaluation, and nobody hears of it', async () => {
  const logger = recordingLogger();
  const events: string[] = [];
  const unheard = await unheardRejections(async () => {
    const { usage } = await scriptedModel([{ text: 'Something.' }]).evaluate(prompt, {
      logger,
      onEvent: ({ type }) => void events.push(type),
    });
    expect(usage).toEqual({});
  });
  expect(unheard).toEqual([]);
  expect(logger.lines).toEqual([]);
  expect(events.filter((type) => type === 'run-start')).toHaveLength(1);
  let asked = 0;
  keepStandingCall(async () => {
    asked += 1;
  });
  await nextTurn();
  expect(asked).toBe(0);
});
