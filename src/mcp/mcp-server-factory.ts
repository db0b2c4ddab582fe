import type { McpRequestContext, McpServer } from '@modelcontextprotocol/server';
import { SessionBusyError } from '../error/index.ts';
import type { Prompt } from '../prompt/index.ts';
import { checkServerOptions } from './server/check-options.ts';
import { ServedSession } from './server/served-session.ts';
import type { McpServerOptions } from './server/server-options.ts';
import { loadServerSdk } from './wire/sdk.ts';

/** Makes servers of the SDK that all serve one session; it fits where the SDK takes a factory. */
export interface McpServerFactory extends AsyncDisposable {
  /**
   * A server for one connection, or for one request. The first call opens the session.
   *
   * @throws {MissingPeerError} when `@modelcontextprotocol/server` is not installed.
   * @throws {SessionBusyError} when the factory was disposed.
   * @throws what `openToolRuntime` throws.
   */
  (context?: McpRequestContext): Promise<McpServer>;
  /** Aborts running calls, rolls them back, and releases the session. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Makes servers of `@modelcontextprotocol/server` for the tools of a prompt, for an HTTP handler of your own (`createMcpHandler`), for `serveStdio`, and for harnesses that take a server
 * in the same process. All of them serve one session, whose state lasts until the factory is disposed. Who may connect is up to you: nothing is checked here.
 *
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @see docs/spec/mcp.md
 */
export function mcpServerFactory(prompt: Prompt, options: McpServerOptions): McpServerFactory {
  checkServerOptions('mcpServerFactory()', options);
  let opened: Promise<ServedSession> | undefined;
  let isDisposed = false;
  const open = async (): Promise<ServedSession> => ServedSession.open(await loadServerSdk(), prompt, options);
  const create = async (): Promise<McpServer> => {
    if (isDisposed) throw new SessionBusyError('The factory of the server was disposed.');
    opened ??= open();
    const session = await opened;
    const server = session.createServer();
    const endListening = session.onListChanged(() => {
      if (server.isConnected()) server.sendToolListChanged();
    });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- It is not an event target.
    server.server.onclose = endListening;
    return server;
  };
  const dispose = async (): Promise<void> => {
    isDisposed = true;
    await opened?.then(
      (session) => session[Symbol.asyncDispose](),
      () => undefined,
    );
  };
  return Object.assign(create, { [Symbol.asyncDispose]: dispose });
}
