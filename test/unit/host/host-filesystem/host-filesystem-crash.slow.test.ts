import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { childProgram } from '../../../support/child-program.ts';
import { commitChanges, treeBefore } from '../../../support/host-commit.ts';
import { openHost, type TestFolders, testFolders } from './host-workspace.ts';

const child = await childProgram('host-commit-child');

/** Everything below a folder, hidden and temporary files included: kind, permissions and content by path. */
function treeOf(folder: string, prefix = ''): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stats = lstatSync(path);
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isDirectory()) {
      found[`${prefix}${name}/`] = mode;
      Object.assign(found, treeOf(path, `${prefix}${name}/`));
    } else {
      found[`${prefix}${name}`] = stats.isSymbolicLink()
        ? readlinkSync(path)
        : `${mode} ${readFileSync(path, 'hex')}`;
    }
  }
  return found;
}

/** Runs the commit in a process that kills itself before a moment; says whether it was killed. */
async function commitUntil({ root, stateDirectory }: TestFolders, killAt: number): Promise<boolean> {
  const started = spawn(process.execPath, [child, root, stateDirectory, String(killAt)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [status, signal] = await once(started, 'exit');
  if (signal === null && status !== 0) throw new Error(`the child ended with ${String(status)}`);
  return signal === 'SIGKILL';
}

/** Calls back for each item, three at a time: the processes mostly wait for their start. */
async function forEachAtOnce<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values();
  const work = async (): Promise<void> => {
    for (const item of waiting) await act(item);
  };
  await Promise.all([work(), work(), work()]);
}

describe('a process that is killed while it commits', () => {
  const failpoints: string[] = [];
  const complete = testFolders(treeBefore, afterAll);
  const before = treeOf(complete.root);
  const changes = commitChanges(complete, (failpoint) => failpoints.push(failpoint));
  const after = treeOf(complete.root);

  const expectWhole = async (folders: TestFolders, expected: object, killed: string): Promise<void> => {
    const filesystem = await openHost(folders);
    expect(treeOf(folders.root), killed).toEqual(expected);
    const left = readdirSync(folders.stateDirectory, { recursive: true }).map(String);
    expect(
      left.filter((name) => name.includes('commit-')),
      killed,
    ).toEqual([]);
    // From its rows the commit is done again, wherever it was killed.
    expect(filesystem['~land']?.(changes), killed).toMatchObject({ outside: [] });
    expect(treeOf(folders.root), killed).toEqual(after);
    // And what was left works.
    await filesystem.write('other/untouched.txt', 'again');
    expect(readFileSync(join(folders.root, 'other/untouched.txt'), 'utf8')).toBe('again');
    await filesystem[Symbol.asyncDispose]();
  };

  it('would have made every kind of step', () => {
    expect(failpoints.filter((failpoint) => failpoint === 'do').length).toBeGreaterThan(12);
    expect(failpoints).toEqual(
      expect.arrayContaining([
        'begin',
        'stage',
        'ready',
        'staged',
        'swap',
        'done',
        'clear',
        'remove-journal',
      ]),
    );
    expect(Object.keys(after)).toEqual(
      expect.arrayContaining([
        'made/new/file.txt',
        'deep/moved/b/c.txt',
        'renamed.txt',
        'copied/untouched.txt',
        'empty/',
      ]),
    );
    expect(after).not.toHaveProperty('folder/');
  });

  it('leaves the old or the new tree to the next one, whenever it is killed', async () => {
    await forEachAtOnce([...failpoints.entries()], async ([index, failpoint]) => {
      const folders = testFolders(treeBefore);
      expect(await commitUntil(folders, index)).toBe(true);
      const isDone = failpoint === 'clear' || failpoint === 'remove-journal';
      await expectWhole(folders, isDone ? after : before, `killed at ${index} (${failpoint})`);
    });
  });

  it('leaves to its rows what they need when its state folder is gone, and loses nothing', async () => {
    await forEachAtOnce([...failpoints.entries()], async ([index, failpoint]) => {
      const folders = testFolders(treeBefore);
      expect(await commitUntil(folders, index)).toBe(true);
      const filesystem = await openHost({ ...folders, stateDirectory: `${folders.stateDirectory}-other` });
      const killed = `killed at ${index} (${failpoint})`;
      const report = filesystem['~land']?.(changes);
      const tree = treeOf(folders.root);
      // A file that was moved with its folder, and not yet replaced there: as neither side of the commit says, so it is left and named.
      const left = report?.outside.filter((path) => !path.includes('.wink-')) ?? [];
      const kept = Object.values(treeBefore).map((text) => Buffer.from(text).toString('hex'));
      for (const path of left) expect(kept, `${path}, ${killed}`).toContain(tree[path]?.split(' ')[1]);
      const others = (all: Readonly<Record<string, string>>): object =>
        Object.fromEntries(
          Object.entries(all).filter(([path]) => !path.includes('.wink-') && !left.includes(path)),
        );
      expect(others(tree), killed).toEqual(others(after));
      await filesystem[Symbol.asyncDispose]();
    });
  });

  it('also does so when the restoring process is killed repeatedly', async () => {
    const folders = testFolders(treeBefore);
    expect(await commitUntil(folders, failpoints.indexOf('done'))).toBe(true);
    for (const undone of [0, 3, 7, 11, 14, 18]) expect(await commitUntil(folders, undone)).toBe(true);
    await expectWhole(folders, before, 'killed while restoring');
  });
});
