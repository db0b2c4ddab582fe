/**
 * The tools of a prompt served over the Model Context Protocol, and tools of its servers in prompts.
 *
 * Runs in Node; needs `@modelcontextprotocol/server`, `@modelcontextprotocol/node` for HTTP, `@modelcontextprotocol/client` for servers of others.
 *
 * @module weakincentives/mcp
 */

export { McpError, type McpErrorCode } from '../core/error/index.ts';
export type {
  McpChildServer,
  McpMountedServer,
  McpProtocol,
  McpRemoteServer,
} from '../harness/mcp/client/mounted-server.ts';
export {
  type McpServerFactory,
  type McpServerPurpose,
  mcpServerFactory,
} from '../harness/mcp/mcp-server-factory.ts';
export type {
  McpAttachmentKind,
  McpListedTool,
  McpMountLimits,
  McpSection,
  McpSectionOptions,
  McpSkippedTool,
  McpToolEffects,
  McpToolsChange,
} from '../harness/mcp/mount/mount-options.ts';
export { openMcpSection } from '../harness/mcp/mount/open-mcp-section.ts';
export {
  type McpToolServer,
  type OpenMcpServerOptions,
  openMcpServer,
} from '../harness/mcp/open-mcp-server.ts';
export type {
  McpHttpSessionLimits,
  McpHttpTransport,
  McpServerOptions,
  McpSessionOptions,
  McpStdioTransport,
} from '../harness/mcp/server/server-options.ts';
