export { McpError, type McpErrorCode } from '../error/index.ts';
export type { McpChildServer, McpMountedServer, McpRemoteServer } from './client/mounted-server.ts';
export type { McpProtocol } from './client/protocol.ts';
export { type McpServerFactory, type McpServerPurpose, mcpServerFactory } from './mcp-server-factory.ts';
export type { McpSection } from './mount/mcp-section.ts';
export type {
  McpAttachmentKind,
  McpListedTool,
  McpMountLimits,
  McpSectionOptions,
  McpToolEffects,
  McpToolsChange,
} from './mount/mount-options.ts';
export { openMcpSection } from './mount/open-mcp-section.ts';
export type { McpSkippedTool } from './mount/skipped-tool.ts';
export {
  type McpStdioTransport,
  type McpToolServer,
  type OpenMcpServerOptions,
  openMcpServer,
} from './open-mcp-server.ts';
export type { McpHttpTransport } from './server/http-transport-options.ts';
export type { McpHttpSessionLimits, McpServerOptions, McpSessionOptions } from './server/server-options.ts';
