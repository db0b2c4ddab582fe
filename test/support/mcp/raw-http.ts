import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { McpToolServer } from 'weakincentives/mcp';

/** What a server answered. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** A request as no client of the SDK makes it. */
export interface RawRequest {
  readonly method?: string;
  /** Default: that of the server. */
  readonly path?: string;
  /** Over those of an ordinary request. Undefined: without it. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string;
}

type Server = Pick<McpToolServer, 'url' | 'tokens'>;

const addressOf = ({ url }: Server): { readonly port: number; readonly path: string } => {
  const { pathname, port } = new URL(url ?? '');
  return { port: Number(port), path: pathname };
};

/** The headers of an ordinary request. */
export const ordinaryHeaders = ({ tokens }: Server): Readonly<Record<string, string>> => ({
  accept: 'application/json, text/event-stream',
  authorization: `Bearer ${tokens[0]}`,
  'content-type': 'application/json',
});

/** Sends a request and reads its answer to the end. */
export function ask(
  server: Server,
  { method = 'POST', path, headers = {}, body }: RawRequest = {},
): Promise<RawAnswer> {
  const address = addressOf(server);
  const sent = Object.entries({ ...ordinaryHeaders(server), ...headers }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return new Promise((resolve, reject) => {
    const made = request(
      {
        host: '127.0.0.1',
        port: address.port,
        path: path ?? address.path,
        method,
        headers: Object.fromEntries(sent),
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          }),
        );
        response.on('error', reject);
      },
    );
    made.on('error', reject);
    made.end(body);
  });
}

/** A request of JSON-RPC as the body of a request of HTTP. */
export const message = (method: string, params: object = {}, id: number | string | null = 1): string =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === null ? {} : { id }), method, params });

/** What opens a session until 2025-11-25. */
export const initialize: string = message('initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'raw', version: '1.0.0' },
});

/** A connection on which a test writes what it likes. */
export interface RawConnection {
  readonly socket: Socket;
  /** Resolves with all that was received, once it holds this text. */
  received(text: string): Promise<string>;
}

export async function openConnection(server: Server): Promise<RawConnection> {
  const { port } = addressOf(server);
  const socket = connect({ host: '127.0.0.1', port });
  let all = '';
  const waiting: { readonly text: string; readonly resolve: (all: string) => void }[] = [];
  const settle = (): void => {
    for (const { text, resolve } of waiting) if (all.includes(text)) resolve(all);
  };
  socket.on('data', (chunk) => {
    all += chunk.toString('utf8');
    settle();
  });
  // A server may cut off what it does not want to read.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', resolve));
  return {
    socket,
    received: (text) =>
      new Promise((resolve) => {
        waiting.push({ text, resolve });
        settle();
      }),
  };
}

/** The head of a request, to be followed by any body. */
export function head(server: Server, headers: Readonly<Record<string, string>>): string {
  const { path, port } = addressOf(server);
  const lines = Object.entries({ host: `127.0.0.1:${port}`, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`POST ${path} HTTP/1.1`, ...lines, '', ''].join('\r\n');
}
