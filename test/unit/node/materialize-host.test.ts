import { execFileSync } from 'node:child_process';
import { chmodSync, lstatSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { materialize } from 'weakincentives/node';
import { openHost, testFolders } from './host-workspace.ts';
import { tempFolder } from './temp-folder.ts';

it('brings what a process changed to a folder of the disk, through the call', async () => {
  const folders = testFolders({ 'a.txt': 'one', 'run.sh': '#!/bin/sh', 'docs/b.md': 'two' });
  chmodSync(join(folders.root, 'run.sh'), 0o750);
  const filesystem = await openHost(folders);
  const fork = filesystem.fork();
  await fork.view.write('staged', 'only in the call');
  await using staged = await materialize(fork.view, { tempRoot: tempFolder() });
  expect(staged).toMatchObject({ files: 4, leftOut: [] });
  expect(readFileSync(join(staged.path, 'staged'), 'utf8')).toBe('only in the call');
  writeFileSync(join(staged.path, 'run.sh'), '#!/bin/sh\ntrue');
  writeFileSync(join(staged.path, 'new'), 'x');
  rmSync(join(staged.path, 'docs'), { recursive: true });
  expect(await staged.collect()).toMatchObject({
    created: ['new'],
    modified: ['run.sh'],
    removed: ['docs', 'docs/b.md'],
  });
  expect(readFileSync(join(folders.root, 'run.sh'), 'utf8')).toBe('#!/bin/sh');
  expect(fork.conflicts()).toEqual([]);
  filesystem.apply(fork.patch());
  fork.close();
  expect(readFileSync(join(folders.root, 'run.sh'), 'utf8')).toBe('#!/bin/sh\ntrue');
  expect(statSync(join(folders.root, 'run.sh')).mode & 0o777).toBe(0o750);
  expect((await filesystem.list()).map(({ path }) => path)).toEqual(['a.txt', 'new', 'run.sh', 'staged']);
});

it('leaves out links and what cannot be read, and leaves them alone', async () => {
  const folders = testFolders({ 'a.txt': 'one', 'docs/b.md': 'two' });
  const inRoot = (path: string): string => join(folders.root, path);
  symlinkSync('a.txt', inRoot('link.txt'));
  symlinkSync('docs', inRoot('linked'));
  symlinkSync('..', inRoot('docs/up'));
  symlinkSync('nowhere', inRoot('dangling'));
  symlinkSync('/etc/passwd', inRoot('outside'));
  execFileSync('mkfifo', [inRoot('pipe')]);
  const leftOut = ['dangling', 'docs/up', 'link.txt', 'linked', 'outside', 'pipe'];

  const filesystem = await openHost(folders);
  const fork = filesystem.fork();
  await using staged = await materialize(fork.view, { tempRoot: tempFolder() });
  const at = (path: string): string => join(staged.path, path);
  expect(staged).toMatchObject({ files: 2, bytes: 6, leftOut });
  expect(await staged.collect()).toMatchObject({ created: [], modified: [], removed: [], complete: true });

  // What a process puts in their places is not taken, also when it is asked for twice.
  writeFileSync(at('link.txt'), 'mine');
  execFileSync('mkdir', [at('linked')]);
  writeFileSync(at('linked/b.md'), 'mine');
  rmSync(at('docs'), { recursive: true });
  for (const removed of [['docs', 'docs/b.md'], []]) {
    const report = await staged.collect();
    expect(report).toMatchObject({ created: [], modified: [], removed });
    expect(report.skipped).toEqual(['link.txt', 'linked'].map((path) => ({ path, reason: 'not-staged' })));
  }
  filesystem.apply(fork.patch());
  fork.close();
  for (const path of leftOut.filter((name) => name !== 'pipe')) {
    expect(lstatSync(inRoot(path)).isSymbolicLink()).toBe(true);
  }
  expect(lstatSync(inRoot('pipe')).isFIFO()).toBe(true);
  expect(readFileSync(inRoot('a.txt'), 'utf8')).toBe('one');
});
