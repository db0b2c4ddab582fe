export { type AcpOptions, acp } from './acp.ts';
export type { AcpPermissionRequest, AcpPermissions } from './permissions.ts';
