import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Filesystem, MemoryFilesystem } from 'weakincentives';
import {
  type Sandbox,
  type SandboxOutcome,
  type VirtualSandboxOptions,
  virtualSandbox,
} from 'weakincentives/sandbox';
import { deadlockMs } from '../support/deadlock.ts';

const files = { 'a.txt': 'one\n', 'd/b.txt': 'two\n' };
const binary = new Uint8Array(256).map((_, index) => index);

const open = (
  filesystem: Filesystem = new MemoryFilesystem({ files }),
  options?: VirtualSandboxOptions,
): Promise<Sandbox> => virtualSandbox(options).start({ filesystem });

async function run(command: string, options?: VirtualSandboxOptions): Promise<SandboxOutcome> {
  await using sandbox = await open(new MemoryFilesystem({ files }), options);
  // Below the limit of a test, so that what hangs is named.
  return await sandbox.exec({ command, timeoutMs: deadlockMs });
}

describe('files of the virtual shell', () => {
  it('keep every byte when they are copied, moved and piped', async () => {
    const filesystem = new MemoryFilesystem({ files: { bin: binary } });
    await using sandbox = await open(filesystem);
    await sandbox.exec({ command: 'cp bin c; cat bin >p; cat bin | tee t >/dev/null; mv bin m; cat c >>p' });
    await sandbox.collect();
    for (const path of ['c', 't', 'm']) expect(await filesystem.readBytes(path)).toStrictEqual(binary);
    expect(await filesystem.readBytes('p')).toStrictEqual(new Uint8Array([...binary, ...binary]));
  });

  it('have the modes and times that a command sets, which are reported and not kept', async () => {
    const filesystem = new MemoryFilesystem({ files });
    await using sandbox = await open(filesystem);
    const { stdout } = await sandbox.exec({
      command: 'printf "#!/bin/sh\\necho ran\\n" >x.sh; ./x.sh; chmod +x x.sh; mv x.sh y.sh; ./y.sh',
    });
    expect(stdout.text).toBe('ran\n');
    const dated = await sandbox.exec({ command: 'touch -d 2020-01-02 a.txt; ls -l a.txt; ./y.sh' });
    expect(dated.stdout.text).toMatch(/2020 a\.txt\nran\n$/);
    expect(await sandbox.collect()).toMatchObject({
      created: ['y.sh'],
      permissions: ['y.sh'],
      complete: true,
    });
  });

  it('have no links, which is said', async () => {
    const { exitCode, stderr } = await run('ln -s a.txt link');
    expect(exitCode).not.toBe(0);
    expect(stderr.text).toContain('symbolic links are not supported');
  });

  it.each([
    '../../etc/passwd',
    '/etc/passwd',
    '/workspace/../etc/passwd',
    '/proc/1/environ',
    '/tmp/../root/.ssh',
  ])('cannot be %s', async (path) => {
    const { exitCode, stdout } = await run(`cat ${path}; ls ${path}`);
    expect([exitCode === 0, stdout.text]).toStrictEqual([false, '']);
  });

  it('can have any name that a file system takes', async () => {
    const filesystem = new MemoryFilesystem();
    await using sandbox = await open(filesystem);
    const names = ['-rf', '*', 'new\nline', 'tab\t', ' ', "quo'te", '"', '$HOME', 'é', '...', '__proto__'];
    for (const name of names) {
      await sandbox.exec({ command: ['touch', '--', name] });
    }
    expect((await sandbox.collect()).created).toStrictEqual([...names].sort());
    const { exitCode } = await sandbox.exec({ command: ['touch', 'back\\slash'] });
    expect(exitCode).not.toBe(0);
  });

  it('in a missing directory end a script that redirects there', async () => {
    const { exitCode, stdout, stderr } = await run('echo x >no/f; echo on');
    expect([exitCode, stdout.text]).toStrictEqual([1, '']);
    expect(stderr.text).toContain('ENOENT');
  });

  it('over the limit are refused', async () => {
    const filesystem = new MemoryFilesystem();
    await using sandbox = await open(filesystem, { limits: { maxFileBytes: 1000 } });
    const { exitCode, stderr } = await sandbox.exec({ command: 'seq 1 1000 | tee big >/dev/null' });
    expect([exitCode === 0, (await filesystem.stat('big')) === undefined]).toStrictEqual([false, true]);
    expect(stderr.text).not.toBe('');
  });

  it('that were read and changed meanwhile are not overwritten by a collection', async () => {
    const filesystem = new MemoryFilesystem({ files });
    await using sandbox = await open(filesystem);
    await sandbox.exec({ command: 'sed -i s/one/1/ a.txt' });
    await filesystem.write('a.txt', 'other\n');
    await expect(sandbox.collect()).rejects.toMatchObject({ code: 'file-changed-on-disk' });
    expect((await filesystem.read('a.txt')).text).toBe('other\n');
  });

  it('count as read by the call only when a command reads them', async () => {
    const filesystem = new MemoryFilesystem({ files });
    const fork = filesystem.fork();
    await using sandbox = await open(fork.view);
    await sandbox.exec({ command: 'cat a.txt' });
    await sandbox.collect();
    const [other = ''] = Object.keys(files).filter((path) => path !== 'a.txt');
    await filesystem.write(other, 'changed by another call');
    expect(fork.conflicts()).toStrictEqual([]);
    await filesystem.write('a.txt', 'changed by another call');
    expect(fork.conflicts()).toStrictEqual(['file a.txt']);
    fork.dispose();
  });

  it('cannot be reached once the call has ended', async () => {
    const fork = new MemoryFilesystem({ files }).fork();
    await using sandbox = await open(fork.view);
    fork.dispose();
    await expect(sandbox.exec({ command: 'cat a.txt' })).rejects.toThrow();
  });

  it('of two sandboxes are apart, also in /tmp', async () => {
    const filesystem = new MemoryFilesystem({ files });
    await using left = await open(filesystem);
    await using right = await open(filesystem);
    await Promise.all([
      left.exec({ command: 'echo left >/tmp/x; echo left >a.txt' }),
      right.exec({ command: 'echo right >/tmp/x; echo right >a.txt' }),
    ]);
    expect((await left.exec({ command: 'cat /tmp/x a.txt' })).stdout.text).toBe('left\nleft\n');
    expect((await right.exec({ command: 'cat /tmp/x a.txt' })).stdout.text).toBe('right\nright\n');
  });
});

describe('a command of the virtual shell', () => {
  it('that runs out of memory ends like a killed one, and the sandbox continues with its files', async () => {
    await using sandbox = await open(undefined, { limits: { maxMemoryBytes: 67_108_864 } });
    const { exitCode, stderr } = await sandbox.exec({
      command:
        'echo kept >kept; echo note >/tmp/note; x=$(seq 1 100000); a=(); while :; do a+=("$x$RANDOM"); done',
    });
    expect(exitCode).toBe(137);
    expect(stderr.text).toContain('out of memory');
    expect((await sandbox.exec({ command: 'cat kept /tmp/note' })).stdout.text).toBe('kept\nnote\n');
  });

  it('that makes a string of more than a sixteenth of the memory is ended', async () => {
    const { exitCode, stderr } = await run('x=0123456789abcdef; while :; do x="$x$x"; done', {
      limits: { maxMemoryBytes: 67_108_864 },
    });
    expect(exitCode).toBe(126);
    expect(stderr.text).toContain('string length limit exceeded (4194304 bytes)');
  });

  it('that writes without end is ended, with the beginning and the end of its output', async () => {
    const { exitCode, stdout } = await run('seq 1 100000 >f; echo first; while :; do cat f; done');
    expect(exitCode).not.toBe(0);
    expect(stdout.text.startsWith('first\n')).toBe(true);
    expect(stdout.text.length).toBeLessThan(40_000);
  });

  it('that times out is ended, whatever it does, and the next one works', async () => {
    await using sandbox = await open();
    // Its thread is there, and the time of a command is its own.
    await sandbox.exec({ command: 'true' });
    for (const wait of ['while :; do :; done', 'sleep 1000', "awk 'BEGIN { while (1) i++ }'"]) {
      const outcome = await sandbox.exec({ command: `echo kept >>kept; ${wait}`, timeoutMs: 2_000 });
      expect(outcome).toMatchObject({ timedOut: true, exitCode: undefined });
    }
    expect((await sandbox.exec({ command: 'cat kept' })).stdout.text).toBe('kept\nkept\nkept\n');
  });

  it('sees no variable and no object of this process', async () => {
    const { stdout } = await run('env; echo "$0 $$ $PPID"; cat /proc/self/environ 2>/dev/null; true', {
      env: { GIVEN: 'x' },
    });
    expect(stdout.text).toContain('GIVEN=x\n');
    expect(stdout.text).not.toContain(String(process.pid));
    expect(stdout.text).not.toContain(process.cwd());
  });

  it.each(['git', 'node', 'python3', 'js-exec', 'curl', 'wget', 'nc', 'ssh', 'make'])(
    'does not find %s',
    async (name) => {
      expect((await run(`${name} --version`)).exitCode).toBe(127);
    },
  );
});

describe('the network of the virtual shell', () => {
  let server: Server;
  let origin = '';
  const seen: string[] = [];
  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(`${request.method} ${request.url}`);
      if (request.url === '/open/away') response.writeHead(302, { location: '/closed' }).end();
      else response.end('reached\n');
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  });
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const fetched = async (
    path: string,
    more: { readonly allowPrivateRanges?: boolean; readonly flags?: string } = {},
  ): Promise<readonly [number | undefined, string, readonly string[]]> => {
    seen.length = 0;
    const { allowPrivateRanges = true, flags = '' } = more;
    const { exitCode, stdout } = await run(`curl -s -L ${flags} ${origin}${path}`, {
      network: { allow: [`${origin}/open`], allowPrivateRanges },
    });
    return [exitCode, stdout.text, [...seen]];
  };

  it('reaches what is allowed, and nothing else', async () => {
    expect(await fetched('/open/x')).toStrictEqual([0, 'reached\n', ['GET /open/x']]);
    expect(await fetched('/closed')).toStrictEqual([7, '', []]);
    expect(await fetched('/opened')).toStrictEqual([7, '', []]);
  });

  it('does not follow a redirect elsewhere', async () => {
    const [exitCode, text, requests] = await fetched('/open/away');
    expect([exitCode === 0, text, requests]).toStrictEqual([false, '', ['GET /open/away']]);
  });

  it('does not send with a method that is not allowed', async () => {
    const [exitCode, , requests] = await fetched('/open/x', { flags: '-X POST -d data' });
    expect([exitCode === 0, requests]).toStrictEqual([false, []]);
  });

  it('does not reach this machine unless that is allowed, too', async () => {
    const [exitCode, , requests] = await fetched('/open/x', { allowPrivateRanges: false });
    expect([exitCode, requests]).toStrictEqual([7, []]);
  });

  it.each([
    [[]],
    [['example.com']],
    [['ftp://example.com']],
    [['https://user:word@example.com']],
    [['https://example.com/?x']],
  ])('refuses the addresses %j', (allow) => {
    expect(() => virtualSandbox({ network: { allow } })).toThrow(/network\.allow/);
  });
});

describe('the backend of the virtual shell', () => {
  it('without its package is unavailable, with the line to install it', async () => {
    // The build itself is where the peers are not installed.
    const path = new URL('../../dist/entries/sandbox.js', import.meta.url).href;
    // The same module as the installed one.
    const built = (await import(path)) as { readonly virtualSandbox: typeof virtualSandbox };
    const error = { code: 'sandbox-unavailable', message: expect.stringContaining('npm install just-bash@') };
    await expect(built.virtualSandbox().prepare()).rejects.toMatchObject(error);
    await expect(built.virtualSandbox().start({ filesystem: new MemoryFilesystem() })).rejects.toMatchObject(
      error,
    );
  });

  it('needs memory for the interpreter', () => {
    expect(() => virtualSandbox({ limits: { maxMemoryBytes: 1000 } })).toThrow('67108864');
  });
});
