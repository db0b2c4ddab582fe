import { expect, test } from 'vitest';
import { createManualClock } from 'weakincentives/testing';
import { Child, type ChildOptions, runProgram } from '../../../../src/host/process/child.ts';
import { startProcess } from '../../../../src/host/process/start-process.ts';

const env = { PATH: process.env['PATH'] };
const pipes = ['pipe', 'pipe', 'pipe'] as const;

function shell(script: string, options: Partial<ChildOptions> = {}): Child {
  return new Child({ command: 'sh', args: ['-c', script] }, { env, stdio: pipes, ...options });
}

async function outputOf(child: Child): Promise<string> {
  let output = '';
  child.pipe(1).on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await child.ended;
  return output;
}

/** Whether a process runs; one that has ended and was not waited for does not. */
async function runs(pid: number): Promise<boolean> {
  const state = shell(`ps -o stat= -p ${pid}`);
  return /^[^Z]/.test((await outputOf(state)).trim());
}

test('a child ends with its exit code once its output was read', async () => {
  const child = shell('cat; exit 3');
  child.pipe(0).end('all of it');
  expect(await outputOf(child)).toBe('all of it');
  expect(await child.ended).toEqual({ exitCode: 3, signal: undefined, failure: undefined });
});

test('its environment is what it is given, and nothing else', async () => {
  const child = shell('env | cut -d= -f1 | sort', { env: { ...env, ONLY: 'this' } });
  const names = (await outputOf(child)).trim().split('\n');
  expect(names.filter((name) => !['PATH', 'PWD', '_', 'SHLVL', 'OLDPWD'].includes(name))).toEqual(['ONLY']);
});

test('input for a child that does not read it fails nothing', async () => {
  const child = shell('exec <&-; exit 0');
  child.pipe(0).write('x'.repeat(1_000_000));
  await child.exited;
  child.pipe(0).write('more');
  expect(await child.ended).toMatchObject({ exitCode: 0 });
});

test('a program that is not there fails as its end and as its start', async () => {
  const child = new Child({ command: '/no/such/program', args: [] }, { env, stdio: pipes, group: 'ended' });
  await expect(child.started()).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await child.ended).toMatchObject({ exitCode: undefined, failure: { code: 'ENOENT' } });
  expect(child.kill('SIGKILL')).toBe(false);
});

test('a kill reaches the group, and only the child where it leads none', async () => {
  const grouped = shell('sleep 1000 & echo $!; wait', { group: 'ended' });
  const inGroup = await firstNumber(grouped);
  expect(grouped.kill('SIGTERM')).toBe(true);
  expect(await grouped.ended).toMatchObject({ signal: 'SIGTERM' });
  await expect.poll(() => runs(inGroup)).toBe(false);

  const alone = shell('sleep 1000 >/dev/null 2>&1 & echo $!; wait');
  const outside = await firstNumber(alone);
  expect(alone.kill('SIGTERM')).toBe(true);
  await alone.ended;
  expect(await runs(outside)).toBe(true);
  process.kill(outside);
});

test.each([
  ['ended', false],
  ['kept', true],
] as const)('a group that is %s when its leader exits', async (group, isKept) => {
  const child = shell('sleep 1000 >/dev/null 2>&1 & echo $!', { group });
  const rest = await firstNumber(child);
  await child.ended;
  await expect.poll(() => runs(rest)).toBe(isKept);
  // The number of a group that was killed may be that of another one.
  expect(child.kill('SIGKILL')).toBe(isKept);
});

test('what left the group and holds the output is waited for half a second', async () => {
  const clock = createManualClock();
  const child = shell("setsid sh -c 'echo $$; exec sleep 1000' & read line", { group: 'ended', clock });
  let hasEnded = false;
  void child.ended.then(() => {
    hasEnded = true;
  });
  const holder = await firstNumber(child);
  child.pipe(0).end('\n');
  await child.exited;
  expect(await runs(holder)).toBe(true);
  expect(hasEnded).toBe(false);
  clock.advance(500);
  await child.ended;
  process.kill(holder);
});

test('output that has arrived is read, however busy this process was since the exit', async () => {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const clock = createManualClock();
    const child = shell('echo late', { clock });
    // The time is up in the moment of the exit, in which nothing was read yet.
    child.process.once('exit', () => queueMicrotask(() => queueMicrotask(() => clock.advance(500))));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    expect(await outputOf(child)).toBe('late\n');
  }
});

test('a child that is not held is still ended when it is', async () => {
  const child = shell('cat');
  child.hold(false);
  child.hold(true);
  child.pipe(0).end();
  expect(await child.ended).toMatchObject({ exitCode: 0 });
});

test('a program without output succeeds or throws', async () => {
  const path = { PATH: env.PATH ?? '' };
  await runProgram('true', [], path);
  await expect(runProgram('false', [], path)).rejects.toThrow('false ended with 1.');
  await expect(runProgram('/no/such/program', [], path)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('pieces of an input are taken one by one, and no further when the process ends', async () => {
  let taken = 0;
  const endless = function* (): Generator<string> {
    for (;;) {
      taken += 1;
      yield 'x'.repeat(10_000);
    }
  };
  const read: Uint8Array[] = [];
  const { ended } = startProcess(
    { command: 'head', args: ['-c', '20000'], cwd: '/' },
    { env: { PATH: env.PATH ?? '' }, input: endless(), onStdout: (chunk) => void read.push(chunk) },
  );
  expect(await ended).toMatchObject({ exitCode: 0 });
  expect(Buffer.concat(read).length).toBe(20_000);
  const before = taken;
  await new Promise(setImmediate);
  expect(taken).toBe(before);
});

test('a piece of an input that throws ends the process with its error', async () => {
  const failing = function* (): Generator<string> {
    yield 'first';
    throw new Error('no more');
  };
  const { ended } = startProcess(
    { command: 'sleep', args: ['1000'], cwd: '/' },
    { env: { PATH: env.PATH ?? '' }, input: failing() },
  );
  await expect(ended).rejects.toThrow('no more');
});

async function firstNumber(child: Child): Promise<number> {
  return new Promise((resolve) => {
    child.pipe(1).once('data', (chunk: Buffer) => resolve(Number(chunk.toString())));
  });
}
