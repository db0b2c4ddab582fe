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
export { bubblewrapSandbox } from './bubblewrap/bubblewrap-sandbox.ts';
export type { BubblewrapSandboxOptions } from './bubblewrap/options.ts';
