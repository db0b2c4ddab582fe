import type { McpServer } from '@modelcontextprotocol/server';
import type { McpServerSdk } from '../wire/sdk.ts';
import type { ProtocolServerOptions } from './protocol-server-options.ts';
import { ServedRequest } from './served-request.ts';

/**
 * A server of the SDK for one connection. It is cheap and has no state of its own: tools, calls and state belong to the session. Its handlers are those of the lower
 * level of the SDK, whose `registerTool` would check arguments and results once more, and put exceptions into words of its own.
 *
 * @see docs/spec/mcp.md §2
 */
export function createProtocolServer(sdk: McpServerSdk, options: ProtocolServerOptions): McpServer {
  const { name, tools, version } = options;
  const { instructions } = tools;
  const mcp = new sdk.McpServer({ name, version }, instructions === '' ? {} : { instructions });
  mcp.server.registerCapabilities({ tools: { listChanged: true } });
  mcp.server.setRequestHandler('tools/list', () => ({ tools: tools.list() }));
  mcp.server.setRequestHandler('tools/call', (request, context) =>
    new ServedRequest(sdk, mcp, options, request, context).answer(),
  );
  return mcp;
}
