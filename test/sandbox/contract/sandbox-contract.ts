import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem } from 'weakincentives';
import { openHostFilesystem } from 'weakincentives/node';
import { type Sandbox, type SandboxBackend, SandboxError } from 'weakincentives/sandbox';
import { type SandboxSubject, suiteName } from './sandbox-subject.ts';

const files = {
  'a.txt': 'one\n',
  'src/main.txt': 'main\n',
  'src/deep/er/file.bin': new Uint8Array([0, 255, 10, 13, 128]),
  'crlf.txt': 'x\r\ny\r\n',
};

/** The content of a file system: every file by path. */
async function contentOf(filesystem: Filesystem): Promise<Record<string, string>> {
  const { paths } = await filesystem.glob('**');
  const entries = paths.map(async (path) => {
    const bytes = await filesystem.readBytes(path);
    return [path, Buffer.from(bytes).toString('latin1')] as const;
  });
  return Object.fromEntries(await Promise.all(entries));
}

const started = async (
  backend: SandboxBackend,
  filesystem: Filesystem,
  signal?: AbortSignal,
): Promise<Sandbox> => backend.start({ filesystem, signal });

/** What every sandbox backend promises. */
export function sandboxContract(subject: SandboxSubject): void {
  const { isInterpreter, skip } = subject;
  const backend = skip === undefined ? subject.open() : undefined;
  const open = (filesystem: Filesystem, signal?: AbortSignal): Promise<Sandbox> => {
    if (backend === undefined) throw new Error('The suite is skipped.');
    return started(backend, filesystem, signal);
  };
  const run = async (script: string, filesystem: Filesystem = new MemoryFilesystem({ files })) => {
    await using sandbox = await open(filesystem);
    return await sandbox.exec({ command: script });
  };

  describe.skipIf(skip !== undefined)(suiteName('the contract', subject), () => {
    describe('the view', () => {
      it('has the files that the sandbox was started with, byte for byte', async () => {
        const { stdout, exitCode } = await run(
          'cat a.txt src/main.txt; wc -c <src/deep/er/file.bin; od -An -t x1 crlf.txt',
        );
        expect(exitCode).toBe(0);
        expect(stdout.text.replaceAll(/ +/g, ' ').trim()).toBe('one\nmain\n5\n 78 0d 0a 79 0d 0a');
      });

      it('has what a fork has written, and not what others write later', async () => {
        const filesystem = new MemoryFilesystem({ files });
        const fork = filesystem.fork();
        await fork.view.write('new.txt', 'from the fork');
        await using sandbox = await open(fork.view);
        await filesystem.write('a.txt', 'changed outside');
        const { stdout } = await sandbox.exec({ command: 'cat new.txt; cat a.txt' });
        expect(stdout.text).toBe('from the forkone\n');
      });

      it('stays the same for the next command, with what the one before wrote', async () => {
        await using sandbox = await open(new MemoryFilesystem({ files }));
        await sandbox.exec({
          command: 'echo two >>a.txt; mkdir made; echo x >made/x; echo kept >/tmp/note || true',
        });
        const { stdout } = await sandbox.exec({ command: 'cat a.txt made/x' });
        expect(stdout.text).toBe('one\ntwo\nx\n');
      });

      it('is at /workspace, where a command begins', async () => {
        expect((await run('pwd')).stdout.text).toBe('/workspace\n');
      });

      it('has files of skills at /skills, which cannot be changed and are not collected', async () => {
        if (backend === undefined) return;
        const filesystem = new MemoryFilesystem();
        const skills = new MemoryFilesystem({ files: { 'pdf/fill.sh': 'echo filled >out.txt\n' } });
        await using sandbox = await backend.start({ filesystem, skills });
        const { exitCode, stderr } = await sandbox.exec({ command: 'sh /skills/pdf/fill.sh' });
        expect(exitCode, stderr.text).toBe(0);
        const written = await sandbox.exec({
          command: 'echo x >/skills/pdf/fill.sh || rm /skills/pdf/fill.sh',
        });
        expect(written.exitCode).not.toBe(0);
        expect(await sandbox.collect()).toMatchObject({ created: ['out.txt'] });
        expect(await contentOf(filesystem)).toEqual({ 'out.txt': 'filled\n' });
        expect(await contentOf(skills)).toEqual({ 'pdf/fill.sh': 'echo filled >out.txt\n' });
      });

      it('is of one sandbox alone', async () => {
        const filesystem = new MemoryFilesystem({ files });
        await using left = await open(filesystem);
        await using right = await open(filesystem);
        await left.exec({ command: 'echo left >side' });
        expect((await right.exec({ command: 'cat side' })).exitCode).not.toBe(0);
      });
    });

    describe('changes', () => {
      it.each([
        ['nothing', 'true'],
        ['contents', 'echo two >>a.txt; echo new >b.txt; printf "a\\r\\n" >crlf.txt'],
        ['removals', 'rm -r src a.txt'],
        ['moves', 'mv a.txt moved.txt; mv src elsewhere'],
        ['a file in the place of a directory', 'rm -r src; echo file >src'],
        ['a directory in the place of a file', 'rm a.txt; mkdir a.txt; echo in >a.txt/in'],
        ['truncation', ': >a.txt'],
        ['empty directories', 'mkdir -p empty/er'],
      ])('of %s are in the file system only once they are collected', async (_what, script) => {
        const filesystem = new MemoryFilesystem({ files });
        const before = await contentOf(filesystem);
        await using sandbox = await open(filesystem);
        const { exitCode, stderr } = await sandbox.exec({ command: script });
        expect([exitCode, stderr.text]).toStrictEqual([0, '']);
        expect(await contentOf(filesystem)).toStrictEqual(before);
        const listed = await sandbox.exec({ command: 'find . -type f | sort' });
        const report = await sandbox.collect();
        expect(report.complete).toBe(true);
        const after = await contentOf(filesystem);
        expect(
          Object.keys(after)
            .map((path) => `./${path}`)
            .sort()
            .join('\n'),
        ).toBe(listed.stdout.text.trim());
      });

      it('are reported by what they are', async () => {
        const filesystem = new MemoryFilesystem({ files });
        await using sandbox = await open(filesystem);
        await sandbox.exec({ command: 'echo two >>a.txt; echo new >b.txt; rm crlf.txt' });
        const { created, modified, removed } = await sandbox.collect();
        expect({ created, modified, removed }).toStrictEqual({
          created: ['b.txt'],
          modified: ['a.txt'],
          removed: ['crlf.txt'],
        });
        expect(await contentOf(filesystem)).toMatchObject({ 'a.txt': 'one\ntwo\n', 'b.txt': 'new\n' });
      });

      it('are collected once, and then only what is new', async () => {
        const filesystem = new MemoryFilesystem({ files });
        await using sandbox = await open(filesystem);
        await sandbox.exec({ command: 'echo new >b.txt' });
        expect((await sandbox.collect()).created).toStrictEqual(['b.txt']);
        await sandbox.exec({ command: 'echo new >c.txt' });
        const { created, modified } = await sandbox.collect();
        expect([created, modified]).toStrictEqual([['c.txt'], []]);
      });

      it('are gone with the sandbox when they are not collected', async () => {
        const filesystem = new MemoryFilesystem({ files });
        const before = await contentOf(filesystem);
        await run('rm -rf * ; echo x >y', filesystem);
        expect(await contentOf(filesystem)).toStrictEqual(before);
      });

      it('land in a folder on disk, which is untouched before', async () => {
        const root = mkdtempSync(join(tmpdir(), 'wink-sandbox-host-'));
        try {
          writeFileSync(join(root, 'a.txt'), 'one\n');
          await using filesystem = await openHostFilesystem({ root });
          await using sandbox = await open(filesystem);
          const outcome = await sandbox.exec({ command: 'echo two >>a.txt; mkdir d; echo b >d/b.txt' });
          expect([outcome.exitCode, outcome.stderr.text]).toStrictEqual([0, '']);
          expect([readdirSync(root), readFileSync(join(root, 'a.txt'), 'utf8')]).toStrictEqual([
            ['a.txt'],
            'one\n',
          ]);
          await sandbox.collect();
          expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
          expect(readFileSync(join(root, 'd/b.txt'), 'utf8')).toBe('b\n');
        } finally {
          rmSync(root, { recursive: true });
        }
      });
    });

    describe('a command', () => {
      it.each([
        ['true', 0],
        ['false', 1],
        ['exit 42', 42],
        ['no-such-program', 127],
      ])('%s ends with %i', async (script, exitCode) => {
        expect(await run(script)).toMatchObject({ exitCode, timedOut: false, signal: undefined });
      });

      it('that is a list is not interpreted by a shell', async () => {
        await using sandbox = await open(new MemoryFilesystem());
        const { stdout } = await sandbox.exec({ command: ['echo', '$HOME; ls', '`id`', "it's", 'a  b'] });
        expect(stdout.text).toBe("$HOME; ls `id` it's a  b\n");
      });

      it('gets its input', async () => {
        await using sandbox = await open(new MemoryFilesystem());
        const { stdout } = await sandbox.exec({ command: 'wc -c', stdin: 'é'.repeat(20_000) });
        expect(stdout.text.trim()).toBe('40000');
      });

      it('gets an empty input by default', async () => {
        expect((await run('cat; echo end')).stdout.text).toBe('end\n');
      });

      it('can open its input and outputs by name', async () => {
        await using sandbox = await open(new MemoryFilesystem());
        const { stdout, stderr } = await sandbox.exec({
          command: 'cat /dev/stdin >/dev/stdout; echo err >/dev/stderr',
          stdin: 'in',
        });
        expect([stdout.text, stderr.text]).toStrictEqual(['in', 'err\n']);
      });

      it('keeps both outputs apart', async () => {
        const { stdout, stderr } = await run('echo out; echo err >&2');
        expect([stdout.text, stderr.text]).toStrictEqual(['out\n', 'err\n']);
      });

      it('has no environment but the usual variables and the named ones', async () => {
        await using sandbox = await open(new MemoryFilesystem());
        const { stdout } = await sandbox.exec({ command: 'env', env: { NAMED: "it's $x", OTHER: '' } });
        const lines = stdout.text.trim().split('\n');
        expect(lines).toContain("NAMED=it's $x");
        expect(lines).toContain('OTHER=');
        // Of this process there is always one variable besides PATH.
        const names = lines.map((line) => line.slice(0, line.indexOf('=')));
        const leaked = Object.keys(process.env).filter((name) => names.includes(name));
        const usual = ['PATH', 'HOME', 'PWD', 'OLDPWD', 'SHLVL', '_', 'TMPDIR', 'LANG', 'HOSTNAME', 'TERM'];
        expect(leaked.filter((name) => !usual.includes(name))).toStrictEqual([]);
      });

      it('runs in the directory that it names', async () => {
        await using sandbox = await open(new MemoryFilesystem({ files }));
        expect((await sandbox.exec({ command: 'pwd; cat main.txt', cwd: 'src' })).stdout.text).toBe(
          '/workspace/src\nmain\n',
        );
      });

      it.each([
        ['a missing directory', { command: 'true', cwd: 'nowhere' }],
        ['a directory outside', { command: 'true', cwd: '../..' }],
        ['no command', { command: '' }],
        ['an empty list', { command: [] }],
        ['a NUL character', { command: 'echo a\0b' }],
        ['a bad name of a variable', { command: 'true', env: { 'A-B': 'x' } }],
        ['a NUL in a variable', { command: 'true', env: { A: 'x\0' } }],
        ['a time limit of 0', { command: 'true', timeoutMs: 0 }],
        ['a fraction of a byte', { command: 'true', maxOutputBytes: 1.5 }],
      ])('with %s is refused, and the sandbox continues', async (_what, command) => {
        await using sandbox = await open(new MemoryFilesystem());
        const error: unknown = await sandbox.exec(command).catch((thrown: unknown) => thrown);
        expect(SandboxError.isInstance(error) && error.code).toBe('sandbox-command-invalid');
        expect((await sandbox.exec({ command: 'echo on' })).stdout.text).toBe('on\n');
      });

      it('has the beginning and the end of its output kept', async () => {
        await using sandbox = await open(new MemoryFilesystem());
        const { stdout } = await sandbox.exec({
          command: 'echo first; seq 1 100000; echo last',
          maxOutputBytes: 200,
        });
        expect(stdout.totalBytes).toBe(588_906);
        expect(stdout.omittedBytes).toBe(588_706);
        expect(stdout.text).toMatch(
          /^first\n1\n[^]*\n\[588706 of 588906 bytes omitted\]\n[^]*100000\nlast\n$/,
        );
      });

      it('tells that it writes', async () => {
        await using sandbox = await open(new MemoryFilesystem());
        let pieces = 0;
        await sandbox.exec({ command: 'echo out; echo err >&2', onOutput: () => (pieces += 1) });
        expect(pieces).toBeGreaterThan(0);
      });

      it('that does not end is killed when its time is up', async () => {
        await using sandbox = await open(new MemoryFilesystem({ files }));
        const outcome = await sandbox.exec({ command: 'echo began; while :; do :; done', timeoutMs: 1500 });
        expect(outcome).toMatchObject({ exitCode: undefined, timedOut: true });
      });

      it('is killed by an abort, which its promise rejects with', async () => {
        const controller = new AbortController();
        const reason = new Error('enough');
        await using sandbox = await open(new MemoryFilesystem({ files }), controller.signal);
        const running = sandbox.exec({
          command: 'echo began; while :; do :; done',
          onOutput: () => controller.abort(reason),
        });
        await expect(running).rejects.toBe(reason);
        await expect(sandbox.exec({ command: 'true' })).rejects.toBe(reason);
      });

      it('is killed by the disposal of its sandbox', async () => {
        const sandbox = await open(new MemoryFilesystem({ files }));
        const outcome = new Promise((resolve) => {
          const running = sandbox.exec({
            command: 'echo began; while :; do :; done',
            onOutput: () => void sandbox[Symbol.asyncDispose](),
          });
          running.catch(resolve);
        });
        expect(await outcome).toMatchObject({ code: 'sandbox-disposed' });
        await expect(sandbox.collect()).rejects.toMatchObject({ code: 'sandbox-disposed' });
        await sandbox[Symbol.asyncDispose]();
      });

      it('waits for the one before', async () => {
        await using sandbox = await open(new MemoryFilesystem());
        const commands = [1, 2, 3].map((n) =>
          sandbox.exec({ command: `cat log 2>/dev/null; echo ${n} >>log` }),
        );
        expect((await Promise.all(commands)).map(({ stdout }) => stdout.text)).toStrictEqual([
          '',
          '1\n',
          '1\n2\n',
        ]);
      });

      it.skipIf(isInterpreter)(
        'is the last of its processes: the others are killed, and counted',
        async () => {
          await using sandbox = await open(new MemoryFilesystem());
          const outcome = await sandbox.exec({
            command: '(sleep 1000; echo late >late) & (setsid sleep 1000 >/dev/null 2>&1 &) ; echo done',
          });
          expect(outcome.stdout.text).toBe('done\n');
          expect(outcome.killedProcesses).toBeGreaterThanOrEqual(2);
          expect((await sandbox.exec({ command: 'ls' })).stdout.text).toBe('');
        },
      );
    });

    describe('the machine', () => {
      it('has no file that a command can read', async () => {
        const root = mkdtempSync(join(tmpdir(), 'wink-sandbox-secret-'));
        try {
          const secret = join(root, 'secret');
          writeFileSync(secret, 'the secret of this machine');
          const { stdout, stderr } = await run(
            [
              `cat ${secret}`,
              `cat /proc/1/root${secret}`,
              `cat ../../../../..${secret}`,
              `ln -s ${secret} link && cat link`,
              'cat /proc/*/environ',
            ].join('; '),
          );
          expect(stdout.text + stderr.text).not.toContain('secret of this machine');
          expect(stdout.text).not.toContain(`PWD=${process.cwd()}`);
        } finally {
          rmSync(root, { recursive: true });
        }
      });

      it('has no file that a command can write or remove', async () => {
        const root = mkdtempSync(join(tmpdir(), 'wink-sandbox-target-'));
        try {
          writeFileSync(join(root, 'kept'), 'kept');
          await run(
            `echo x >${root}/new; rm -rf ${root}; echo x >/usr/wink-sandbox; echo x >/wink-sandbox; true`,
          );
          expect(readdirSync(root)).toStrictEqual(['kept']);
          expect(readdirSync('/')).not.toContain('wink-sandbox');
          expect(readdirSync('/usr')).not.toContain('wink-sandbox');
        } finally {
          rmSync(root, { recursive: true });
        }
      });

      it('has no server that a command can reach', async () => {
        let connections = 0;
        const server = createServer((socket) => {
          connections += 1;
          socket.end('reached');
        });
        await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
        try {
          const address = server.address();
          const port = typeof address === 'object' && address !== null ? address.port : 0;
          await run(
            [
              `wget -q -O- http://127.0.0.1:${port}/`,
              `nc -w 1 127.0.0.1 ${port} </dev/null`,
              `bash -c 'echo x >/dev/tcp/127.0.0.1/${port}'`,
              `curl -s --max-time 2 http://127.0.0.1:${port}/`,
              `node -e 'require("net").connect(${port}, "127.0.0.1").on("error", () => {})'`,
              'true',
            ].join('; '),
          );
          expect(connections).toBe(0);
        } finally {
          await new Promise((resolve) => server.close(resolve));
        }
      });

      it('is not followed to by a link that a command leaves', async () => {
        const filesystem = new MemoryFilesystem({ files });
        await using sandbox = await open(filesystem);
        await sandbox.exec({
          command: 'ln -s /etc/passwd planted; rm a.txt; ln -s /etc/hostname a.txt; ln -s / root; true',
        });
        await sandbox.collect();
        const content = await contentOf(filesystem);
        expect(Object.keys(content)).not.toContain('planted');
        expect(Object.values(content).join('')).not.toContain('root:');
      });
    });

    describe('the backend', () => {
      it('can be prepared any number of times', async () => {
        if (backend === undefined) throw new Error('The suite is skipped.');
        await using first = await backend.prepare();
        await using second = await backend.prepare();
        void first;
        void second;
        expect((await run('echo prepared')).stdout.text).toBe('prepared\n');
      });

      it('refuses a limit that it does not enforce', () => {
        const capabilities = backend?.capabilities;
        const lacking = Object.entries(capabilities?.limits ?? {}).filter(([, scope]) => scope === 'none');
        expect(lacking.length).toBeGreaterThan(0);
        for (const [name] of lacking) {
          expect(() => subject.open({ limits: { [name]: 1000 } })).toThrow(name);
        }
      });

      it('does not start for a signal that is aborted', async () => {
        const reason = new Error('too late');
        await expect(open(new MemoryFilesystem(), AbortSignal.abort(reason))).rejects.toBe(reason);
      });
    });
  });
}
