import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { PromptOverrides } from 'weakincentives';
import { LocalOverridesStore } from 'weakincentives/node';
import { openStateFolder } from '../../../../src/host/lock/state-folder.ts';
import { lockInTime } from '../../../../src/host/overrides/local-overrides-store.ts';
import { childProgram } from '../../../support/child-program.ts';
import { asOrdinaryUser } from '../../../support/ordinary-user.ts';
import { openHost, type TestFolders, testFolders } from '../host-filesystem/host-workspace.ts';

const prompt = { ns: 'travel/desk', key: 'booking', name: 'Booking' };
const overrides = (text: string, tag = 'latest'): PromptOverrides => ({
  version: 1,
  ns: prompt.ns,
  key: prompt.key,
  tag,
  tools: { search: { contract: 'c', description: { text: 'b', hash: 'a' } } },
  sections: { guide: { body: { hash: 'h', text } } },
});
const file = join('travel', 'desk', 'booking', 'latest.json');

function open(folders: TestFolders = testFolders()): {
  readonly store: LocalOverridesStore;
  readonly folders: TestFolders;
} {
  return { store: new LocalOverridesStore(folders), folders };
}

const child = await childProgram('count-overrides');
function startCounting({ root, stateDirectory }: TestFolders, times: number): ChildProcess {
  return spawn(process.execPath, [child, root, stateDirectory, String(times)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

describe('overrides in files', () => {
  it('come back as they were kept, by prompt and tag', async () => {
    const { store } = open();
    expect(await store.load(prompt, 'latest')).toBeUndefined();
    expect(await store.tags(prompt)).toEqual([]);
    await store.save(overrides('one'));
    await store.save(overrides('two', 'team.b'));
    expect(await store.load(prompt, 'latest')).toEqual(overrides('one'));
    expect(await store.load(prompt, 'team.b')).toEqual(overrides('two', 'team.b'));
    expect(await store.load({ ...prompt, key: 'other' }, 'latest')).toBeUndefined();
    expect(await store.tags(prompt)).toEqual(['latest', 'team.b']);
    expect(await store.delete(prompt, 'latest')).toBe(true);
    expect(await store.delete(prompt, 'latest')).toBe(false);
    expect(await store.load(prompt, 'latest')).toBeUndefined();
  });

  it('are pretty JSON with sorted keys, so that a change of one text is a change of one line', async () => {
    const { store, folders } = open();
    await store.save(overrides('one\ntwo'));
    const text = readFileSync(join(folders.root, file), 'utf8');
    expect(text.endsWith('}\n')).toBe(true);
    expect(Object.keys(JSON.parse(text))).toEqual(['key', 'ns', 'sections', 'tag', 'tools', 'version']);
    await store.save(overrides('other'));
    const lines = text.split('\n');
    const changed = readFileSync(join(folders.root, file), 'utf8').split('\n');
    expect(changed.filter((line, index) => line !== lines[index])).toEqual(['        "text": "other"']);
    expect(readdirSync(join(folders.root, 'travel/desk/booking'))).toEqual(['latest.json']);
  });

  it('are stored in the repository of the working directory', () => {
    const { root } = testFolders({ 'repo/.git/HEAD': '', 'repo/packages/app/index.ts': '' });
    const store = new LocalOverridesStore({ workingDirectory: join(root, 'repo/packages/app') });
    expect(store.root).toBe(join(root, 'repo/.weakincentives/prompts/overrides'));
    mkdirSync(join(root, 'elsewhere'));
    expect(() => new LocalOverridesStore({ workingDirectory: '/' })).toThrow(
      expect.objectContaining({ code: 'overrides-storage-failed' }),
    );
  });

  it.each([
    ['overrides-corrupt', '{"version": 1,'],
    ['overrides-corrupt', ''],
    ['overrides-corrupt', '{"version":1}'],
    ['overrides-version-unsupported', '{"version":2}'],
    ['overrides-mismatched', JSON.stringify({ ...overrides('x'), key: 'other' })],
    ['overrides-mismatched', JSON.stringify(overrides('x', 'other'))],
  ])('are refused as %s and left as they are: %s', async (code, text) => {
    const { store, folders } = open(testFolders({ [file]: text }));
    const refusal = { code, details: { file }, message: expect.stringContaining(file) };
    await expect(store.load(prompt, 'latest')).rejects.toMatchObject(refusal);
    await expect(store.update(prompt, 'latest', () => overrides('new'))).rejects.toMatchObject(refusal);
    expect(readFileSync(join(folders.root, file), 'utf8')).toBe(text);
  });

  it.each(['../latest', 'a/b', '', '.hidden', 'UPPER', 'x'.repeat(65)])(
    'never leave their folder: %j',
    async (name) => {
      const { store } = open();
      await expect(store.load(prompt, name)).rejects.toMatchObject({ code: 'overrides-mismatched' });
      await expect(store.save({ ...overrides('x'), key: name })).rejects.toMatchObject({
        code: 'overrides-mismatched',
      });
      await expect(store.delete({ ...prompt, ns: `..${name}` }, 'latest')).rejects.toMatchObject({
        code: 'overrides-mismatched',
      });
    },
  );

  it('are not saved when they are none', async () => {
    const { store, folders } = open();
    const broken = { ...overrides('x'), sections: { guide: { body: { hash: 'h' } } } };
    // What a program without types could hand in.
    await expect(store.save(broken as unknown as PromptOverrides)).rejects.toMatchObject({
      code: 'overrides-corrupt',
    });
    expect(readdirSync(folders.root)).toEqual([]);
  });
});

describe('changes of overrides', () => {
  it('build on what is there, and none is lost however many come at once', async () => {
    const { store } = open();
    await store.save(overrides('0'));
    await Promise.all(
      Array.from({ length: 20 }, async () =>
        store.update(prompt, 'latest', (current) =>
          overrides(String(Number(current?.sections['guide']?.body?.text) + 1)),
        ),
      ),
    );
    expect((await store.load(prompt, 'latest'))?.sections['guide']?.body?.text).toBe('20');
  });

  it('change nothing when they throw, leave it, or give another prompt’s', async () => {
    const { store } = open();
    await store.save(overrides('kept'));
    const failure = new Error('changed my mind');
    await expect(
      store.update(prompt, 'latest', () => {
        throw failure;
      }),
    ).rejects.toBe(failure);
    expect(await store.update(prompt, 'latest', () => undefined)).toEqual(overrides('kept'));
    await expect(store.update(prompt, 'latest', () => overrides('x', 'other'))).rejects.toMatchObject({
      code: 'overrides-mismatched',
    });
    expect(await store.load(prompt, 'latest')).toEqual(overrides('kept'));
  });

  it('of several processes wait for each other', async () => {
    const { store, folders } = open();
    const children = Array.from({ length: 3 }, () => startCounting(folders, 20));
    await Promise.all(children.map(async (each) => once(each, 'exit')));
    const counted = await store.load({ ...prompt, ns: 'a/b', key: 'c' }, 'latest');
    expect(counted?.sections['counter']?.body?.text).toBe('60');
  });

  it('of a process that is killed leave the old or the new, and its lock is taken over', async () => {
    const { store, folders } = open();
    for (let round = 0; round < 2; round += 1) {
      const counting = startCounting(folders, 1_000_000);
      if (counting.stdout === null) throw new Error('no output');
      await once(counting.stdout, 'data');
      counting.kill('SIGKILL');
      await once(counting, 'exit');
      const left = await store.load({ ...prompt, ns: 'a/b', key: 'c' }, 'latest');
      expect(Number(left?.sections['counter']?.body?.text)).toBeGreaterThan(round);
    }
    await store.save(overrides('free'));
  });

  it('give up, by the number of the process that holds the files', async () => {
    const folders = testFolders();
    await openHost(folders);
    const stateFolder = openStateFolder(realpathSync(folders.root), folders.stateDirectory);
    await expect(lockInTime(stateFolder, 0)).rejects.toMatchObject({
      code: 'overrides-conflicting',
      message: expect.stringContaining(`Process ${process.pid}`),
    });
  });

  it('say so when nothing can be written', async () => {
    const { store, folders } = open();
    await asOrdinaryUser(join(folders.root, '..'), async () => {
      chmodSync(folders.root, 0o500);
      await expect(store.save(overrides('x'))).rejects.toMatchObject({
        code: 'overrides-storage-failed',
        message: expect.not.stringContaining(folders.root),
      });
      chmodSync(folders.root, 0o700);
    });
  });

  it('say so when something is in the way', async () => {
    const { store, folders } = open(testFolders({ travel: 'a file' }));
    await expect(store.save(overrides('x'))).rejects.toMatchObject({ code: 'overrides-storage-failed' });
    writeFileSync(join(folders.root, 'other'), '');
    expect(await store.load(prompt, 'latest')).toBeUndefined();
  });
});
