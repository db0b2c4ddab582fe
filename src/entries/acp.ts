export { acp } from '../harness/acp/acp.ts';
export type { AcpOptions, AcpPermissionRequest, AcpPermissions } from '../harness/acp/acp-options.ts';
