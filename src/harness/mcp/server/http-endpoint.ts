import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { describeError, PromptValidationError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { Logger } from '../../../core/tool/index.ts';
import { randomId } from '../wire/random-id.ts';
import type { McpNodeSdk } from '../wire/sdk.ts';
import { accessOf } from './http-access.ts';
import type { HttpExchange } from './http-sessions.ts';
import { jsonRpcError } from './http-sessions.ts';
import type { McpHttpTransport } from './server-options.ts';

/** An endpoint that listens. */
export interface HttpEndpoint {
  /** Without a token: for clients that send it in a header. */
  readonly url: string;
  /** In the order of the options. */
  readonly tokens: readonly string[];
  /** Ends connections, then the endpoint. Never rejects. */
  close(): Promise<void>;
}

/** What connections may take, whether their requests have a token or not. */
export interface HttpEndpointLimits {
  /** Connections at a time; a further one is closed. */
  readonly maxConnections: number;
  /** How long the line and the headers of a request may take, from the first moment of the connection. */
  readonly headersTimeoutMs: number;
  /** How long a whole request may take; its answer may take longer. */
  readonly requestTimeoutMs: number;
}

/** What an endpoint is opened with. */
export interface HttpEndpointOptions {
  readonly nodeSdk: McpNodeSdk;
  readonly transport: Omit<McpHttpTransport, 'kind'>;
  readonly logger: Logger;
  /** Default: {@link defaultLimits}. */
  readonly limits?: Partial<HttpEndpointLimits>;
  /** Answers a request that may be made. */
  serve(request: Request, exchange: HttpExchange): Promise<Response>;
}

/** Bytes of the body of a request. */
const maxRequestBytes = 4_194_304;
const host = '127.0.0.1';
const defaultLimits: HttpEndpointLimits = {
  maxConnections: 512,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
};
/** A client that is refused tries again at once; one line for each of these says enough. */
const refusalsPerLine = 1_000;

/**
 * Listens on 127.0.0.1.
 *
 * @throws {PromptValidationError} for an option that cannot be used, such as a port that is in use.
 * @see docs/spec/mcp.md §4
 */
export async function openHttpEndpoint({
  transport,
  ...options
}: HttpEndpointOptions): Promise<HttpEndpoint> {
  const { path = '/mcp', port = 0, token = randomId() } = transport;
  const tokens = typeof token === 'string' ? [token] : token;
  // Only where it serves: loading it loads the whole of fetch.
  const { createServer } = await import('node:http');
  const limits = { ...defaultLimits, ...options.limits };
  const { headersTimeoutMs: headersTimeout, requestTimeoutMs: requestTimeout } = limits;
  const timeouts = { headersTimeout, requestTimeout, connectionsCheckingInterval: headersTimeout / 2 };
  const server = createServer(timeouts, (request, response) => {
    void answer(request, response, { ...options, path, tokens });
  });
  server.maxConnections = limits.maxConnections;
  let refused = 0;
  server.on('drop', () => {
    if (refused % refusalsPerLine === 0)
      options.logger.warn('A connection was closed: there are as many as there may be.', {
        limit: limits.maxConnections,
      });
    refused += 1;
  });
  await listen(server, port);
  const address = server.address();
  const bound = typeof address === 'object' && address !== null ? address.port : port;
  return {
    url: `http://${host}:${bound}${path}`,
    tokens,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface AnswerOptions extends Omit<HttpEndpointOptions, 'transport' | 'limits'> {
  readonly path: string;
  readonly tokens: readonly string[];
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { logger, nodeSdk, path, serve, tokens }: AnswerOptions,
): Promise<void> {
  const access = accessOf(request, { path, tokens });
  if (access.status !== 200) {
    refuse(response, access);
    return;
  }
  const releases: (() => void)[] = [];
  response.once('close', () => {
    for (const release of releases.splice(0)) release();
  });
  const exchange: HttpExchange = {
    tokenIndex: access.tokenIndex,
    onEnd: (release) => (response.closed ? release() : releases.push(release)),
  };
  const onerror = (error: Error): void =>
    logger.warn('A request could not be answered.', { error: describeError(error) });
  try {
    const handle = nodeSdk.toNodeHandler(
      { fetch: (asked) => serve(asked, exchange) },
      { maxRequestBodySize: maxRequestBytes, onerror },
    );
    // Method and address are there in a request that a server has received.
    await handle(request as IncomingMessage & { readonly method: string; readonly url: string }, response);
  } catch (error) {
    logger.warn('A request could not be answered.', { error: describeError(error) });
    response.destroy();
  }
}

function refuse(
  response: ServerResponse,
  { message, status }: { readonly status: number; readonly message: string },
): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    // What is left of the body is not read.
    connection: 'close',
    ...present({ 'www-authenticate': status === 401 ? 'Bearer' : undefined }),
  });
  response.end(JSON.stringify(jsonRpcError(message)));
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const message =
        cause.code === 'EADDRINUSE'
          ? `The port ${port} is in use. Choose another one, or 0 for a free one.`
          : `The port ${port} cannot be listened on: ${describeError(cause)}`;
      reject(new PromptValidationError(message, { cause, details: { option: 'port' } }));
    });
    server.listen(port, host, resolve);
  });
}
