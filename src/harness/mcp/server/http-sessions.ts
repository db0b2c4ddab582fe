import type {
  McpHttpHandler,
  McpRequestContext,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import { describeError } from '../../../core/error/index.ts';
import type { Logger } from '../../../core/tool/index.ts';
import { randomId } from '../wire/random-id.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import { answersSent } from './answers-sent.ts';
import { clientMessageOf } from './client-error.ts';
import { type RequestId, RequestsInFlight, requestIdsOf } from './requests-in-flight.ts';
import type { ServedSession } from './served-session.ts';
import type { SessionPool } from './session-pool.ts';

/** One request with its answer. */
export interface HttpExchange {
  /** Which token of the server the request has. */
  readonly tokenIndex: number;
  /** Calls `release` when the answer has been sent, or the connection is closed. */
  onEnd(release: () => void): void;
}

/** What {@link HttpSessions} works with. */
interface HttpSessionsOptions {
  readonly sdk: McpServerSdk;
  readonly pool: SessionPool;
  readonly logger: Logger;
}

/** A session of the protocol until 2025-11-25, which its client names by a header. */
interface NamedSession {
  readonly key: string;
  readonly tokenIndex: number;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  readonly inFlight: RequestsInFlight;
}

/** What a request since 2026-07-28 is part of, for the session that it finds on its way through the SDK. */
interface ModernExchange extends Pick<HttpExchange, 'onEnd'> {
  /** Why it found none. */
  failure?: { readonly error: unknown };
}

/** A request whose body was read: undefined where it has none. */
interface ReadRequest {
  readonly request: Request;
  readonly parsedBody: unknown;
}

const sessionHeader = 'mcp-session-id';
const parseError = -32_700;
const invalidRequest = -32_600;

/**
 * Serves requests of both eras. Until 2025-11-25 a client opens a session and names it with each request. Since 2026-07-28 requests name none: those with one
 * token have one session.
 */
export class HttpSessions {
  readonly #options: HttpSessionsOptions;
  readonly #named = new Map<string, NamedSession>();
  /** By token. */
  readonly #handlers = new Map<number, McpHttpHandler>();
  readonly #exchanges = new WeakMap<Request, ModernExchange>();

  constructor(options: HttpSessionsOptions) {
    this.#options = options;
  }

  /** Answers a request. Never rejects. */
  async serve(request: Request, exchange: HttpExchange): Promise<Response> {
    const { logger, sdk } = this.#options;
    let read: ReadRequest = { request, parsedBody: undefined };
    if (request.method === 'POST') {
      if (!sdk.isJsonContentType(request.headers.get('content-type')))
        return errorResponse(415, 'The content type of a request must be application/json.');
      try {
        read = { request, parsedBody: JSON.parse(await request.text()) };
      } catch {
        return errorResponse(400, 'The body of the request is not JSON.', { code: parseError });
      }
    }
    try {
      return (await sdk.isLegacyRequest(request, read.parsedBody))
        ? await this.#serveNamed(read, exchange)
        : await this.#serveByToken(read, exchange);
    } catch (error) {
      logger.warn('A client could not be served.', { error: describeError(error) });
      const [id = null] = Array.isArray(read.parsedBody) ? [] : requestIdsOf(read.parsedBody);
      // Clients show the message of an answer to their request; of a status without one, many show the status alone.
      return errorResponse(id === null ? 503 : 200, clientMessageOf(error), { id });
    }
  }

  /** Ends what is open. Never rejects. */
  async dispose(): Promise<void> {
    const ends = [...this.#handlers.values(), ...[...this.#named.values()].map(({ transport }) => transport)];
    this.#handlers.clear();
    this.#named.clear();
    await Promise.allSettled(ends.map((each) => each.close()));
  }

  // Until 2025-11-25.

  async #serveNamed(read: ReadRequest, exchange: HttpExchange): Promise<Response> {
    const id = read.request.headers.get(sessionHeader);
    if (id === null) return this.#openNamed(read, exchange);
    const named = this.#named.get(id);
    // A session of another token does not exist for this one.
    if (named === undefined || named.tokenIndex !== exchange.tokenIndex)
      return errorResponse(404, 'The session is unknown. It may have ended.');
    exchange.onEnd(this.#options.pool.use(named.key));
    const refused = named.inFlight.begin(read.parsedBody);
    if (refused !== undefined) return repeatedIds(refused, read.parsedBody);
    return handleNamed(named, read);
  }

  async #openNamed(read: ReadRequest, exchange: HttpExchange): Promise<Response> {
    const { pool, sdk } = this.#options;
    const { parsedBody } = read;
    const messages = Array.isArray(parsedBody) ? parsedBody : [parsedBody];
    if (!messages.some((message) => sdk.isInitializeRequest(message)))
      return errorResponse(400, `The request names no session: it needs the header ${sessionHeader}.`);
    const id = randomId();
    const key = `session ${id}`;
    const session = await pool.get(key);
    exchange.onEnd(pool.use(key));
    const transport = new sdk.WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => id,
      onsessionclosed: () => pool.close(key).then(answersSent),
    });
    const server = session.createServer();
    const endListening = session.notifyListChanged(server);
    await server.connect(transport);
    const inFlight = new RequestsInFlight();
    inFlight.follow(transport);
    const named: NamedSession = { key, transport, inFlight, tokenIndex: exchange.tokenIndex };
    this.#named.set(id, named);
    pool.onClose(key, (disposed) => {
      this.#named.delete(id);
      endListening();
      void closeAfter(disposed, server);
    });
    inFlight.begin(parsedBody);
    const response = await handleNamed(named, read);
    if (!response.ok) await pool.close(key);
    return response;
  }

  // Since 2026-07-28.

  async #serveByToken(read: ReadRequest, exchange: HttpExchange): Promise<Response> {
    const { tokenIndex } = exchange;
    const handler = this.#handlers.get(tokenIndex) ?? this.#openHandler(tokenIndex);
    const served: ModernExchange = { onEnd: exchange.onEnd };
    this.#exchanges.set(read.request, served);
    const response = await handler.fetch(...withBody(read));
    if (served.failure !== undefined) throw served.failure.error;
    return response;
  }

  /** The session is opened by the first request that passes the checks of the protocol. */
  #openHandler(tokenIndex: number): McpHttpHandler {
    const { logger, pool, sdk } = this.#options;
    const key = `token ${tokenIndex}`;
    let followed: ServedSession | undefined;
    const follow = (session: ServedSession): void => {
      followed = session;
      const endListening = session.onListChanged(() => handler.notify.toolsChanged());
      pool.onClose(key, (disposed) => {
        if (this.#handlers.get(tokenIndex) === handler) this.#handlers.delete(tokenIndex);
        endListening();
        void closeAfter(disposed, handler);
      });
    };
    const create = async ({ requestInfo }: McpRequestContext): Promise<McpServer> => {
      const exchange = requestInfo === undefined ? undefined : this.#exchanges.get(requestInfo);
      try {
        const session = await pool.get(key);
        exchange?.onEnd(pool.use(key));
        if (session !== followed) follow(session);
        return session.createServer();
      } catch (error) {
        // The SDK would answer without saying why.
        if (exchange !== undefined) exchange.failure = { error };
        throw error;
      }
    };
    const handler = sdk.createMcpHandler(create, {
      legacy: 'reject',
      onerror: (error) => logger.debug('A request of a client was refused.', { error: describeError(error) }),
    });
    this.#handlers.set(tokenIndex, handler);
    return handler;
  }
}

async function handleNamed({ inFlight, transport }: NamedSession, read: ReadRequest): Promise<Response> {
  const response = await transport.handleRequest(...withBody(read));
  if (!response.ok) inFlight.forget(read.parsedBody);
  return response;
}

/** Answers each request of a body that is refused: in a list where the body is one. */
function repeatedIds(ids: readonly RequestId[], body: unknown): Response {
  const errors = ids.map((id) =>
    jsonRpcError('Another request with this id waits for its answer: each request needs an id of its own.', {
      code: invalidRequest,
      id,
    }),
  );
  return Response.json(Array.isArray(body) ? errors : errors[0]);
}

/** The arguments of a handler of the SDK: a body that was read is not read again. */
function withBody({ request, parsedBody }: ReadRequest): [Request, { readonly parsedBody?: unknown }] {
  return [request, parsedBody === undefined ? {} : { parsedBody }];
}

/** Ends connections when calls have ended and their requests are answered. Never rejects. */
async function closeAfter(disposed: Promise<void>, connections: { close(): Promise<void> }): Promise<void> {
  await disposed.then(answersSent);
  await connections.close().catch(() => undefined);
}

/** An answer that is not the SDK's. */
function errorResponse(status: number, ...error: Parameters<typeof jsonRpcError>): Response {
  return Response.json(jsonRpcError(...error), { status });
}

/** The code of an error that the protocol has none for. */
const serverError = -32_000;

/** The body of an answer that says why a request got none. */
interface JsonRpcError {
  readonly jsonrpc: '2.0';
  readonly error: { readonly code: number; readonly message: string };
  readonly id: string | number | null;
}

/** @param id that of the request; null when it is not known. */
export function jsonRpcError(
  message: string,
  { code = serverError, id = null }: { readonly code?: number; readonly id?: string | number | null } = {},
): JsonRpcError {
  return { jsonrpc: '2.0', error: { code, message }, id };
}
