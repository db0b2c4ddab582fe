import type { Tool as McpTool } from '@modelcontextprotocol/client';
import type { McpError } from '../../../core/error/index.ts';
import { present, untilAborted } from '../../../core/internal/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import { ConnectTimeout, connectError, type NamedServer, unavailableError } from './connect-error.ts';
import { type ConnectionOptions, McpConnection } from './connection.ts';

/** Options of {@link ServerLink}. */
export interface LinkOptions extends NamedServer, Omit<ConnectionOptions, 'name' | 'sdk'> {
  readonly sdk: ConnectionOptions['sdk'];
  readonly clock: Clock;
  /** Milliseconds for the connection, the handshake and the list of tools together. */
  readonly connectTimeoutMs: number;
  /** Reads the tools of a new connection. May reject: the connection is closed, and counts as failed. */
  readonly list: (connection: McpConnection, signal: AbortSignal) => Promise<readonly McpTool[]>;
  /** Takes them over. May take any time, for a person who is asked; and reject, as above, with what `connect` throws then. */
  readonly onListed: (tools: readonly McpTool[]) => Promise<void>;
}

/** The tools of the server are not wanted; the cause says why. */
class Refused extends Error {
  constructor(cause: unknown) {
    super('The tools were refused.', { cause });
    this.name = 'Refused';
  }
}

/** The wait before the second start in a row; it doubles with each further one. */
const firstDelayMs = 1000;
const maxDelayMs = 30_000;

/**
 * The way to a server that may end at any time: a connection that is there, or is made again. The first time at once; while no call has succeeded since, each
 * further time after a wait that doubles, from 1 to 30 seconds.
 */
export class ServerLink {
  readonly #options: LinkOptions;
  readonly #stop = new AbortController();
  #connection: McpConnection | undefined;
  #connecting: Promise<McpConnection> | undefined;
  /** Ends and failed starts since the last call that succeeded. */
  #failures = 0;
  #notBeforeMs = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  /**
   * A connection that is open.
   *
   * @throws {McpError} when there is none, and none can be made. @throws the reason of the signal.
   */
  async connect(signal?: AbortSignal): Promise<McpConnection> {
    if (this.#stop.signal.aborted) throw this.#closedError();
    if (this.#connection?.isOpen === true) return this.#connection;
    if (this.#connecting === undefined) {
      const connecting = this.#reconnect().finally(() => {
        this.#connecting = undefined;
      });
      // Those who wait for it may all have been aborted.
      connecting.catch(() => undefined);
      this.#connecting = connecting;
    }
    return untilAborted(this.#connecting, signal);
  }

  /** A call has succeeded: the server works. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** Ends a connection that does not work. */
  async drop(connection: McpConnection): Promise<void> {
    await connection.close('at-once');
  }

  /** Ends the server, or the session with it. Calls that wait are refused. Never rejects. */
  async close(): Promise<void> {
    this.#stop.abort(this.#closedError());
    await this.#connecting?.catch(() => undefined);
    await this.#connection?.close();
  }

  async #reconnect(): Promise<McpConnection> {
    await this.#wait();
    const { clock, connectTimeoutMs, key, list, onListed } = this.#options;
    const attempt = new AbortController();
    const cancel = clock.schedule(connectTimeoutMs, () =>
      attempt.abort(new ConnectTimeout(connectTimeoutMs)),
    );
    const signal = AbortSignal.any([attempt.signal, this.#stop.signal]);
    let connection: McpConnection | undefined;
    try {
      connection = await McpConnection.open({ ...this.#options, name: key }, signal);
      const tools = await list(connection, signal);
      cancel();
      await untilAborted(
        onListed(tools).catch((error: unknown) => {
          throw new Refused(error);
        }),
        this.#stop.signal,
      );
      this.#connection = connection;
      this.#watch(connection);
      return connection;
    } catch (error) {
      const { reason } = connection ?? {};
      await connection?.close('at-once');
      this.#failed();
      if (error instanceof Refused) throw error.cause;
      throw reason === undefined
        ? connectError(this.#options, error)
        : unavailableError(this.#options, reason, error);
    } finally {
      cancel();
    }
  }

  #watch(connection: McpConnection): void {
    void connection.ended.then(() => {
      if (this.#stop.signal.aborted) return;
      this.#failed();
      const { key, logger } = this.#options;
      logger.warn('The connection to an MCP server has ended. The next call connects again.', {
        server: key,
        ...present({ reason: connection.reason }),
      });
    });
  }

  #failed(): void {
    this.#failures += 1;
    const delayMs =
      this.#failures < 2 ? 0 : Math.min(firstDelayMs * 2 ** Math.min(this.#failures - 2, 10), maxDelayMs);
    this.#notBeforeMs = this.#options.clock.now() + delayMs;
  }

  async #wait(): Promise<void> {
    const { clock } = this.#options;
    const delayMs = this.#notBeforeMs - clock.now();
    if (delayMs <= 0) return;
    let cancel = (): void => undefined;
    const waited = new Promise<void>((resolve) => {
      cancel = clock.schedule(delayMs, resolve);
    });
    try {
      await untilAborted(waited, this.#stop.signal);
    } finally {
      cancel();
    }
  }

  #closedError(): McpError {
    return unavailableError(this.#options, 'was closed');
  }
}
