import { MessageChannel } from 'node:worker_threads';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JournalFencedError } from 'weakincentives';
import {
  RemoteCalls,
  type RemoteFunctions,
  type RemoteMessage,
  type RemoteOptions,
  RemoteTransfer,
} from '../../../../src/host/remote/remote-calls.ts';
import { packError, unpackError } from '../../../../src/host/remote/remote-error.ts';
import { draws } from '../../../support/draws.ts';

interface Numbers {
  double(value: number): number;
  later(value: number): Promise<number>;
  fail(message: string): never;
  note(value: number): void;
}

/** Two sides; what one sends, the other gets in a later turn, through JSON. */
function connect<Theirs extends RemoteFunctions<keyof Theirs>>(
  functions: object,
  near: Partial<RemoteOptions> = {},
  far: Partial<RemoteOptions> = {},
): { readonly calls: RemoteCalls<Theirs>; readonly other: RemoteCalls<Theirs> } {
  const over = (message: RemoteMessage, to: () => RemoteCalls<Theirs>): void => {
    const text = JSON.stringify(message);
    queueMicrotask(() => expect(to().receive(JSON.parse(text))).toBe(true));
  };
  const calls: RemoteCalls<Theirs> = new RemoteCalls({
    send: (message) => over(message, () => other),
    ...near,
  });
  const other: RemoteCalls<Theirs> = new RemoteCalls({
    send: (message) => over(message, () => calls),
    serve: () => functions,
    ...far,
  });
  return { calls, other };
}

test('each call gets its own answer, in whatever order they are given', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: 20 }), { maxLength: 30 }), async (values) => {
      const waiting: (() => void)[] = [];
      const { calls } = connect<Numbers>({
        later: (value: number) =>
          new Promise((resolve) => waiting.splice(value % (waiting.length + 1), 0, () => resolve(value * 3))),
      });
      const answers = Promise.all(values.map((value) => calls.call('later', value)));
      await new Promise(setImmediate);
      for (const answer of waiting) answer();
      expect(await answers).toEqual(values.map((value) => value * 3));
    }),
    { numRuns: draws(300) },
  );
});

test('an error has its message and code, and what a driver adds', async () => {
  const thrown = Object.assign(new Error('disk full'), { errcode: 13, errstr: 'full', rest: {} });
  const { calls } = connect<Numbers>({
    fail: () => {
      throw thrown;
    },
  });
  const error: unknown = await calls.call('fail', '').catch((reason: unknown) => reason);
  expect(error).toMatchObject({ message: 'disk full', errcode: 13, errstr: 'full' });
  expect(error).not.toHaveProperty('rest');
  const own = packError(new JournalFencedError('fenced', { details: { epoch: 3 } }));
  expect(own).toMatchObject({ name: 'JournalFencedError', message: 'fenced', details: { epoch: 3 } });
  expect(own.code).toBeDefined();
  expect(unpackError(packError('a text')).message).toContain('a text');
});

test('an error that the other side is not to learn is not answered', async () => {
  const kept: unknown[] = [];
  const { calls } = connect<Numbers>(
    {
      fail: (message: string) => {
        throw new Error(message);
      },
      double: (value: number) => value * 2,
    },
    {},
    { pack: (error) => void kept.push(error) },
  );
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  calls.call('fail', 'secret').then(settle, settle);
  expect(await calls.call('double', 4)).toBe(8);
  await new Promise(setImmediate);
  expect(isSettled).toBe(false);
  expect(kept).toEqual([new Error('secret')]);
});

test('what is told is not answered, also when it throws', async () => {
  const told: number[] = [];
  const sent: RemoteMessage[] = [];
  const { calls } = connect<Numbers>(
    {
      note: (value: number) => {
        told.push(value);
        throw new Error('lost');
      },
    },
    {},
    { send: (message) => void sent.push(message) },
  );
  calls.tell('note', 5);
  await new Promise(setImmediate);
  expect(told).toEqual([5]);
  expect(sent).toEqual([]);
});

test('the end rejects every call with the same error, and those that come later', async () => {
  const busy: boolean[] = [];
  const { calls, other } = connect<Numbers>(
    { later: () => new Promise(() => undefined) },
    { onBusy: (isBusy) => void busy.push(isBusy) },
  );
  const open = [calls.call('later', 1), calls.call('later', 2)];
  const end = new Error('gone');
  calls.end(end);
  calls.end(new Error('again'));
  for (const call of [...open, calls.call('double', 1)]) await expect(call).rejects.toBe(end);
  expect(busy).toEqual([true, false]);
  // A message that arrives now is dropped.
  expect(calls.receive({ id: 1, value: 3 })).toBe(true);
  await new Promise(setImmediate);
  other.end(end);
});

test('it is busy from the first open call to the last answer', async () => {
  const busy: boolean[] = [];
  const { calls } = connect<Numbers>(
    { double: (value: number) => value * 2 },
    { onBusy: (isBusy) => void busy.push(isBusy) },
  );
  await Promise.all([calls.call('double', 1), calls.call('double', 2)]);
  await calls.call('double', 3);
  expect(busy).toEqual([true, false, true, false]);
});

test.each([
  null,
  'text',
  {},
  { id: 7, value: 1 },
  { id: '1', value: 1 },
  { name: 'missing', parameters: [] },
  { name: 'toString', parameters: [] },
  { name: 'double', parameters: {} },
  { id: 'x', name: 'double', parameters: [] },
])('%j is no message', (message) => {
  const calls = new RemoteCalls({ send: () => undefined, serve: () => ({ double: () => 1 }) });
  expect(calls.receive(message)).toBe(false);
});

test('nothing is served while there are no functions', () => {
  const served: { functions?: object } = {};
  const calls = new RemoteCalls({ send: () => undefined, serve: () => served.functions });
  expect(calls.receive({ name: 'double', parameters: [] })).toBe(false);
  served.functions = { double: () => 1 };
  expect(calls.receive({ name: 'double', parameters: [] })).toBe(true);
});

test('a buffer is handed over with an answer, and a value that no message can have is an error', async () => {
  const { port1, port2 } = new MessageChannel();
  const bytes = new Uint8Array([1, 2, 3]);
  const near = new RemoteCalls<{ bytes(): Uint8Array; odd(value?: unknown): unknown }>({
    send: (message) => port1.postMessage(message),
  });
  const far = new RemoteCalls({
    send: (message, buffers = []) => port2.postMessage(message, buffers),
    serve: () => ({ bytes: () => new RemoteTransfer(bytes, [bytes.buffer]), odd: () => () => 1 }),
  });
  port1.on('message', (message) => near.receive(message));
  port2.on('message', (message) => far.receive(message));
  expect(await near.call('bytes')).toEqual(new Uint8Array([1, 2, 3]));
  expect(bytes.byteLength).toBe(0);
  await expect(near.call('odd')).rejects.toThrow('could not be cloned');
  await expect(near.call('odd', () => 1)).rejects.toThrow('could not be cloned');
  port1.close();
});
