import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ViewerPage } from './viewer-page.ts';

/** The header that carries the token. Other sites cannot send it without being asked for permission, which is never granted. */
export const tokenHeader = 'x-wink-token';

/** How many pages may read at once. */
const maxReaders = 16;

/** Sends rows until the record has no more to come, or the signal is aborted; `send` resolves when more can be taken. */
export type SendRows = (send: (bytes: Uint8Array) => Promise<void>, signal: AbortSignal) => Promise<void>;

export interface FollowServer {
  /** The address with the token in its fragment, which a browser sends to no server. */
  readonly address: string;
  /** Ends every connection. */
  close(): Promise<void>;
}

/**
 * Serves the page and the rows of a record on this machine.
 *
 * What is to be kept out: other users of the machine, who can connect to the port; pages of other sites in the user's browser, which can make it send
 * requests here, also by a name of their own that they resolve to 127.0.0.1. So the server listens on 127.0.0.1 only; every request has to name
 * exactly this address as its host, and no other origin; rows need a random token that only the address holds; and nothing but GET is answered. The
 * page itself holds no data. It may not be framed, and nothing is kept in a cache.
 */
export async function startFollowServer(page: ViewerPage, rows: SendRows): Promise<FollowServer> {
  const token = randomBytes(24).toString('base64url');
  let host = '';
  const readers = new Set<AbortController>();
  // Only for a page that follows: loading it loads the whole of fetch.
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?', 1)[0];
    for (const [name, value] of Object.entries(headersOf(page))) response.setHeader(name, value);
    if (!isOwn(request, host)) return refuse(response, 403, 'Only this address is served.');
    if (request.method !== 'GET') {
      response.setHeader('allow', 'GET');
      return refuse(response, 405, 'Only GET is answered.');
    }
    if (path === '/') {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.end(page.head + page.tail);
      return undefined;
    }
    if (path !== '/rows') return refuse(response, 404, 'There is nothing here.');
    if (!isToken(request.headers[tokenHeader], token)) return refuse(response, 401, 'The token is missing.');
    if (readers.size >= maxReaders) return refuse(response, 503, 'Too many pages read this record.');
    const reader = new AbortController();
    readers.add(reader);
    response.once('close', () => reader.abort());
    try {
      await sendRows(response, rows, reader.signal);
    } finally {
      readers.delete(reader);
    }
    return undefined;
  }

  await listen(server);
  // It listens on an address of the Internet Protocol.
  const { port } = server.address() as AddressInfo;
  host = `127.0.0.1:${port}`;
  return {
    address: `http://${host}/#token=${token}`,
    close: () =>
      new Promise((resolve) => {
        for (const reader of readers) reader.abort();
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

function headersOf(page: ViewerPage): Readonly<Record<string, string>> {
  return {
    'cache-control': 'no-store',
    'content-security-policy': `${page.policy}; frame-ancestors 'none'`,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
  };
}

/** Whether a request was made for this address, and by a page of it or by no page at all. */
function isOwn({ headers }: IncomingMessage, host: string): boolean {
  return headers.host === host && (headers.origin === undefined || headers.origin === `http://${host}`);
}

function isToken(given: string | readonly string[] | undefined, token: string): boolean {
  if (typeof given !== 'string') return false;
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function refuse(response: ServerResponse, status: number, reason: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(`${reason}\n`);
}

async function sendRows(response: ServerResponse, rows: SendRows, signal: AbortSignal): Promise<void> {
  response.setHeader('content-type', 'application/x-ndjson; charset=utf-8');
  response.flushHeaders();
  const send = (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve) => {
      if (response.destroyed || response.write(bytes)) return resolve();
      const done = (): void => {
        response.off('drain', done).off('close', done);
        resolve();
      };
      response.once('drain', done).once('close', done);
      return undefined;
    });
  await rows(send, signal);
  response.end();
}
