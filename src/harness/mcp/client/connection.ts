import type { Client, McpSubscription, Tool as McpTool } from '@modelcontextprotocol/client';
import { describeError, maxTimerMs } from '../../../core/error/index.ts';
import { startOf, untilAborted } from '../../../core/internal/index.ts';
import type { Logger } from '../../../core/tool/index.ts';
import type { McpClientSdk } from '../wire/sdk.ts';
import type { McpProtocol } from './mounted-server.ts';
import type { ServerTransport } from './server-transport.ts';

/** Options of {@link McpConnection.open}. */
export interface ConnectionOptions {
  readonly sdk: McpClientSdk;
  /** Makes the transport of the connection, not started. */
  readonly open: () => ServerTransport;
  readonly protocol: McpProtocol;
  /** The name of the server in the log. */
  readonly name: string;
  readonly logger: Logger;
  /** Most milliseconds that a server may take for the question whether it knows 2026-07-28. */
  readonly probeTimeoutMs: number;
  /** Called when the server says that its tools have changed. Must not throw. */
  readonly onToolsChanged: (connection: McpConnection) => void;
}

/** Timers of the SDK never fire: ours limit all requests. */
export const noTimeLimitMs: number = maxTimerMs;
/** Most pages of a list of tools. */
const maxPages = 64;

/** One connection to a server, from its handshake to its end. */
export class McpConnection {
  readonly client: Client;
  /** Resolves when the connection has ended. */
  readonly ended: Promise<void>;
  readonly #server: ServerTransport;
  #isOpen = true;
  #hasLostNotices = false;
  #closing: Promise<void> | undefined;

  private constructor(options: ConnectionOptions) {
    const { logger, name, open, probeTimeoutMs, protocol, sdk } = options;
    this.#server = open();
    this.client = new sdk.Client(
      { name: 'weakincentives', version: 'unknown' },
      {
        // It offers the server nothing: no sampling, no questions to a person, no folders.
        capabilities: {},
        versionNegotiation: {
          mode: protocol === '2026-07-28' ? { pin: protocol } : protocol,
          probe: { timeoutMs: probeTimeoutMs },
        },
        inputRequired: { autoFulfill: false },
        listMaxPages: maxPages,
        listChanged: {
          tools: { autoRefresh: false, debounceMs: 0, onChanged: () => options.onToolsChanged(this) },
        },
      },
    );
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- It is not an event target.
    this.client.onerror = (error) =>
      logger.debug('A problem of the connection to an MCP server.', {
        server: name,
        error: startOf(describeError(error), 500),
      });
    this.ended = new Promise((resolve) => {
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- As above.
      this.client.onclose = () => {
        this.#isOpen = false;
        resolve();
      };
    });
  }

  /**
   * Connects and shakes hands.
   *
   * @throws what the SDK throws, or the reason of the signal; {@link describeConnectFailure} has words for it.
   */
  static async open(options: ConnectionOptions, signal: AbortSignal): Promise<McpConnection> {
    const connection = new McpConnection(options);
    const { client } = connection;
    try {
      const connected = client.connect(connection.#server.transport, { signal, timeout: noTimeLimitMs });
      await untilAborted(connected, signal);
      connection.#watch(client.autoOpenedSubscription);
      return connection;
    } catch (error) {
      // What the server did by itself, before it is ended.
      const failure = new ConnectFailure(error, connection.#server);
      await connection.#server.close('at-once');
      throw failure;
    }
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Why the connection ended, as far as it is known. */
  get reason(): string | undefined {
    return this.#server.reason();
  }

  /** Whether the server has tools at all. */
  get hasTools(): boolean {
    return this.client.getServerCapabilities()?.tools !== undefined;
  }

  /** Whether a session of the protocol belongs to it, which the server may end. */
  get hasSession(): boolean {
    return this.#server.transport.sessionId !== undefined;
  }

  /** Whether the stream has ended by which the server says that its tools have changed. Only 2026-07-28 has one that can be opened again. */
  get hasLostNotices(): boolean {
    return this.#hasLostNotices;
  }

  /** Opens that stream again. What was said meanwhile is lost. */
  async listenAgain(signal: AbortSignal): Promise<void> {
    const listening = this.client.listen({ toolsListChanged: true }, { signal, timeout: noTimeLimitMs });
    this.#watch(await untilAborted(listening, signal));
    this.#hasLostNotices = false;
  }

  /** All tools, in the order of the server. */
  async listTools(signal: AbortSignal): Promise<readonly McpTool[]> {
    const options = { signal, timeout: noTimeLimitMs, cacheMode: 'refresh' } as const;
    return (await untilAborted(this.client.listTools(undefined, options), signal)).tools;
  }

  /** Never rejects. */
  close(how: 'orderly' | 'at-once' = 'orderly'): Promise<void> {
    this.#isOpen = false;
    return (this.#closing ??= this.#close(how));
  }

  #watch(subscription: McpSubscription | undefined): void {
    void subscription?.closed.then((how) => {
      if (how !== 'local') this.#hasLostNotices = true;
    });
  }

  async #close(how: 'orderly' | 'at-once'): Promise<void> {
    await this.#server.close(how);
    await this.client.close().catch(() => undefined);
  }
}

/** The handshake failed. */
export class ConnectFailure extends Error {
  /** Why, as far as the transport knows. */
  readonly reason: string | undefined;
  readonly isUnauthorized: boolean;

  constructor(cause: unknown, server: ServerTransport) {
    super(describeError(cause), { cause });
    this.name = 'ConnectFailure';
    this.reason = server.reason();
    this.isUnauthorized = server.isUnauthorized();
  }
}
