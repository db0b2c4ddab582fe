import { type Clock, systemClock } from '../../../core/session/index.ts';
import { type Logger, silentLogger } from '../../../core/tool/index.ts';
import { loadNodeSdk, type McpServerSdk } from '../wire/sdk.ts';
import { answersSent } from './answers-sent.ts';
import { type HttpEndpoint, openHttpEndpoint } from './http-endpoint.ts';
import { HttpSessions } from './http-sessions.ts';
import type { ServedSession } from './served-session.ts';
import type { McpHttpSessionLimits, McpHttpTransport } from './server-options.ts';
import { SessionPool } from './session-pool.ts';

/** What sessions are served with over HTTP. */
export interface HttpServerOptions extends McpHttpSessionLimits {
  readonly sdk: McpServerSdk;
  readonly transport: Omit<McpHttpTransport, 'kind'>;
  readonly clock?: Clock | undefined;
  readonly logger?: Logger | undefined;
  /** Opens the session of a client. What it throws is answered to the client. */
  open(): Promise<ServedSession>;
}

/** How long a session may be without a request or an open connection; longer than a client may take for an answer. */
const idleTimeoutMs = 900_000;
const defaultMaxSessions = 64;
/** A stream and several calls, for each session that there may be. */
const connectionsPerSession = 8;
const minConnections = 64;

/**
 * Serves sessions on 127.0.0.1.
 *
 * @throws {PromptValidationError} for an option that cannot be used, such as a port that is in use.
 * @throws {MissingPeerError} when `@modelcontextprotocol/node` is not installed.
 */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpEndpoint> {
  const { clock = systemClock, logger = silentLogger, open, sdk, transport } = options;
  const { maxSessions = defaultMaxSessions } = options;
  const nodeSdk = await loadNodeSdk();
  const pool = new SessionPool({
    clock,
    idleTimeoutMs,
    maxSessions,
    open,
  });
  const sessions = new HttpSessions({ sdk, pool, logger });
  const endpoint = await openHttpEndpoint({
    nodeSdk,
    transport,
    logger,
    limits: { maxConnections: Math.max(minConnections, maxSessions * connectionsPerSession) },
    serve: (request, exchange) => sessions.serve(request, exchange),
  });
  return {
    ...endpoint,
    close: async () => {
      // Calls are rolled back before their connections are cut: a client that still listens learns why.
      await pool.dispose();
      await answersSent();
      await sessions.dispose();
      await endpoint.close();
    },
  };
}
