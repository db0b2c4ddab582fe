export { type McpServerFactory, mcpServerFactory } from './mcp-server-factory.ts';
export {
  type McpStdioTransport,
  type McpToolServer,
  type OpenMcpServerOptions,
  openMcpServer,
} from './open-mcp-server.ts';
export type { McpHttpTransport } from './server/http-endpoint.ts';
export type { StructuredResults } from './server/served-tools.ts';
export type { McpServerOptions, McpSessionOptions, McpSessionsOptions } from './server/server-options.ts';
