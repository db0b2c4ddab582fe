import type { McpHttpHandler, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server';
import { describeError, WinkError } from '../../error/index.ts';
import type { Logger } from '../../tool/index.ts';
import { randomId } from '../wire/random-id.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import type { SessionPool } from './session-pool.ts';

/** One request with its answer. */
export interface HttpExchange {
  /** Which token of the server the request has. */
  readonly tokenIndex: number;
  /** Calls `release` when the answer has been sent, or the connection is closed. */
  onEnd(release: () => void): void;
}

/** What {@link HttpSessions} works with. */
export interface HttpSessionsOptions {
  readonly sdk: McpServerSdk;
  readonly pool: SessionPool;
  readonly logger: Logger;
  readonly maxRequestBytes: number;
}

/** A session of the protocol until 2025-11-25, which its client names by a header. */
interface NamedSession {
  readonly key: string;
  readonly tokenIndex: number;
  readonly transport: WebStandardStreamableHTTPServerTransport;
}

const sessionHeader = 'mcp-session-id';

/**
 * Serves requests of both eras. Until 2025-11-25 a client opens a session and names it with each request. Since 2026-07-28 requests name none: those with one
 * token have one session.
 */
export class HttpSessions {
  readonly #options: HttpSessionsOptions;
  readonly #named = new Map<string, NamedSession>();
  /** By token. */
  readonly #handlers = new Map<number, McpHttpHandler>();

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  async serve(request: Request, exchange: HttpExchange): Promise<Response> {
    const { logger, maxRequestBytes, sdk } = this.#options;
    try {
      const isLegacy = await sdk.isLegacyRequest(request, undefined, { maxRequestBodySize: maxRequestBytes });
      return isLegacy
        ? await this.#serveNamed(request, exchange)
        : await this.#serveByToken(request, exchange);
    } catch (error) {
      logger.warn('A client could not be served.', { error: describeError(error) });
      const message = WinkError.isInstance(error)
        ? error.message
        : 'The request failed inside of the server.';
      return errorResponse(503, message);
    }
  }

  /** Ends what is open. Never rejects. */
  async dispose(): Promise<void> {
    const ends = [...this.#handlers.values(), ...[...this.#named.values()].map(({ transport }) => transport)];
    this.#handlers.clear();
    await Promise.allSettled(ends.map((each) => each.close()));
  }

  // Until 2025-11-25.

  async #serveNamed(request: Request, exchange: HttpExchange): Promise<Response> {
    const id = request.headers.get(sessionHeader);
    if (id === null) return this.#openNamed(request, exchange);
    const named = this.#named.get(id);
    // A session of another token does not exist for this one.
    if (named === undefined || named.tokenIndex !== exchange.tokenIndex)
      return errorResponse(404, 'There is no such session: it has ended, or never was.');
    exchange.onEnd(this.#options.pool.use(named.key));
    return named.transport.handleRequest(request);
  }

  async #openNamed(request: Request, exchange: HttpExchange): Promise<Response> {
    const { pool, sdk, maxRequestBytes } = this.#options;
    if (!(await isInitialize(sdk, request)))
      return errorResponse(400, `The request names no session: it needs the header ${sessionHeader}.`);
    const id = randomId();
    const key = `session ${id}`;
    const session = await pool.get(key);
    exchange.onEnd(pool.use(key));
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => pool.close(key),
      maxRequestBodySize: maxRequestBytes,
    });
    const server = session.createServer();
    const endListening = session.onListChanged(() => server.sendToolListChanged());
    await server.connect(transport);
    this.#named.set(id, { key, transport, tokenIndex: exchange.tokenIndex });
    pool.onClose(key, () => {
      this.#named.delete(id);
      endListening();
      server.close().catch(() => undefined);
    });
    const response = await transport.handleRequest(request);
    if (!response.ok) await pool.close(key);
    return response;
  }

  // Since 2026-07-28.

  async #serveByToken(request: Request, { onEnd, tokenIndex }: HttpExchange): Promise<Response> {
    const { pool } = this.#options;
    const key = `token ${tokenIndex}`;
    const session = await pool.get(key);
    onEnd(pool.use(key));
    let handler = this.#handlers.get(tokenIndex);
    if (handler === undefined) {
      const { logger, maxRequestBytes: maxRequestBodySize, sdk } = this.#options;
      const created = sdk.createMcpHandler(() => session.createServer(), {
        legacy: 'reject',
        maxRequestBodySize,
        onerror: (error) => logger.debug('A request of a client was refused.', { error: error.message }),
      });
      handler = created;
      this.#handlers.set(tokenIndex, created);
      const endListening = session.onListChanged(() => created.notify.toolsChanged());
      pool.onClose(key, () => {
        this.#handlers.delete(tokenIndex);
        endListening();
        created.close().catch(() => undefined);
      });
    }
    return handler.fetch(request);
  }
}

/** Whether a request opens a session; its body stays readable. */
async function isInitialize(sdk: McpServerSdk, request: Request): Promise<boolean> {
  if (request.method !== 'POST') return false;
  try {
    const body: unknown = JSON.parse(await request.clone().text());
    return (Array.isArray(body) ? body : [body]).some((message) => sdk.isInitializeRequest(message));
  } catch {
    return false;
  }
}

/** An answer outside of any request of the protocol. */
export function errorResponse(status: number, message: string): Response {
  const body = { jsonrpc: '2.0', error: { code: -32_000, message }, id: null };
  return Response.json(body, { status });
}
