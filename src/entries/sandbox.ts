/**
 * Shell commands and code of a model in sandboxes: an interpreter, bubblewrap, podman.
 *
 * Runs in Node.
 *
 * @module weakincentives/sandbox
 */

export { SandboxError, type SandboxErrorCode } from '../core/error/index.ts';
export {
  type Sandbox,
  SandboxBackend,
  type SandboxCapabilities,
  type SandboxCommand,
  type SandboxOutcome,
  type SandboxOutput,
  type SandboxStartOptions,
} from '../host/sandbox/backend/sandbox-backend.ts';
export type { SandboxLimits } from '../host/sandbox/backend/sandbox-limits.ts';
export { bubblewrapSandbox } from '../host/sandbox/bubblewrap/bubblewrap-sandbox.ts';
export type { BubblewrapSandboxOptions } from '../host/sandbox/bubblewrap/options.ts';
export {
  type CodeEvaluationSectionOptions,
  codeEvaluationSection,
} from '../host/sandbox/evaluate/code-evaluation-section.ts';
export type { CodeEvaluationLimits } from '../host/sandbox/evaluate/limits.ts';
export type { CodeEvaluationLanguage } from '../host/sandbox/evaluate/protocol.ts';
export type { PodmanSandboxOptions } from '../host/sandbox/podman/options.ts';
export { podmanSandbox } from '../host/sandbox/podman/podman-sandbox.ts';
export { type PodmanSectionOptions, podmanSection } from '../host/sandbox/podman/podman-section.ts';
export type { ShellLimits, ShellRollback } from '../host/sandbox/shell/shell-limits.ts';
export { type ShellSectionOptions, shellSection } from '../host/sandbox/shell/shell-section.ts';
export type {
  VirtualNetworkMethod,
  VirtualNetworkOptions,
  VirtualSandboxOptions,
} from '../host/sandbox/virtual/options.ts';
export { virtualSandbox } from '../host/sandbox/virtual/virtual-sandbox.ts';
