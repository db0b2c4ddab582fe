/**
 * An adapter for agents that speak the Agent Client Protocol, such as OpenCode and Codex.
 *
 * Runs in Node; needs `@agentclientprotocol/sdk` and `@modelcontextprotocol/server`.
 *
 * @module weakincentives/acp
 */

export { acp } from '../harness/acp/acp.ts';
export type { AcpOptions, AcpPermissionRequest, AcpPermissions } from '../harness/acp/acp-options.ts';
