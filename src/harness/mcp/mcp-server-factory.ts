import { TransactionClosedError } from '../../core/error/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { ServedSession } from './server/served-session.ts';
import { checkServerOptions, type McpServerOptions } from './server/server-options.ts';
import { loadServerSdk } from './wire/sdk.ts';

/** What a server is made for: the context that the SDK passes to a factory fits. */
export interface McpServerPurpose {
  /** The request that the server is for alone; absent for a connection. */
  readonly requestInfo?: unknown;
}

/**
 * Makes servers of the SDK that all serve one session; it fits where the SDK takes a factory. `Server` is the class `McpServer` of `@modelcontextprotocol/server`, which
 * this package does not name, so that it compiles without that one.
 */
export interface McpServerFactory<Server = unknown> extends AsyncDisposable {
  /**
   * A server for one connection, or for one request. The first call opens the session; when that fails, the next call tries again.
   *
   * @throws {MissingPeerError} when `@modelcontextprotocol/server` is not installed.
   * @throws {TransactionClosedError} when the factory was disposed.
   * @throws what `openToolRuntime` throws.
   */
  (context?: McpServerPurpose): Promise<Server>;
  /**
   * Calls `listener` when the list of tools has changed. Servers with a connection of their own notify their clients themselves; those for single requests
   * cannot, so an HTTP handler has to: `factory.onToolsChanged(() => handler.notify.toolsChanged())`.
   *
   * @param listener must not throw.
   * @returns ends it.
   */
  onToolsChanged(listener: () => void): () => void;
  /** Aborts running calls, rolls them back, and releases the session. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes servers of `@modelcontextprotocol/server` for the tools of a prompt, for an HTTP handler of your own (`createMcpHandler`), for `serveStdio`, and for harnesses that take a server
 * in the same process. All of them serve one session, whose state lasts until the factory is disposed. Who may connect is up to you: nothing is checked here.
 *
 * @typeParam Server the class of the SDK: `mcpServerFactory<McpServer>(prompt, options)`.
 * @throws {PromptValidationError} for an option of the wrong kind or out of its range.
 * @see docs/spec/mcp.md §2
 */
export function mcpServerFactory<Server = unknown>(
  prompt: Prompt,
  options: McpServerOptions,
): McpServerFactory<Server> {
  checkServerOptions('mcpServerFactory()', options);
  const listeners = new Set<() => void>();
  let opened: Promise<ServedSession> | undefined;
  let isDisposed = false;
  const open = async (): Promise<ServedSession> => {
    const session = await ServedSession.open(await loadServerSdk(), prompt, options);
    session.onListChanged(() => {
      for (const listener of [...listeners]) listener();
    });
    return session;
  };
  const create = async (context?: McpServerPurpose): Promise<Server> => {
    if (isDisposed) throw new TransactionClosedError('The factory of the server was disposed.');
    opened ??= open();
    const opening = opened;
    const session = await opening.catch((error: unknown) => {
      if (opened === opening) opened = undefined;
      throw error;
    });
    const server = session.createServer();
    // A server for one request of HTTP is not connected for longer, and some are never connected.
    // What the type parameter names is this class.
    if (context?.requestInfo !== undefined) return server as Server;
    const endListening = session.notifyListChanged(server);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- It is not an event target.
    server.server.onclose = endListening;
    return server as Server;
  };
  const onToolsChanged = (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  const dispose = async (): Promise<void> => {
    isDisposed = true;
    await opened?.then(
      (session) => session[Symbol.asyncDispose](),
      () => undefined,
    );
  };
  return Object.assign(create, { onToolsChanged, [Symbol.asyncDispose]: dispose });
}
