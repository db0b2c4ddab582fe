import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keepStandingCall } from '../../../src/adapter/standing-call.ts';

test('the call that stands open holds nothing of the asynchronous context of the first evaluation', async () => {
  const requests = new AsyncLocalStorage<string>();
  const seen: unknown[] = [];
  requests.run('the first request', () => {
    keepStandingCall(async () => {
      seen.push(requests.getStore());
      await nextTurn();
      seen.push(requests.getStore());
    });
  });
  await nextTurn();
  await nextTurn();
  expect(seen).toEqual([undefined, undefined]);
});
