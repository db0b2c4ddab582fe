export { SandboxError, type SandboxErrorCode } from '../error/index.ts';
export {
  type Sandbox,
  SandboxBackend,
  type SandboxCapabilities,
  type SandboxCommand,
  type SandboxOutcome,
  type SandboxOutput,
  type SandboxStartOptions,
} from './backend/sandbox-backend.ts';
export type { SandboxLimits } from './backend/sandbox-limits.ts';
export { bubblewrapSandbox } from './bubblewrap/bubblewrap-sandbox.ts';
export type { BubblewrapSandboxOptions } from './bubblewrap/options.ts';
export { type CodeEvaluationSectionOptions, codeEvaluationSection } from './evaluate/evaluate-section.ts';
export type { CodeEvaluationLimits } from './evaluate/limits.ts';
export type { CodeEvaluationLanguage } from './evaluate/protocol.ts';
export type { PodmanSandboxOptions } from './podman/options.ts';
export { podmanSandbox } from './podman/podman-sandbox.ts';
export { type PodmanSectionOptions, podmanSection } from './podman-section/podman-section.ts';
export type { ShellRollback } from './shell/run-in-call.ts';
export type { ShellLimits } from './shell/shell-limits.ts';
export { type ShellSectionOptions, shellSection } from './shell/shell-section.ts';
export type {
  VirtualNetworkMethod,
  VirtualNetworkOptions,
  VirtualSandboxOptions,
} from './virtual/options.ts';
export { virtualSandbox } from './virtual/virtual-sandbox.ts';
