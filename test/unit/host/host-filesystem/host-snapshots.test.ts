import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { KeptContents } from '../../../../src/host/host-filesystem/tree/kept-contents.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

const large = (letter: string): string => letter.repeat(100_000);

/** Names of the contents that are kept beside the journal. */
function keptContents({ stateDirectory }: TestFolders): readonly string[] {
  return readdirSync(stateDirectory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /kept\/./.test(name),
  );
}

async function collectUntil(isDone: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  for (let round = 0; round < 1000 && !isDone(); round += 1) {
    collect();
    await setImmediate();
  }
}

describe('a snapshot of a folder', () => {
  it('brings back what was replaced, moved and removed since, with its permissions', async () => {
    const folders = testFolders({
      'large.txt': large('a'),
      'small.txt': 'small',
      'tool/run.sh': large('#'),
      'tool/empty': '',
    });
    const run = join(folders.root, 'tool/run.sh');
    chmodSync(run, 0o750);
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot('the start');
    await filesystem.write('large.txt', 'replaced');
    await filesystem.write('large.txt', 'again');
    await filesystem.remove('small.txt');
    await filesystem.move('tool', 'moved');
    await filesystem.remove('moved', { recursive: true });
    await filesystem.restore(start);
    expect(readFileSync(join(folders.root, 'large.txt'), 'utf8')).toBe(large('a'));
    expect(readFileSync(join(folders.root, 'small.txt'), 'utf8')).toBe('small');
    expect(readFileSync(run, 'utf8')).toBe(large('#'));
    expect(statSync(run).mode & 0o777).toBe(0o750);
    expect(readdirSync(join(folders.root, 'tool')).sort()).toEqual(['empty', 'run.sh']);
  });

  it.each(['apply', 'flush'] as const)(
    'brings back a folder with everything in it, written on %s',
    async (writeOn) => {
      const names = Array.from({ length: 70 }, (_, index) => `big/${index % 7}/${index}`);
      const folders = testFolders(Object.fromEntries(names.map((name, index) => [name, `${index}`])));
      const big = join(folders.root, 'big');
      chmodSync(big, 0o750);
      const filesystem = await openHost({ ...folders, writeOn });
      await using start = await filesystem.snapshot();
      await filesystem.remove('big', { recursive: true });
      filesystem.flush();
      expect(readdirSync(folders.root)).toEqual([]);
      await filesystem.restore(start);
      expect((await filesystem.readBytes('big/1/1')).length).toBe(1);
      filesystem.flush();
      for (const [index, name] of names.entries())
        expect(readFileSync(join(folders.root, name), 'utf8')).toBe(`${index}`);
      expect(statSync(big).mode & 0o777).toBe(0o750);
    },
  );

  it('costs a change nothing when there is none', async () => {
    const folders = testFolders({ 'd/large.txt': large('a') });
    const filesystem = await openHost(folders);
    await filesystem.remove('d', { recursive: true });
    expect(readdirSync(folders.stateDirectory, { recursive: true, encoding: 'utf8' })).not.toContainEqual(
      expect.stringMatching(/kept$/),
    );
  });

  it('brings back a file that is too large to be read or held in memory', async () => {
    const folders = testFolders({ 'video.bin': new Uint8Array(50_000_000).fill(7) });
    const filesystem = await openHost({ ...folders, maxFileBytes: 1000 });
    await using start = await filesystem.snapshot();
    await filesystem.remove('video.bin');
    await filesystem.restore(start);
    const data = readFileSync(join(folders.root, 'video.bin'));
    expect(data.length).toBe(50_000_000);
    expect(data.every((byte) => byte === 7)).toBe(true);
  });

  it('keeps each content once, and only of what has changed', async () => {
    const folders = testFolders({
      'one.txt': large('a'),
      'two.txt': large('a'),
      'three.txt': large('b'),
      'untouched.txt': large('c'),
    });
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot();
    expect(keptContents(folders)).toEqual([]);
    for (const name of ['one.txt', 'two.txt', 'three.txt']) await filesystem.write(name, 'new');
    expect(keptContents(folders)).toHaveLength(2);
    await filesystem.restore(start);
    expect(readFileSync(join(folders.root, 'two.txt'), 'utf8')).toBe(large('a'));
  });

  it('lets go of what it kept once it is released, or the folder is closed', async () => {
    const folders = testFolders({ 'one.txt': large('a'), 'two.txt': large('b') });
    const filesystem = await openHost(folders);
    {
      await using _released = await filesystem.snapshot();
      await filesystem.write('one.txt', 'new');
    }
    expect(keptContents(folders)).toHaveLength(1);
    await collectUntil(() => keptContents(folders).length === 0);
    expect(keptContents(folders)).toEqual([]);

    await filesystem.snapshot();
    await filesystem.write('two.txt', 'new');
    expect(keptContents(folders)).toHaveLength(1);
    await filesystem[Symbol.asyncDispose]();
    expect(keptContents(folders)).toEqual([]);
  });

  it('finds nothing of what a killed process kept', async () => {
    const folders = testFolders({ 'one.txt': '1' });
    await (await openHost(folders))[Symbol.asyncDispose]();
    const [state = ''] = readdirSync(join(folders.stateDirectory, 'workspaces'));
    const kept = join(folders.stateDirectory, 'workspaces', state, 'kept');
    mkdirSync(kept);
    writeFileSync(join(kept, 'left'), 'behind');
    await openHost(folders);
    expect(keptContents(folders)).toEqual([]);
  });

  it('holds no more than 64 MiB of small contents in memory, counted until they are let go', async () => {
    const kept = new KeptContents(join(testFolders().stateDirectory, 'state'));
    const holders: object[] = [];
    const fill = (): number => {
      for (let taken = 0; ; taken += 1) {
        const holder = {};
        if (!kept.reserveMemory(16_384, holder)) return taken;
        holders.push(holder);
      }
    };
    expect(kept.reserveMemory(16_385, {})).toBe(false);
    expect(fill()).toBe(4096);
    holders.length = 0;
    let isFree = false;
    await collectUntil(() => {
      isFree ||= kept.reserveMemory(16_384, {});
      return isFree;
    });
    expect(isFree).toBe(true);
  });

  it('says so when the content could not be kept, and changes nothing', async () => {
    const folders = testFolders({ 'one.txt': large('a') });
    const filesystem = await openHost(folders);
    await using start = await filesystem.snapshot();
    const [state = ''] = readdirSync(join(folders.stateDirectory, 'workspaces'));
    // A file where the folder for kept contents would have to be.
    writeFileSync(join(folders.stateDirectory, 'workspaces', state, 'kept'), '');
    await filesystem.write('one.txt', 'new');
    await expect(filesystem.restore(start)).rejects.toMatchObject({ code: 'file-changed-on-disk' });
    expect(readFileSync(join(folders.root, 'one.txt'), 'utf8')).toBe('new');
  });
});
