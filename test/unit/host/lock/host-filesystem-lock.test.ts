import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FilesystemError, TransactionClosedError } from 'weakincentives';
import { expectCode, textOf } from '../../../contract/filesystem-setup.ts';
import { childProgram } from '../../../support/child-program.ts';
import { openHost, type TestFolders, testFolders } from '../host-filesystem/host-workspace.ts';

const child = await childProgram('hold-folder');

/** Another process that opens the folder; resolves with the first that it says. */
async function startHolder({ root, stateDirectory }: TestFolders): Promise<{
  readonly holder: ChildProcessByStdio<Writable, Readable, null>;
  readonly said: string;
}> {
  const holder = spawn(process.execPath, [child, root, stateDirectory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [said] = await once(holder.stdout, 'data');
  return { holder, said: String(said).trim() };
}

function lockOf({ stateDirectory }: TestFolders): string {
  const found = readdirSync(stateDirectory, { recursive: true }).map(String);
  const lock = found.find((name) => name.endsWith('/lock'));
  if (lock === undefined) throw new Error('no lock');
  return join(stateDirectory, lock);
}

describe('the lock of a folder', () => {
  it('refuses a second process, by its number, until the first has let go', async () => {
    const folders = testFolders({ a: 'x' });
    const { holder, said } = await startHolder(folders);
    expect(said).toBe('open');
    const error = await openHost(folders).catch((reason: unknown) => reason);
    if (!FilesystemError.isInstance(error)) throw new Error('it was opened twice', { cause: error });
    expect(error).toMatchObject({
      code: 'filesystem-locked',
      details: { pid: holder.pid, path: folders.root },
    });
    expect(error.message).toContain(`process ${holder.pid}`);
    // Another folder is free, and so is this one with another state folder, which must not be done.
    await openHost({ ...testFolders(), stateDirectory: folders.stateDirectory });
    holder.stdin.write('go\n');
    await once(holder, 'exit');
    expect(await textOf(await openHost(folders), 'a')).toBe('x');
  });

  it.each([
    ['empty', ''],
    ['cut off', '{"host":'],
    ['something else', '{}'],
  ])('is taken over when a crash of the machine has left it %s', async (_what, text) => {
    const folders = testFolders({ a: 'x' });
    const first = await openHost(folders);
    const lock = lockOf(folders);
    await first[Symbol.asyncDispose]();
    writeFileSync(lock, text);
    const filesystem = await openHost(folders);
    await filesystem.write('a', 'y');
    await expectCode(openHost(folders), 'filesystem-locked');
    expect(readdirSync(dirname(lock)).filter((name) => name.startsWith('takeover'))).toEqual([]);
  });

  it('is refused to a second process as long as this one has it', async () => {
    const folders = testFolders();
    const filesystem = await openHost(folders);
    const { said } = await startHolder(folders);
    expect(said).toContain('"code":"filesystem-locked"');
    await expectCode(openHost(folders), 'filesystem-locked');
    await filesystem[Symbol.asyncDispose]();
    const { holder, said: later } = await startHolder(folders);
    expect(later).toBe('open');
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  });

  it('ends with a process that is killed', async () => {
    const folders = testFolders({ a: 'x' });
    const { holder } = await startHolder(folders);
    holder.kill('SIGKILL');
    await once(holder, 'exit');
    const filesystem = await openHost(folders);
    await filesystem.write('a', 'y');
    expect(readdirSync(join(lockOf(folders), '..'))).toEqual(['lock']);
  });

  it('is not held by a live process that reuses the recorded process id', async () => {
    const folders = testFolders();
    await (await openHost(folders))[Symbol.asyncDispose]();
    const filesystem = await openHost(folders);
    const lock = lockOf(folders);
    const record: unknown = JSON.parse(readFileSync(lock, 'utf8'));
    await filesystem[Symbol.asyncDispose]();
    // This process is alive, but it was not started then.
    writeFileSync(lock, JSON.stringify({ ...Object(record), startedAt: '1', token: 'stale' }));
    await openHost(folders);
    expect(readFileSync(lock, 'utf8')).not.toContain('stale');
  });

  it('is taken over by one of several that try, also when another one died trying', async () => {
    const folders = testFolders();
    const filesystem = await openHost(folders);
    const lock = lockOf(folders);
    const record: object = Object(JSON.parse(readFileSync(lock, 'utf8')));
    await filesystem[Symbol.asyncDispose]();
    const dead = { ...record, startedAt: '1', token: 'stale' };
    writeFileSync(lock, JSON.stringify(dead));
    writeFileSync(join(lock, '..', 'takeover-stale-0'), JSON.stringify({ ...dead, token: 'other' }));
    const started = await Promise.all([startHolder(folders), startHolder(folders), startHolder(folders)]);
    expect(started.filter(({ said }) => said === 'open')).toHaveLength(1);
    expect(started.filter(({ said }) => said.includes('"code":"filesystem-locked"'))).toHaveLength(2);
    for (const { holder, said } of started) {
      if (said !== 'open') continue;
      holder.kill('SIGKILL');
      await once(holder, 'exit');
    }
  });

  it('is respected when it is of another machine', async () => {
    const folders = testFolders();
    const filesystem = await openHost(folders);
    const lock = lockOf(folders);
    const record: unknown = JSON.parse(readFileSync(lock, 'utf8'));
    await filesystem[Symbol.asyncDispose]();
    writeFileSync(lock, JSON.stringify({ ...Object(record), host: 'elsewhere', pid: 999_999_999 }));
    expect(await expectCode(openHost(folders), 'filesystem-locked')).toContain('elsewhere');
  });

  it('gone, nothing can be read or written any more', async () => {
    const folders = testFolders({ a: 'x' });
    const filesystem = await openHost(folders);
    const fork = filesystem.fork();
    await fork.view.write('a', 'y');
    await filesystem[Symbol.asyncDispose]();
    await filesystem[Symbol.asyncDispose]();
    await expect(filesystem.read('a')).rejects.toBeInstanceOf(TransactionClosedError);
    await expect(fork.view.read('a')).rejects.toBeInstanceOf(TransactionClosedError);
    expect(() => filesystem.apply(fork.patch())).toThrow(TransactionClosedError);
    expect(readFileSync(join(folders.root, 'a'), 'utf8')).toBe('x');
  });
});
