export { SandboxError, type SandboxErrorCode } from '../error/index.ts';
export type {
  Sandbox,
  SandboxBackend,
  SandboxCapabilities,
  SandboxCommand,
  SandboxOutcome,
  SandboxOutput,
  SandboxStartOptions,
} from './backend/sandbox-backend.ts';
export type { SandboxLimitScope, SandboxLimitScopes, SandboxLimits } from './backend/sandbox-limits.ts';
