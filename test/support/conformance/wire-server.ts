import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The response of a server to one request. */
export interface WireReply {
  /** Default: 200. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /**
   * `broken`: the connection is lost behind the body. `open`: nothing follows and the connection stays, until the client leaves; with an empty
   * body nothing is sent at all. Default: the body is all there is.
   */
  readonly end?: 'broken' | 'open';
}

/** A request as it arrived. */
export interface WireRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** A server on the loopback interface. */
export interface WireServer extends AsyncDisposable {
  readonly url: string;
}

/**
 * @param reply answers a request by its body, its path and its headers.
 * @param onLeft hears that a client has left a connection that was kept open.
 */
export async function openWireServer(
  reply: (body: Readonly<Record<string, unknown>>, request: WireRequest) => WireReply,
  onLeft: () => void = () => undefined,
): Promise<WireServer> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      send(response, reply(JSON.parse(Buffer.concat(chunks).toString()), { path, headers }), onLeft);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export const json = (body: unknown, more: Omit<WireReply, 'body'> = {}): WireReply => ({
  ...more,
  headers: { 'content-type': 'application/json', ...more.headers },
  body: JSON.stringify(body),
});

export const eventStream = (body: string, end?: WireReply['end']): WireReply => ({
  headers: { 'content-type': 'text/event-stream' },
  body,
  ...(end === undefined ? {} : { end }),
});

/** A body with status 200 that is no answer. @param cut what is left of an answer. */
export function noAnswer(body: 'empty' | 'page' | 'cut', cut: WireReply): WireReply {
  if (body === 'cut') return cut;
  if (body === 'empty') return { ...cut, body: '' };
  return {
    headers: { 'content-type': 'text/html' },
    body: '<!doctype html>\n<title>Please wait</title>\n<p>The gateway is busy.</p>\n',
  };
}

function send(
  response: ServerResponse,
  { status = 200, headers, body, end }: WireReply,
  onLeft: () => void,
): void {
  if (end === 'open') {
    response.on('close', onLeft);
    if (body === '') return;
  }
  response.writeHead(status, headers);
  // Chunks that split events and characters.
  const bytes = Buffer.from(body);
  for (let start = 0; start < bytes.length; start += 101) response.write(bytes.subarray(start, start + 101));
  if (end === undefined) response.end();
  else response.write('', () => (end === 'broken' ? response.destroy() : undefined));
}
