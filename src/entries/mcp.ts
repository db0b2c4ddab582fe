export { McpError, type McpErrorCode } from '../core/error/index.ts';
export type {
  McpChildServer,
  McpMountedServer,
  McpRemoteServer,
} from '../harness/mcp/client/mounted-server.ts';
export type { McpProtocol } from '../harness/mcp/client/protocol.ts';
export {
  type McpServerFactory,
  type McpServerPurpose,
  mcpServerFactory,
} from '../harness/mcp/mcp-server-factory.ts';
export type { McpSection } from '../harness/mcp/mount/mcp-section.ts';
export type {
  McpAttachmentKind,
  McpListedTool,
  McpMountLimits,
  McpSectionOptions,
  McpToolEffects,
  McpToolsChange,
} from '../harness/mcp/mount/mount-options.ts';
export { openMcpSection } from '../harness/mcp/mount/open-mcp-section.ts';
export type { McpSkippedTool } from '../harness/mcp/mount/skipped-tool.ts';
export {
  type McpToolServer,
  type OpenMcpServerOptions,
  openMcpServer,
} from '../harness/mcp/open-mcp-server.ts';
export type {
  McpHttpSessionLimits,
  McpServerOptions,
  McpSessionOptions,
} from '../harness/mcp/server/server-options.ts';
export type { McpHttpTransport, McpStdioTransport } from '../harness/mcp/server/transports.ts';
