export { acp } from '../harness/acp/acp.ts';
export type { AcpOptions } from '../harness/acp/acp-options.ts';
export type { AcpPermissionRequest, AcpPermissions } from '../harness/acp/acp-permissions.ts';
