import { createServer, type Socket } from 'node:net';
import type { McpServer as AcpMcpServer } from '@agentclientprotocol/sdk';
import { describeError } from '../../core/error/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { Logger } from '../../core/tool/index.ts';
import type { HarnessTools } from '../kit/index.ts';
import {
  CallEvents,
  loadServerSdk,
  loadStdioSdk,
  openHttpServer,
  randomId,
  ServedSession,
} from '../mcp/index.ts';

/** The tools of a run, where an agent reaches them. */
export interface ToolEndpoint extends AsyncDisposable {
  /** How the agent is asked to connect. */
  readonly server: AcpMcpServer;
}

/** What the tools are served with. */
export interface ToolEndpointOptions {
  readonly tools: HarnessTools;
  /** Name of the server for the agent. */
  readonly serverName: string;
  readonly clock: Clock;
  readonly logger: Logger;
}

const host = '127.0.0.1';
const version = '1.0.0';

/**
 * Serves the tools to an agent that connects over HTTP, on 127.0.0.1 with a random token.
 *
 * @throws {MissingPeerError} when a package of the Model Context Protocol is not installed.
 */
export async function openHttpTools(options: ToolEndpointOptions): Promise<ToolEndpoint> {
  const { clock, logger, serverName } = options;
  const sdk = await loadServerSdk();
  const served = serveTools(sdk, options);
  const endpoint = await openHttpServer({
    sdk,
    transport: {},
    clock,
    logger,
    open: async () => served.session(),
  });
  const [token = ''] = endpoint.tokens;
  return {
    server: {
      type: 'http',
      name: serverName,
      url: endpoint.url,
      headers: [{ name: 'Authorization', value: `Bearer ${token}` }],
    },
    [Symbol.asyncDispose]: async () => {
      await endpoint.close();
      served.end();
    },
  };
}

/** A child of the agent that connects its standard input and output with a socket. The token is in its environment, which other users cannot read. */
const relay = `const s=require('node:net').connect(Number(process.env.WINK_PORT),'${host}',()=>s.write(process.env.WINK_TOKEN+'\\n'));process.stdin.pipe(s);s.pipe(process.stdout);s.on('close',()=>process.exit())`;

/**
 * Serves the tools to an agent that starts servers as its children, which every agent does: the child is a Node that connects to this process.
 *
 * @throws {MissingPeerError} when a package of the Model Context Protocol is not installed.
 */
export async function openRelayedTools(options: ToolEndpointOptions): Promise<ToolEndpoint> {
  const { logger, serverName } = options;
  const [sdk, stdio] = await Promise.all([loadServerSdk(), loadStdioSdk()]);
  const served = serveTools(sdk, options);
  const token = randomId();
  const connections = new Set<() => Promise<void>>();
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', (error) =>
      logger.debug('A connection of the agent failed.', { error: describeError(error) }),
    );
    afterToken(socket, token, () => {
      const session = served.session();
      const handle = stdio.serveStdio(() => session.createServer(), {
        transport: new stdio.StdioServerTransport(socket, socket),
        onerror: (error) =>
          logger.debug('A message of the agent was refused.', { error: describeError(error) }),
      });
      const close = async (): Promise<void> => {
        connections.delete(close);
        await handle.close().catch(() => undefined);
      };
      connections.add(close);
      socket.once('close', () => void close());
    });
  });
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(0, host, resolve);
  });
  const address = listener.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    server: {
      name: serverName,
      command: process.execPath,
      args: ['-e', relay],
      env: [
        { name: 'WINK_PORT', value: String(port) },
        { name: 'WINK_TOKEN', value: token },
      ],
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all([...connections].map((close) => close()));
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => {
        listener.close(() => resolve());
      });
      served.end();
    },
  };
}

/** Calls back once the first line of a connection is the token; any other line ends the connection. */
function afterToken(socket: Socket, token: string, connected: () => void): void {
  let line = '';
  const read = (): void => {
    for (let byte = socket.read(1); byte !== null; byte = socket.read(1)) {
      // One byte at a time: what follows the line is a message.
      const character = String(byte);
      if (character === '\n') {
        socket.off('readable', read);
        if (line === token) connected();
        else socket.destroy();
        return;
      }
      line += character;
      if (line.length > token.length) {
        socket.destroy();
        return;
      }
    }
  };
  socket.on('readable', read);
}

/** Sessions that all serve the tools of the run. */
function serveTools(
  sdk: Awaited<ReturnType<typeof loadServerSdk>>,
  { clock, logger, serverName, tools }: ToolEndpointOptions,
): { readonly session: () => ServedSession; readonly end: () => void } {
  const events = new CallEvents();
  const end = tools.onEvent(events.onEvent);
  return {
    // The instructions reach the model with the first message.
    session: () =>
      ServedSession.of(
        sdk,
        { runtime: tools, events },
        { name: serverName, version, instructions: '', clock, logger },
      ),
    end,
  };
}
