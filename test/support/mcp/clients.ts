import { type CallToolResult, Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Prompt } from 'weakincentives';
import { type McpToolServer, type OpenMcpServerOptions, openMcpServer } from 'weakincentives/mcp';
import { streamPair } from './stream-transport.ts';

/** A way to reach a server: transport and era of the protocol. */
export interface Connection {
  readonly transport: 'stdio' | 'http';
  readonly era: 'legacy' | 'modern';
}

export const connections: readonly Connection[] = [
  { transport: 'stdio', era: 'legacy' },
  { transport: 'stdio', era: 'modern' },
  { transport: 'http', era: 'legacy' },
  { transport: 'http', era: 'modern' },
];

export const connectionName = ({ era, transport }: Connection): string => `${transport}, ${era}`;

/** A server with one client of the SDK. */
export interface ConnectedServer extends AsyncDisposable {
  readonly server: McpToolServer;
  readonly client: Client;
  call(name: string, args?: Record<string, unknown>): Promise<CallToolResult>;
  /** The client leaves without a word, as one that was killed. */
  leave(): Promise<void>;
}

/** Options of a client of the SDK. */
export type ClientOptions = NonNullable<ConstructorParameters<typeof Client>[1]>;

/** Options of a server without the transport. */
export type ServedOptions = Partial<Omit<OpenMcpServerOptions, 'transport'>>;

export async function connectServer(
  prompt: Prompt,
  connection: Connection,
  options: ServedOptions = {},
  clientOptions: ClientOptions = {},
): Promise<ConnectedServer> {
  const { transport } = connection;
  const named = { name: 'served', version: '1.2.3', ...options };
  if (transport === 'http') {
    const server = await openMcpServer(prompt, { ...named, transport: { kind: 'http' } });
    const client = await connectClient(server, connection.era, clientOptions);
    return connected(server, client, () => client.close());
  }
  const { client: end, input, output } = streamPair();
  const server = await openMcpServer(prompt, { ...named, transport: { kind: 'stdio', input, output } });
  const client = newClient(connection.era, clientOptions);
  await client.connect(end);
  return connected(server, client, async () => {
    input.end();
  });
}

/** How a client chooses its era; `auto`: it asks the server first. */
export type Negotiation = Connection['era'] | 'auto';

/** A further client of a server over HTTP. */
export async function connectClient(
  { tokens, url }: Pick<McpToolServer, 'tokens' | 'url'>,
  era: Negotiation,
  clientOptions: ClientOptions = {},
): Promise<Client> {
  const client = newClient(era, clientOptions);
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url ?? ''), {
      requestInit: { headers: { authorization: `Bearer ${tokens[0]}` } },
    }),
  );
  return client;
}

function newClient(era: Negotiation, options: ClientOptions): Client {
  const mode = era === 'modern' ? { pin: '2026-07-28' } : era;
  return new Client({ name: 'test', version: '1.0.0' }, { ...options, versionNegotiation: { mode } });
}

function connected(server: McpToolServer, client: Client, leave: () => Promise<void>): ConnectedServer {
  return {
    server,
    client,
    leave,
    call: (name, args = {}) => client.callTool({ name, arguments: args }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}
