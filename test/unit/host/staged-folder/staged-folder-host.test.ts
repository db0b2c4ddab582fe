import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStagedFolder } from 'weakincentives/node';
import { openHost, testFolders } from '../host-filesystem/host-workspace.ts';
import { tempFolder } from '../temp-folder.ts';
import { layers } from './staging-layers.ts';

describe.for(layers)('a folder of the disk as %s', ([layer, refusal]) => {
  describe.skipIf(refusal !== undefined)(refusal ?? 'is staged', () => {
    it('brings what a process changed to a folder of the disk, through the call', async () => {
      const folders = testFolders({ 'a.txt': 'one', 'run.sh': '#!/bin/sh', 'docs/b.md': 'two' });
      chmodSync(join(folders.root, 'run.sh'), 0o750);
      const filesystem = await openHost(folders);
      const fork = filesystem.fork();
      await fork.view.write('staged', 'only in the call');
      await using staged = await openStagedFolder(fork.view, { tempRoot: tempFolder(), layer });
      expect(staged).toMatchObject({ kind: layer, files: 4, leftOut: [] });
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
      fork.dispose();
      expect(readFileSync(join(folders.root, 'run.sh'), 'utf8')).toBe('#!/bin/sh\ntrue');
      expect(statSync(join(folders.root, 'run.sh')).mode & 0o777).toBe(0o750);
      expect((await filesystem.list()).map(({ path }) => path)).toEqual(['a.txt', 'new', 'run.sh', 'staged']);
    });

    it('has the permissions of what a call has written, copied and moved', async () => {
      const folders = testFolders({ 'run.sh': '#!/bin/sh', 'b.sh': 'b' });
      chmodSync(join(folders.root, 'run.sh'), 0o750);
      chmodSync(join(folders.root, 'b.sh'), 0o700);
      const fork = (await openHost(folders)).fork();
      await fork.view.write('run.sh', '#!/bin/sh\ntrue');
      await fork.view.copy('run.sh', 'again.sh');
      await fork.view.write('b.sh', 'c');
      await fork.view.move('b.sh', 'c.sh');
      await using staged = await openStagedFolder(fork.view, { tempRoot: tempFolder(), layer });
      const modes = ['run.sh', 'again.sh', 'c.sh'].map((path) => statSync(join(staged.path, path)).mode);
      expect(modes.map((mode) => mode & 0o777)).toEqual([0o750, 0o750, 0o700]);
      expect((await staged.collect()).permissions).toEqual([]);
    });

    it('leaves out what leads out and what cannot be read, and leaves it alone', async () => {
      const folders = testFolders({ 'a.txt': 'one', 'docs/b.md': 'two' });
      const inRoot = (path: string): string => join(folders.root, path);
      symlinkSync('nowhere', inRoot('dangling'));
      symlinkSync('/etc/passwd', inRoot('outside'));
      symlinkSync('../..', inRoot('docs/up'));
      execFileSync('mkfifo', [inRoot('pipe')]);
      const leftOut = ['dangling', 'docs/up', 'outside', 'pipe'];

      const filesystem = await openHost(folders);
      const fork = filesystem.fork();
      await using staged = await openStagedFolder(fork.view, { tempRoot: tempFolder(), layer });
      const at = (path: string): string => join(staged.path, path);
      expect(staged).toMatchObject({ kind: layer, files: 2, bytes: 6, leftOut });
      expect(readdirSync(staged.path)).toEqual(['a.txt', 'docs']);
      expect(readdirSync(at('docs'))).toEqual(['b.md']);
      expect(await staged.collect()).toMatchObject({
        created: [],
        modified: [],
        removed: [],
        complete: true,
      });

      // What a process puts in their places is not taken, also when it is asked for twice.
      writeFileSync(at('outside'), 'mine');
      mkdirSync(at('dangling'));
      writeFileSync(at('dangling/b.md'), 'mine');
      rmSync(at('docs'), { recursive: true });
      for (const removed of [['docs', 'docs/b.md'], []]) {
        const report = await staged.collect();
        expect(report).toMatchObject({ created: [], modified: [], removed });
        expect(report.skipped).toEqual(
          ['dangling', 'outside'].map((path) => ({ path, reason: 'not-staged' })),
        );
      }
      filesystem.apply(fork.patch());
      fork.dispose();
      for (const path of leftOut.filter((name) => name !== 'pipe')) {
        expect(lstatSync(inRoot(path)).isSymbolicLink()).toBe(true);
      }
      expect(lstatSync(inRoot('pipe')).isFIFO()).toBe(true);
      expect(readFileSync(inRoot('a.txt'), 'utf8')).toBe('one');
    });
  });
});
