import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { followSignal } from '../../../../../src/core/runtime/limits/follow-signal.ts';

test('followers of one signal share a listener, which goes with the last of them', () => {
  const { signal } = new AbortController();
  const listeners = (): number => getEventListeners(signal, 'abort').length;
  const ends = Array.from({ length: 20 }, () => followSignal(signal, () => undefined));
  expect(listeners()).toBe(1);
  for (const end of ends.slice(1)) end();
  expect(listeners()).toBe(1);
  ends[0]?.();
  ends[0]?.();
  expect(listeners()).toBe(0);
});

test('each hears of the abort once, in order, but for those that ended it, before or because of it', () => {
  const controller = new AbortController();
  const { signal } = controller;
  const heard: string[] = [];
  const hear = (name: string): (() => void) => followSignal(signal, () => heard.push(name));
  hear('a');
  const endB = hear('b');
  followSignal(signal, () => {
    heard.push('c');
    endD();
    hear('late');
  });
  const endD = hear('d');
  hear('e');
  endB();
  controller.abort();
  controller.abort();
  hear('later');
  expect(heard).toEqual(['a', 'c', 'late', 'e', 'later']);
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});

test('a signal that all have left can be followed again', () => {
  const controller = new AbortController();
  followSignal(controller.signal, () => undefined)();
  let heard = 0;
  const follower = (): void => {
    heard += 1;
  };
  followSignal(controller.signal, follower);
  followSignal(controller.signal, follower)();
  controller.abort();
  expect(heard).toBe(1);
});
