import { describeError } from '../../core/error/index.ts';
import { once, present } from '../../core/internal/index.ts';
import type { Prompt } from '../../core/prompt/index.ts';
import { silentLogger } from '../../core/tool/index.ts';
import { answersSent } from './server/answers-sent.ts';
import { type HttpServerOptions, openHttpServer } from './server/http-server.ts';
import { ServedSession } from './server/served-session.ts';
import {
  checkOpenOptions,
  type McpHttpSessionLimits,
  type McpHttpTransport,
  type McpServerOptions,
  type McpStdioTransport,
} from './server/server-options.ts';
import { loadServerSdk, loadStdioSdk } from './wire/sdk.ts';

/** Options of {@link openMcpServer}. */
export interface OpenMcpServerOptions extends McpServerOptions, McpHttpSessionLimits {
  /** How clients reach it: standard input and output, or HTTP on a port of this machine. */
  readonly transport: McpStdioTransport | McpHttpTransport;
}

/** A server that is open. */
export interface McpToolServer extends AsyncDisposable {
  /** Its address, for clients that send the token in a header; undefined for standard input and output. */
  readonly url: string | undefined;
  /** What clients have to send over HTTP, in the order of the options; empty for standard input and output. */
  readonly tokens: readonly string[];
  /** Resolves when the server was disposed, its signal was aborted, or its client closed standard input or output. Never rejects. */
  readonly closed: Promise<void>;
  /** Aborts running calls, rolls them back, releases the sessions and closes the connections. Never rejects. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Serves the tools of a prompt over the Model Context Protocol, with the transactions, policies and texts of an evaluation. Both eras of the protocol are
 * served: 2026-07-28, and those from 2024-10-07 to 2025-11-25. Over standard input and output there is one session. Over HTTP each client has its own: a
 * session of the protocol or, since 2026-07-28, one for each token. A `session` in the options is for one client at a time; others are refused with the message of a `SessionBusyError`.
 *
 * ```ts no-run
 * import { promptTemplate } from 'weakincentives';
 * import { openMcpServer } from 'weakincentives/mcp';
 * import { vfsToolsSection } from 'weakincentives/tools';
 *
 * const prompt = promptTemplate({ ns: 'docs', key: 'files', sections: [vfsToolsSection()] }).bind();
 * const server = await openMcpServer(prompt, { name: 'files', version: '1.0.0', transport: { kind: 'stdio' } });
 * await server.closed;
 * ```
 *
 * @throws {MissingPeerError} when `@modelcontextprotocol/server`, or for HTTP `@modelcontextprotocol/node`, is not installed.
 * @throws {PromptValidationError} for an option that cannot be used, such as a port that is in use.
 * @throws what `openToolRuntime` throws: over standard input and output when the server is opened; over HTTP a client gets what it may know of it.
 * @see docs/spec/mcp.md §2
 */
export async function openMcpServer(prompt: Prompt, options: OpenMcpServerOptions): Promise<McpToolServer> {
  checkOpenOptions(options);
  const { transport, maxSessions, ...served } = options;
  if (transport.kind === 'stdio') return openStdio(prompt, served, transport);
  return openHttp(prompt, served, { transport, ...present({ maxSessions }) });
}

async function openStdio(
  prompt: Prompt,
  options: McpServerOptions,
  { input, output }: McpStdioTransport,
): Promise<McpToolServer> {
  const [sdk, stdio] = await Promise.all([loadServerSdk(), loadStdioSdk()]);
  const { logger = silentLogger, signal } = options;
  const session = await ServedSession.open(sdk, prompt, options);
  const stdin = input ?? process.stdin;
  const stdout = output ?? process.stdout;
  const server = endingServer(signal, { url: undefined, tokens: [] }, async () => {
    await session[Symbol.asyncDispose]();
    await answersSent();
    await handle.close().catch(() => undefined);
  });
  const connection = new stdio.StdioServerTransport(stdin, stdout);
  const handle = stdio.serveStdio(
    () => {
      const served = session.createServer();
      // One that was made to find out the era has no connection.
      session.notifyListChanged(served);
      return served;
    },
    {
      transport: connection,
      onerror: (error) =>
        logger.debug('A message of the client was refused.', { error: describeError(error) }),
    },
  );
  const end = (): void => void server[Symbol.asyncDispose]();
  for (const event of ['end', 'close', 'error']) stdin.once(event, end);
  // What is written to a client that is gone is not read.
  for (const event of ['close', 'error']) stdout.once(event, end);
  if (stdin.readableEnded || stdin.destroyed || stdout.destroyed) end();
  return server;
}

async function openHttp(
  prompt: Prompt,
  options: McpServerOptions,
  served: Pick<HttpServerOptions, 'transport' | 'maxSessions'>,
): Promise<McpToolServer> {
  const sdk = await loadServerSdk();
  const { clock, logger, signal } = options;
  const endpoint = await openHttpServer({
    ...served,
    sdk,
    clock,
    logger,
    open: () => ServedSession.open(sdk, prompt, options),
  });
  return endingServer(signal, endpoint, () => endpoint.close());
}

/** A server that is ended once: when it is disposed, by its signal, or with its client. @param close must not reject. */
function endingServer(
  signal: AbortSignal | undefined,
  { tokens, url }: Pick<McpToolServer, 'tokens' | 'url'>,
  close: () => Promise<void>,
): McpToolServer {
  let resolve = (): void => undefined;
  const closed = new Promise<void>((settle) => {
    resolve = settle;
  });
  const end = once(async () => {
    signal?.removeEventListener('abort', onAbort);
    // Who waits for the end must not hang on a mistake in it.
    await close().finally(() => resolve());
  });
  const onAbort = (): void => void end();
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) queueMicrotask(onAbort);
  return Object.freeze({ url, tokens, closed, [Symbol.asyncDispose]: end });
}
