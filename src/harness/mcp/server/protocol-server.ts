import type { McpServer } from '@modelcontextprotocol/server';
import { describeError } from '../../../core/error/index.ts';
import type { McpServerSdk } from '../wire/sdk.ts';
import { clientMessageOf } from './client-error.ts';
import { signalOf } from './client-signal.ts';
import type { ServedPrompts } from './served-prompts.ts';
import { type ProtocolServerOptions, ServedRequest } from './served-request.ts';
import type { ServedResources } from './served-resources.ts';

/**
 * A server of the SDK for one connection. It is cheap and has no state of its own: tools, calls and state belong to the session. Its handlers are those of the lower
 * level of the SDK, whose `registerTool` would check arguments and results once more, and put exceptions into words of its own.
 *
 * @see docs/spec/mcp.md §2
 */
export function createProtocolServer(sdk: McpServerSdk, options: ProtocolServerOptions): McpServer {
  const { name, prompts, resources, tools, version } = options;
  const { instructions } = tools;
  const mcp = new sdk.McpServer({ name, version }, instructions === '' ? {} : { instructions });
  mcp.server.registerCapabilities({ tools: { listChanged: true } });
  mcp.server.setRequestHandler('tools/list', () => ({ tools: tools.list() }));
  mcp.server.setRequestHandler('tools/call', (request, context) =>
    new ServedRequest(sdk, mcp, options, request, context).answer(),
  );
  if (resources !== undefined) serveResources(sdk, mcp, resources, options);
  if (prompts !== undefined) servePrompts(sdk, mcp, prompts, options);
  return mcp;
}

/** Answers requests for resources. */
function serveResources(
  sdk: McpServerSdk,
  { server }: McpServer,
  resources: ServedResources,
  options: ProtocolServerOptions,
): void {
  const answer = answering(sdk, options);
  server.registerCapabilities({ resources: {} });
  server.setRequestHandler('resources/list', ({ params }, context) =>
    answer(() => resources.list(params?.cursor, signalOf(context))),
  );
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: resources.templates() }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    answer(() => resources.read(uri, signalOf(context))),
  );
}

/** Answers requests for prompts. */
function servePrompts(
  sdk: McpServerSdk,
  { server }: McpServer,
  prompts: ServedPrompts,
  options: ProtocolServerOptions,
): void {
  const answer = answering(sdk, options);
  server.registerCapabilities({ prompts: {} });
  server.setRequestHandler('prompts/list', () => answer(async () => prompts.list()));
  server.setRequestHandler('prompts/get', ({ params: { arguments: given = {}, name } }) =>
    answer(() => prompts.get(name, given)),
  );
}

/** Answers a request; of an error that is not one of the protocol the client reads what it may. */
function answering({ ProtocolError, ProtocolErrorCode }: McpServerSdk, { logger }: ProtocolServerOptions) {
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      logger.warn('A request of a client has no result.', { error: describeError(error) });
      throw new ProtocolError(ProtocolErrorCode.InternalError, clientMessageOf(error));
    }
  };
}
