export { acp } from './acp.ts';
export type { AcpOptions } from './acp-options.ts';
export type { AcpPermissionRequest, AcpPermissions } from './acp-permissions.ts';
