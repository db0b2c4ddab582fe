import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { Gate } from '../gate.ts';

/** An HTTP server on a port of its own. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  /** The requests so far. */
  readonly requests: readonly IncomingMessage[];
  /** Ends all connections, as a crash does. */
  cut(): void;
}

export type HttpHandler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export async function openHttp(handle: HttpHandler): Promise<HttpServer> {
  const requests: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    requests.push(request);
    void handle(request, response);
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // It listens on a port.
  const { port } = server.address() as AddressInfo;
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    cut,
    [Symbol.asyncDispose]: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** A handler for requests of the web as one of Node. */
export function webHandler(fetchAnswer: (request: Request) => Promise<Response>): HttpHandler {
  const handle = toNodeHandler({ fetch: fetchAnswer });
  // The SDK's type of a request lacks what Node leaves undefined.
  return (request, response) => handle(request as Parameters<typeof handle>[0], response);
}

/** A server of the protocols up to 2025-11-25 with one session at a time, which it may forget. */
export interface SessionServer {
  readonly handle: HttpHandler;
  /** How many sessions have begun, and how many their clients have ended. */
  readonly begun: number;
  readonly ended: number;
  forget(status?: number): void;
}

/** @param waits what calls of the tool `wait` wait for. */
export function sessionServer(waits: Gate): SessionServer {
  let transport: WebStandardStreamableHTTPServerTransport | undefined;
  const counts = { begun: 0, ended: 0 };
  let unknownStatus = 404;
  const begin = async (): Promise<WebStandardStreamableHTTPServerTransport> => {
    counts.begun += 1;
    const id = `session-${counts.begun}`;
    const made = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => {
        counts.ended += 1;
      },
    });
    await servedTools(waits).connect(made);
    return made;
  };
  const fetchSession = async (request: Request): Promise<Response> => {
    const session = request.headers.get('mcp-session-id');
    if (session === null && request.method === 'POST') transport = await begin();
    if (transport === undefined || (session !== null && session !== transport.sessionId)) {
      return Response.json(
        { jsonrpc: '2.0', error: { code: -32_001, message: 'Session not found' }, id: null },
        { status: unknownStatus },
      );
    }
    return transport.handleRequest(request);
  };
  return {
    handle: webHandler(fetchSession),
    get begun() {
      return counts.begun;
    },
    get ended() {
      return counts.ended;
    },
    forget: (status = 404) => {
      unknownStatus = status;
      transport = undefined;
    },
  };
}

/** A server of the SDK with tools for tests of transports. */
export function servedTools(waits: Gate): McpServer {
  const server = new McpServer({ name: 'http', version: '1.0.0' });
  const text = (value: string): { content: { type: 'text'; text: string }[] } => ({
    content: [{ type: 'text', text: value }],
  });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, ({ text: value }) =>
    text(value),
  );
  server.registerTool('large', { inputSchema: z.object({ bytes: z.number() }) }, ({ bytes }) =>
    text('x'.repeat(bytes)),
  );
  server.registerTool('wait', { inputSchema: z.object({}) }, async () => {
    await waits.pass();
    return text('waited');
  });
  return server;
}
