import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { RemoteThread } from '../../../../src/host/remote/remote-thread.ts';
import { childProgram } from '../../../support/child-program.ts';
import { deadlockMs } from '../../../support/deadlock.ts';

interface Functions {
  echo(value: unknown): unknown;
  wait(): never;
  exit(code: number): never;
  fail(): never;
}

/** The program answers `echo`, and ends in several ways. */
const program = `
  import { parentPort } from 'node:worker_threads';
  parentPort.on('message', ({ id, name, parameters: [value] }) => {
    if (name === 'echo') parentPort.postMessage({ id, value });
    if (name === 'exit') process.exit(value);
    if (name === 'fail') setImmediate(() => { throw new Error('of the thread'); });
    if (name === 'close') parentPort.close();
  });
`;

function thread(
  options: Partial<ConstructorParameters<typeof RemoteThread>[0]> = {},
): RemoteThread<Functions> {
  const started = new RemoteThread<Functions>({
    program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
    name: 'test',
    workerData: undefined,
    ...options,
  });
  onTestFinished(() => started.terminate());
  return started;
}

test('a thread answers, and ends when it is closed', async () => {
  const losses: unknown[] = [];
  const remote = thread({ onLoss: (error) => void losses.push(error) });
  expect(await remote.call('echo', [1, 'two'])).toEqual([1, 'two']);
  expect(remote.isUsable).toBe(true);
  await remote.close();
  await remote.close();
  expect(remote.isUsable).toBe(false);
  await expect(remote.call('echo', 1)).rejects.toThrow('The thread has ended.');
  expect(losses).toEqual([]);
});

test.each([
  ['exit', undefined],
  ['fail', 'of the thread'],
] as const)(
  'every open call of a thread that ends by %s has its reason, and its owner learns it once',
  async (how, cause) => {
    const losses: unknown[] = [];
    const lost = new Error('lost');
    const causes: unknown[] = [];
    const remote = thread({
      onLoss: (error) => void losses.push(error),
      endError: (reason) => {
        causes.push(reason);
        return lost;
      },
    });
    const open = [remote.call('wait'), how === 'exit' ? remote.call('exit', 0) : remote.call('fail')];
    for (const call of open) await expect(call).rejects.toBe(lost);
    await expect(remote.call('echo', 1)).rejects.toBe(lost);
    expect(losses).toEqual([lost]);
    expect(causes).toHaveLength(1);
    if (cause === undefined) expect(causes).toEqual([undefined]);
    else expect(causes).toEqual([expect.objectContaining({ message: cause })]);
  },
);

test('a thread that is terminated rejects what is open, and is no loss', async () => {
  const losses: unknown[] = [];
  const remote = thread({ onLoss: (error) => void losses.push(error) });
  await remote.call('echo', 1);
  const open = remote.call('wait');
  const rejected = expect(open).rejects.toThrow('The thread has ended.');
  await remote.terminate();
  await rejected;
  expect(losses).toEqual([]);
});

test.each(['silent', 'heard'])(
  'a %s thread keeps the process running while a call is open, and not after it',
  async (kind) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [await childProgram('idle-thread'), kind],
      {
        timeout: deadlockMs / 2,
      },
    );
    expect(stdout).toBe(`${kind === 'heard' ? 'printed\n' : ''}late\n`);
  },
);
