import { createMcpHandler, type McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it } from 'vitest';
import {
  McpError,
  type McpSection,
  type McpSectionOptions,
  type McpToolsChange,
  openMcpSection,
} from 'weakincentives/mcp';
import { gate } from '../../../../support/gate.ts';
import {
  type HttpHandler,
  openHttp,
  servedTools,
  sessionServer,
  webHandler,
} from '../../../../support/mcp/http-server.ts';
import { runtimeOf } from '../../../../support/mcp/memory-server.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';

type Options = Partial<Omit<McpSectionOptions, 'server'>>;

function open(
  url: string,
  options: Options = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<McpSection> {
  return openMcpSection({ title: 'Web', key: 'web', server: { url, headers }, ...options });
}

async function failure(work: Promise<unknown>): Promise<McpError> {
  const error: unknown = await work.catch((reason: unknown) => reason);
  if (McpError.isInstance(error)) return error;
  throw new Error(`no McpError: ${String(error)}`);
}

const authorized =
  (handle: HttpHandler): HttpHandler =>
  (request, response) => {
    if (request.headers.authorization === 'Bearer right') return handle(request, response);
    response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('who are you?');
    return undefined;
  };

describe('a server over HTTP', () => {
  it('gets the headers with every request, and its session is ended', async () => {
    const session = sessionServer(gate());
    await using http = await openHttp(authorized(session.handle));
    const mounted = await open(http.url, { protocol: 'legacy' }, { Authorization: 'Bearer right' });
    await using runtime = await runtimeOf(mounted);
    expect(await runtime.call('echo', { text: 'hello' })).toMatchObject({ isError: false, text: 'hello' });
    await mounted[Symbol.asyncDispose]();
    expect(session).toMatchObject({ begun: 1, ended: 1 });
    expect(new Set(http.requests.map(({ headers }) => headers.authorization))).toEqual(
      new Set(['Bearer right']),
    );
  });

  it.each(['auto', 'legacy'] as const)(
    'that answers 401 is an error with the line that helps (%s)',
    async (protocol) => {
      await using http = await openHttp(authorized(sessionServer(gate()).handle));
      const { origin } = new URL(http.url);
      const error = await failure(open(http.url, { protocol }, { Authorization: 'Bearer wrong' }));
      expect(error).toMatchObject({
        code: 'mcp-unauthorized',
        message: `The MCP server "web" (${origin}) answered 401: it wants credentials, or others than it got. Send them with the server's "headers": { "Authorization": "Bearer …" }. OAuth is not supported.`,
      });
    },
  );

  it('that refuses the credentials later fails the call', async () => {
    const session = sessionServer(gate());
    let isOpen = true;
    const handle: HttpHandler = (request, response) => {
      if (isOpen) return session.handle(request, response);
      response.writeHead(401).end();
      return undefined;
    };
    await using http = await openHttp(handle);
    const logger = recordingLogger();
    await using mounted = await open(http.url, { logger });
    await using runtime = await runtimeOf(mounted);
    isOpen = false;
    expect(await runtime.call('echo', { text: 'a' })).toMatchObject({
      isError: true,
      text: 'The MCP server "web" refuses the credentials that it is sent. Continue without it.',
    });
    expect(logger.lines).toContainEqual({
      level: 'error',
      message: expect.stringContaining('"headers": { "Authorization"'),
      fields: { server: 'web' },
    });
  });

  it('of 2026-07-28 is found, without a session', async () => {
    const handler = createMcpHandler(() => servedTools(gate()));
    await using http = await openHttp(webHandler((request) => handler.fetch(request)));
    for (const protocol of ['auto', '2026-07-28'] as const) {
      await using mounted = await open(http.url, { protocol });
      await using runtime = await runtimeOf(mounted);
      expect(await runtime.call('echo', { text: 'new' })).toMatchObject({ isError: false, text: 'new' });
    }
    const versions = http.requests.map(({ headers }) => headers['mcp-protocol-version']);
    expect(new Set(versions)).toEqual(new Set(['2026-07-28']));
  });

  it('of 2026-07-28 says when its tools have changed, also on a stream that was cut', async () => {
    let description = '1';
    const served = (): McpServer => {
      const server = servedTools(gate());
      server.registerTool('told', { description }, () => ({ content: [] }));
      return server;
    };
    const handler = createMcpHandler(served);
    const listening = gate();
    const serve = webHandler((request) => handler.fetch(request));
    await using http = await openHttp(async (request, response) => {
      if (request.headers['mcp-method'] === 'subscriptions/listen')
        response.once('close', () => listening.open());
      await serve(request, response);
    });
    const changes: McpToolsChange[] = [];
    const noticed = gate();
    await using mounted = await open(http.url, {
      onListChanged: async (change) => {
        changes.push(change);
        await noticed.pass();
        return false;
      },
    });
    await using runtime = await runtimeOf(mounted);
    noticed.open();
    description = '2';
    handler.notify.toolsChanged();
    await noticed.reached;
    expect(await runtime.call('told')).toMatchObject({
      isError: true,
      text: expect.stringContaining('has changed'),
    });
    description = '1';
    http.cut();
    await listening.pass();
    // Once the client has noticed, too, it reads the tools again before it calls one.
    while ((await runtime.call('told')).isError);
    expect(changes.map(({ changed }) => changed)).toEqual([['told']]);
  });

  it.each([404, 400, 410])(
    'may forget the session: it is begun anew, and the call made (%d)',
    async (status) => {
      const session = sessionServer(gate());
      await using http = await openHttp(session.handle);
      await using mounted = await open(http.url, { protocol: 'legacy' });
      await using runtime = await runtimeOf(mounted);
      session.forget(status);
      expect(await runtime.call('echo', { text: 'again' })).toMatchObject({ isError: false, text: 'again' });
      expect(session.begun).toBe(2);
    },
  );

  it('may refuse a call with 400 in a session that it knows, which is not begun anew', async () => {
    const session = sessionServer(gate());
    let isRefusing = false;
    await using http = await openHttp((request, response) => {
      if (request.method !== 'POST' || !isRefusing) return session.handle(request, response);
      isRefusing = false;
      response.writeHead(400).end('bad arguments');
      return undefined;
    });
    await using mounted = await open(http.url, { protocol: 'legacy' });
    await using runtime = await runtimeOf(mounted);
    isRefusing = true;
    expect(await runtime.call('echo', { text: 'a' })).toMatchObject({
      isError: true,
      text: expect.stringContaining('HTTP status 400'),
    });
    expect(await runtime.call('echo', { text: 'b' })).toMatchObject({ isError: false, text: 'b' });
    expect(session.begun).toBe(1);
  });

  it('that is cut off in a call fails the call at once, and is connected to again', async () => {
    const inside = gate();
    const session = sessionServer(inside);
    await using http = await openHttp(session.handle);
    await using mounted = await open(http.url, { protocol: 'legacy' });
    await using runtime = await runtimeOf(mounted);
    const call = runtime.call('wait');
    await inside.reached;
    http.cut();
    expect(await call).toMatchObject({
      isError: true,
      text: expect.stringContaining('during the call. Whether it has done'),
    });
    inside.open();
    expect(await runtime.call('echo', { text: 'back' })).toMatchObject({ isError: false, text: 'back' });
    expect(session.begun).toBe(2);
  });

  it('that is not there, or is something else, is an error', async () => {
    const gone = await openHttp((_request, response) => void response.end());
    await gone[Symbol.asyncDispose]();
    expect(await failure(open(gone.url))).toMatchObject({
      code: 'mcp-unavailable',
      message: expect.stringMatching(/cannot be used: it could not be reached \(ECONNREFUSED\)\.$/),
    });
    await using other = await openHttp((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/html' }).end('<p>secret page</p>');
    });
    const error = await failure(open(other.url, { protocol: 'legacy' }));
    expect(error.message).toMatch(/cannot be used: it answered with the HTTP status 404\.$/);
  });

  it('may redirect within its origin, and not away from it', async () => {
    const session = sessionServer(gate());
    let stolen = 0;
    await using elsewhere = await openHttp((_request, response) => {
      stolen += 1;
      response.end();
    });
    await using http = await openHttp((request, response) => {
      if (request.url === '/mcp') return session.handle(request, response);
      const location = request.url === '/away' ? elsewhere.url : '/mcp';
      response.writeHead(307, { location }).end();
      return undefined;
    });
    await using mounted = await open(http.url.replace('/mcp', '/near'), { protocol: 'legacy' });
    expect(mounted.tools).toHaveLength(3);
    const away = open(http.url.replace('/mcp', '/away'), { protocol: 'legacy' }, { Authorization: 'secret' });
    expect((await failure(away)).message).toMatch(
      /it answered with the HTTP status 307, and redirects to another origin are not followed\.$/,
    );
    expect(stolen).toBe(0);
  });

  it.each([true, false])(
    'may not answer with too large a message (as a stream of events: %s)',
    async (isStream) => {
      const session = sessionServer(gate());
      const handler = createMcpHandler(() => servedTools(gate()));
      const plain = webHandler((request) => handler.fetch(request));
      await using http = await openHttp(isStream ? session.handle : plain);
      const protocol = isStream ? 'legacy' : '2026-07-28';
      await using mounted = await open(http.url, { protocol });
      await using runtime = await runtimeOf(mounted);
      expect(await runtime.call('large', { bytes: 15_000 })).toMatchObject({ isError: false });
      expect(await runtime.call('large', { bytes: 15_000 })).toMatchObject({ isError: false });
      expect(await runtime.call('large', { bytes: 34_000_000 })).toMatchObject({
        isError: true,
        text: expect.stringContaining('sent a message of more than 33,554,432 bytes'),
      });
      expect(await runtime.call('large', { bytes: 10 })).toMatchObject({ isError: false });
    },
  );
});
