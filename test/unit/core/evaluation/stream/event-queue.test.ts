import { expect, test } from 'vitest';
import { EventQueue } from '../../../../../src/core/evaluation/stream/prompt-stream.ts';

test('who asks first gets the first event, also when it comes before they are heard', async () => {
  const queue = new EventQueue<string>();
  const first = queue.take();
  queue.push('a');
  const second = queue.take();
  queue.push('b');
  queue.end();
  expect(await Promise.all([first, second, queue.take()])).toEqual(['a', 'b', undefined]);
});

test('the run waits while 16 events wait, until there are fewer', async () => {
  const queue = new EventQueue<number>();
  for (let number = 1; number <= 17; number += 1) queue.push(number);
  let isReady = false;
  const ready = queue.ready()?.then(() => {
    isReady = true;
  });
  expect(await queue.take()).toBe(1);
  expect(isReady).toBe(false);
  expect(await queue.take()).toBe(2);
  await ready;
  expect(queue.ready()).toBeUndefined();
  expect(await queue.take()).toBe(3);
});

test('what is closed has nothing to take, whoever waits', async () => {
  const queue = new EventQueue<number>();
  for (let number = 1; number <= 20; number += 1) queue.push(number);
  await queue.take();
  const ready = queue.ready();
  queue.dispose();
  queue.push(21);
  await ready;
  expect(await queue.take()).toBeUndefined();
  expect(queue.ready()).toBeUndefined();
});
