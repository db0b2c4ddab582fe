import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { McpError, type McpSection, type McpSectionOptions, openMcpSection } from 'weakincentives/mcp';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { runtimeOf } from '../../../../support/mcp/memory-server.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

const program = fileURLToPath(new URL('../../../../support/mcp/child-server.mjs', import.meta.url));

type Options = Partial<Omit<McpSectionOptions, 'server'>>;

function open(
  args: readonly string[],
  options: Options = {},
  child: { readonly env?: Readonly<Record<string, string>>; readonly cwd?: string } = {},
): Promise<McpSection> {
  const server = { command: process.execPath, args: [program, ...args], ...child };
  return openMcpSection({ title: 'Child', key: 'child', server, ...options });
}

async function failure(work: Promise<unknown>): Promise<McpError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (McpError.isInstance(error)) return error;
  throw new Error(`no McpError: ${String(error)}`);
}

/** Listens for processes that hold a connection as long as they live. */
async function holder(): Promise<{ server: Server; port: number; held: Promise<readonly [Socket]> }> {
  const server = createServer();
  const held = once(server, 'connection') as Promise<[Socket]>; // What the event has.
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { server, port: address.port, held };
}

describe('a child', () => {
  it('has a clean environment, its arguments as they are, and its folder', async () => {
    process.env['SECRET_OF_THE_HOST'] = 'do not pass on';
    try {
      const env = { TOKEN: 'given', HOME: '/nowhere' };
      await using mounted = await open(['serve', 'a b', '$HOME;`x`'], {}, { env, cwd: tmpdir() });
      await using runtime = await runtimeOf(mounted);
      const variables: Record<string, string> = JSON.parse((await runtime.call('env')).text);
      expect(variables).toMatchObject({ ...env, PATH: process.env['PATH'] });
      // The last one finds what it has started.
      const allowed = new Set([
        'TOKEN',
        'PATH',
        'HOME',
        'TMPDIR',
        'LANG',
        'LC_ALL',
        'TZ',
        'WEAKINCENTIVES_STARTED_BY',
      ]);
      expect(Object.keys(variables).filter((name) => !allowed.has(name))).toEqual([]);
      expect((await runtime.call('arguments')).text).toBe('["a b","$HOME;`x`"]');
      expect((await runtime.call('cwd')).text).toBe(tmpdir());
    } finally {
      delete process.env['SECRET_OF_THE_HOST'];
    }
  });

  it.each([
    ['exit', { code: 3 }, 'ended with exit code 3 during the call'],
    ['kill', {}, 'was ended by the signal SIGKILL during the call'],
  ])('that ends in a call of %s fails the call, and is started again', async (name, params, words) => {
    await using mounted = await open(['serve']);
    await using runtime = await runtimeOf(mounted);
    const { text: first } = await runtime.call('pid');
    expect(await runtime.call(name, params)).toMatchObject({
      isError: true,
      text: expect.stringContaining(words),
    });
    const { text: second } = await runtime.call('pid');
    expect(second).toMatch(/^\d+$/);
    expect(second).not.toBe(first);
  });

  it('that cannot be found or executed is an error that says so', async () => {
    const server = (command: string): McpSectionOptions => ({ title: 'T', key: 'k', server: { command } });
    expect((await failure(openMcpSection(server('no-such-program-here')))).message).toBe(
      'The MCP server "k" (no-such-program-here) cannot be used: it could not be started: the program "no-such-program-here" was not found.',
    );
    expect((await failure(openMcpSection(server('node server.mjs')))).message).toMatch(
      /was not found; the command is one program, its arguments belong into args\.$/,
    );
    expect((await failure(openMcpSection(server(program)))).message).toMatch(
      /\(child-server\.mjs\).*the program "child-server\.mjs" cannot be executed\.$/,
    );
  });

  it('that ends at once is an error with its exit code; its words are for the log', async () => {
    const logger = recordingLogger();
    const error = await failure(open(['exit'], { logger }));
    expect(error).toMatchObject({
      code: 'mcp-unavailable',
      message: expect.stringMatching(/cannot be used: it ended with exit code 5\.$/),
    });
    const lines = logger.lines.filter(({ level }) => level === 'info').map(({ fields }) => fields['line']);
    expect(lines).toEqual(['cannot read \\u001b[31mits\\u001b[0m settings', 'unfinished']);
  });

  it('that does not answer is killed with its whole group', async () => {
    const clock = createManualClock();
    const { server, port, held } = await holder();
    const opening = open(['hang', String(port)], { clock, limits: { connectTimeoutMs: 700 } });
    const [socket] = await held;
    const closed = once(socket, 'close');
    clock.advance(700);
    expect((await failure(opening)).message).toMatch(/cannot be used: it did not answer within 700 ms\.$/);
    await closed;
    server.close();
  });

  it('is ended with what it has started when the section is disposed', async () => {
    const { server, port, held } = await holder();
    const mounted = await open(['serve']);
    await using runtime = await runtimeOf(mounted);
    const [[socket]] = await Promise.all([held, runtime.call('hold', { port })]);
    const pid = Number((await runtime.call('pid')).text);
    const closed = once(socket.resume(), 'close');
    await mounted[Symbol.asyncDispose]();
    await closed;
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    server.close();
  });

  it.runIf(process.platform === 'linux')(
    'is ended with what has left its group and its session',
    async () => {
      const { server, port, held } = await holder();
      const mounted = await open(['serve']);
      await using runtime = await runtimeOf(mounted);
      const [[socket]] = await Promise.all([held, runtime.call('hold', { port, isDetached: true })]);
      const closed = once(socket.resume(), 'close');
      await mounted[Symbol.asyncDispose]();
      await expect(closed).resolves.toBeDefined();
      server.close();
    },
  );

  it('writes to the log without the values of its variables', async () => {
    const logger = recordingLogger();
    const env = { SERVICE_KEY: 'k3y-of-the-service', MODE: 'fast' };
    await using mounted = await open(['serve'], { logger }, { env });
    await using runtime = await runtimeOf(mounted);
    await runtime.call('complain', { words: `refused ${env.SERVICE_KEY} in mode ${env.MODE}` });
    await mounted[Symbol.asyncDispose]();
    const lines = logger.lines.filter(({ level }) => level === 'info').map(({ fields }) => fields['line']);
    expect(lines).toEqual(['refused <SERVICE_KEY> in mode fast']);
  });

  it('may print other things than messages, of which the log gets a part and the model nothing', async () => {
    const logger = recordingLogger();
    await using mounted = await open(['serve'], { logger });
    await using runtime = await runtimeOf(mounted);
    expect(await runtime.call('noise', { lines: 3 })).toMatchObject({ isError: false, text: 'noisy' });
    await runtime.call('noise', { lines: 300 });
    await mounted[Symbol.asyncDispose]();
    const lines = logger.lines.filter(
      ({ message }) => message === 'An MCP server wrote to its standard error.',
    );
    expect(lines).toHaveLength(200);
    expect(lines.slice(0, 4).map(({ fields }) => fields['line'])).toEqual([
      'line 1\\u0007',
      'line 2\\u0007',
      'line 3\\u0007',
      'y'.repeat(1000),
    ]);
    const dropped = 'What an MCP server writes to its standard error is not logged any more.';
    expect(logger.lines.filter(({ message }) => message === dropped)).toHaveLength(1);
    const odd = logger.lines.filter(({ message }) => message === 'A line of an MCP server is not a message.');
    expect(odd).toHaveLength(4);
  });

  it('that sends too large a message is ended', async () => {
    await using mounted = await open(['serve']);
    await using runtime = await runtimeOf(mounted);
    expect(await runtime.call('large', { bytes: 5000 })).toMatchObject({ isError: false });
    expect(await runtime.call('large', { bytes: 34_000_000 })).toMatchObject({
      isError: true,
      text: expect.stringContaining('sent a message of more than 33,554,432 bytes during the call'),
    });
    expect(await runtime.call('large', { bytes: 10 })).toMatchObject({ isError: false });
  });

  it('speaks 2026-07-28 where it is asked to', async () => {
    for (const [mode, protocol] of [
      ['serve', 'auto'],
      ['modern', 'auto'],
      ['modern', '2026-07-28'],
    ] as const) {
      await using mounted = await open([mode], { protocol });
      await using runtime = await runtimeOf(mounted);
      expect(await runtime.call('arguments')).toMatchObject({ isError: false, text: '[]' });
    }
  });
});
