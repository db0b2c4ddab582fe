import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryFilesystem } from 'weakincentives';
import { openStagedFolder, type StagedFolder, type StagedFolderOptions } from 'weakincentives/node';
import { expectCode } from '../../../contract/filesystem-setup.ts';
import { childProgram } from '../../../support/child-program.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { manifestOf } from '../../../support/tree-manifest.ts';
import { openHost, testFolders } from '../host-filesystem/host-workspace.ts';
import { tempFolder } from '../temp-folder.ts';
import { layers } from './staging-layers.ts';

const files = { 'a.txt': 'one\n', 'docs/b.md': 'two\n' };
const kinds = [['memory', undefined], ...layers] as const;

async function stage(kind: string, options: StagedFolderOptions = {}): Promise<StagedFolder> {
  const given = { tempRoot: tempFolder(), ...options };
  if (kind === 'memory') return openStagedFolder(new MemoryFilesystem({ files }), given);
  const filesystem = await openHost(testFolders(files));
  return openStagedFolder(filesystem, { ...given, layer: kind === 'overlay' ? 'overlay' : 'copy' });
}

/** The processes whose command lines have this in them. */
function running(marker: string): readonly number[] {
  return readdirSync('/proc').flatMap((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(marker)
        ? [Number(name)]
        : [];
    } catch {
      return [];
    }
  });
}

const isRunning = (marker: string): boolean => running(marker).length > 0;

/** A script that starts a process in a session of its own and continues once it runs. */
function leaving(command: string): string {
  return `setsid sh -c 'echo x >"$TMPDIR/up"; exec ${command}' & while [ ! -e "$TMPDIR/up" ]; do :; done`;
}

/** Waits for what is bound to come; the test's time limit is for when it does not. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

describe.for(kinds)('running a command in a folder staged from %s', ([kind, refusal]) => {
  describe.skipIf(refusal !== undefined)(refusal ?? 'works', () => {
    it('answers how it ended and what it said', async () => {
      await using staged = await stage(kind);
      expect(await staged.run('sh', ['-c', 'cat; echo two >&2; exit 3'], { input: 'one\n' })).toEqual({
        exitCode: 3,
        signal: undefined,
        timedOut: false,
        stdout: 'one\n',
        stderr: 'two\n',
        output: expect.stringMatching(/^(one\ntwo|two\none)\n$/),
        truncated: false,
      });
      expect(await staged.run('cat', ['b.md'], { cwd: 'docs' })).toMatchObject({
        exitCode: 0,
        output: 'two\n',
      });
      expect(await staged.run('sh', ['-c', 'kill -TERM $$'])).toMatchObject({
        exitCode: undefined,
        signal: 'SIGTERM',
        timedOut: false,
      });
    });

    it('takes arguments as they are', async () => {
      await using staged = await stage(kind);
      const odd = ['a b', '$HOME', '"; exit 9; "', '-n', '', '*'];
      const { stdout } = await staged.run(process.execPath, [
        '-p',
        'process.argv.slice(1).join("|")',
        '--',
        ...odd,
      ]);
      expect(stdout).toBe(`${odd.join('|')}\n`);
    });

    it.each([
      ['absent-command', 127],
      ['./a.txt', 126],
    ])('answers for %s as a shell does', async (command, exitCode) => {
      await using staged = await stage(kind);
      const outcome = await staged.run(command);
      expect(outcome).toMatchObject({ exitCode, stdout: '' });
      expect(outcome.stderr).toContain(command);
    });

    it('passes on nothing of the environment but what was asked for', async () => {
      process.env['WINK_TEST_SECRET'] = 'secret';
      await using staged = await stage(kind);
      const { stdout } = await staged.run(process.execPath, ['-p', 'JSON.stringify(process.env)'], {
        env: { LANG: 'C' },
      });
      const { PWD: _, OLDPWD: __, ...env } = JSON.parse(stdout);
      expect(env).toEqual({
        PATH: process.env['PATH'],
        LANG: 'C',
        TMPDIR: expect.stringContaining('wink-staged-'),
      });
      expect(await staged.run('sh', ['-c', 'echo x >"$TMPDIR/x"; cat "$TMPDIR/x"'])).toMatchObject({
        output: 'x\n',
      });
      expect(await staged.collect()).toMatchObject({ created: [], modified: [], removed: [] });
    });

    it('keeps the end of a long output, in whole characters', async () => {
      await using staged = await stage(kind);
      const script = 'i=0; while [ $i -lt 500 ]; do echo "é$i"; i=$((i+1)); done';
      const options = { maxOutputBytes: 17 };
      expect(await staged.run('sh', ['-c', script], options)).toMatchObject({
        stdout: '497\né498\né499\n',
        stderr: '',
        truncated: true,
      });
      expect(await staged.run('sh', ['-c', 'printf éé'], { maxOutputBytes: 3 })).toMatchObject({
        stdout: 'é',
      });
      await expectCode(staged.run('true', [], { maxOutputBytes: -1 }), 'argument-invalid');
    });

    it('does not say where the folder is', async () => {
      await using staged = await stage(kind);
      const { output } = await staged.run('sh', [
        '-c',
        'pwd; echo "$PWD/docs/b.md:1"; echo "<$PWD>"; echo "$PWD-2"',
      ]);
      expect(output).toMatch(/^\.\n\.\/docs\/b\.md:1\n<\.>\n\/.*-2\n$/);
    });

    it('ends it when its time is up', async () => {
      await using staged = await stage(kind);
      const clock = createManualClock();
      const run = staged.run('sh', ['-c', 'sleep 1000 & sleep 1000'], { timeoutMs: 50, clock });
      await until(() => clock.pending === 1);
      clock.advance(50);
      expect(await run).toMatchObject({ exitCode: undefined, signal: 'SIGKILL', timedOut: true });
      await expectCode(staged.run('true', [], { timeoutMs: 0 }), 'argument-invalid');
    });

    it('ends what it has left in the background', async () => {
      await using staged = await stage(kind);
      // With this clock, waiting for the outputs to close does not time out.
      const outcome = await staged.run('sh', ['-c', 'sleep 1000 & echo started'], {
        clock: createManualClock(),
      });
      expect(outcome).toMatchObject({ exitCode: 0, output: 'started\n' });
    });

    it('does not wait for what has left its group', async () => {
      await using staged = await stage(kind);
      const clock = createManualClock();
      const marker = `1002.${process.pid}`;
      const run = staged.run('sh', ['-c', `${leaving(`sleep ${marker}`)}; echo started`], { clock });
      await until(() => clock.pending === 1);
      clock.advance(500);
      expect(await run).toMatchObject({ exitCode: 0, output: 'started\n' });
      // It holds the outputs until then, however long that takes.
      for (const left of running(`sleep\0${marker}`)) process.kill(left, 'SIGKILL');
    });

    it('ends it with the reason of a signal: its own, or that of the folder', async () => {
      const outer = new AbortController();
      await using staged = await stage(kind, { signal: outer.signal });
      for (const controller of [new AbortController(), outer]) {
        const clock = createManualClock();
        const { signal } = controller;
        const run = staged.run('sleep', ['1000'], { signal, timeoutMs: 1, clock });
        await until(() => clock.pending === 1);
        controller.abort(new Error('enough'));
        await expect(run).rejects.toThrow('enough');
        await expect(staged.run('true', [], { signal })).rejects.toThrow('enough');
      }
    });

    it('ends it when the folder is disposed', async () => {
      const staged = await stage(kind);
      const clock = createManualClock();
      const run = expectCode(staged.run('sleep', ['1000'], { timeoutMs: 1, clock }), 'path-not-found');
      await until(() => clock.pending === 1);
      await staged[Symbol.asyncDispose]();
      expect(await run).toContain('disposed');
      expect(clock.pending).toBe(0);
    });

    it('starts in the folder or below it only', async () => {
      await using staged = await stage(kind);
      await expectCode(staged.run('true', [], { cwd: '../..' }), 'path-outside-root');
      await expectCode(staged.run('true', [], { cwd: 'absent' }), 'path-not-found');
      await expectCode(staged.run('true', [], { cwd: 'a.txt' }), 'path-not-found');
    });

    it('leaves the starting to others who want that', async () => {
      await using staged = await stage(kind);
      const { command, args, cwd } = staged.spawnArguments('sh', ['-c', 'echo new >made; cat docs/b.md']);
      const { stdout } = spawnSync(command, args, {
        cwd,
        env: { PATH: process.env['PATH'] },
        encoding: 'utf8',
      });
      expect(stdout).toBe('two\n');
      expect(await staged.collect()).toMatchObject({ created: ['made'] });
    });
  });
});

const kindChild = await childProgram('staged-kind-child');
const child = await childProgram('hold-staged-child');

describe.for(layers)('a process that is killed while it has a folder staged as %s', ([layer, refusal]) => {
  it.skipIf(refusal !== undefined)(
    refusal ?? 'leaves no mount, and what it leaves is removed next time',
    async () => {
      const folders = testFolders(files);
      const before = manifestOf(folders.root);
      const tempRoot = tempFolder();
      const marker = `1000.${process.pid}`;
      const args = [child, folders.root, folders.stateDirectory, tempRoot, layer, marker];
      const holding = spawn(process.execPath, [...args], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await once(holding.stdout, 'data');
      if (layer === 'overlay') await until(() => isRunning(`sleep\0${marker}`));

      // What belongs to a process that is alive stays.
      const other = await openStagedFolder(new MemoryFilesystem({ files }), { tempRoot });
      expect(readdirSync(tempRoot).length).toBe(2);
      holding.kill('SIGKILL');
      await once(holding, 'exit');
      await until(() => !isRunning(tempRoot) && !isRunning(`sleep\0${marker}`));
      expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(tempRoot);
      expect(manifestOf(folders.root)).toEqual(before);
      expect(readdirSync(tempRoot).length).toBe(2);

      const next = await openStagedFolder(await openHost(folders), { tempRoot, layer });
      expect(readdirSync(tempRoot).length).toBe(2);
      await next[Symbol.asyncDispose]();
      await other[Symbol.asyncDispose]();
      expect(readdirSync(tempRoot)).toEqual([]);
    },
  );
});

describe.skipIf(layers[1]?.[1] !== undefined)('an overlay', () => {
  it('ends with everything that was started in it', async () => {
    const staged = await stage('overlay');
    const marker = `1001.${process.pid}`;
    await staged.run('sh', ['-c', leaving(`sleep ${marker} >/dev/null 2>&1`)]);
    await until(() => isRunning(`sleep\0${marker}`));
    await staged[Symbol.asyncDispose]();
    expect(isRunning(`sleep\0${marker}`)).toBe(false);
  });

  const isSuperuser = process.getuid?.() === 0;
  it.skipIf(!isSuperuser)(
    'is not made of a folder that something is mounted in: /dev, for the superuser',
    async () => {
      const filesystem = await openHost({ root: '/dev', stateDirectory: tempFolder() });
      const refused = openStagedFolder(filesystem, { tempRoot: tempFolder(), layer: 'overlay' });
      expect(await expectCode(refused, 'filesystem-storage-failed')).toContain('mounted');
    },
  );
});

it('a folder is copied where there are no overlays', () => {
  const folders = testFolders(files);
  const report = (layer: string): string =>
    spawnSync(
      process.execPath,
      [kindChild, folders.root, folders.stateDirectory, tempFolder(), layer],
      // Nothing is found on this path, so nothing can be mounted.
      { env: { ...process.env, PATH: folders.root }, encoding: 'utf8' },
    ).stdout;
  expect(report('auto')).toBe('copy 127\n');
  expect(report('overlay')).toMatch(/^filesystem-storage-failed An overlay is not possible\./);
});
