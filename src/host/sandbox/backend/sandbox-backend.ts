import type { Filesystem } from '../../../core/filesystem/index.ts';
import { type NamedResourceToken, statelessResource } from '../../../core/resource/index.ts';
import type { StagedFolderReport } from '../../staged-folder/collect/collect-report.ts';
import type { SandboxLimitScopes } from './sandbox-limits.ts';

/** What a backend, as it was configured, isolates and enforces. */
export interface SandboxCapabilities {
  /**
   * What separates commands from the machine.
   *
   * - `interpreter`: commands are interpreted; no process of the operating system runs for it.
   * - `namespaces`: processes in namespaces of the kernel.
   * - `container`: namespaces with control groups, a system-call filter and an image of its own.
   */
  readonly isolation: 'interpreter' | 'namespaces' | 'container';
  /** What commands can reach: nothing, named addresses only, or the network of the machine. */
  readonly network: 'none' | 'allow-list' | 'full';
  /** Which limits it enforces, and for what. */
  readonly limits: { [Name in keyof SandboxLimitScopes]: SandboxLimitScopes[Name] };
  /** What a model should know about the commands there, one sentence: which shell, which programs, what is missing. */
  readonly description: string;
}

/** A command for a sandbox. */
export interface SandboxCommand {
  /** A script for the shell of the sandbox, or a program with its arguments, which no shell interprets. */
  readonly command: string | readonly string[];
  /** The working directory, a path from the root of the file system. Default: the root. */
  readonly cwd?: string;
  /** Environment variables besides those of the sandbox. Nothing of this process's environment is passed on. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
  /** The standard input. Default: empty. */
  readonly stdin?: string | Uint8Array;
  /** Milliseconds after which the command and all its processes are killed; above 0. Default: none. */
  readonly timeoutMs?: number;
  /** The number of bytes kept of each output, half of them from its start; a whole number of at least 0. Default: 32,768. */
  readonly maxOutputBytes?: number;
  /** Called when the command has written something. Must not throw. Default: nothing. */
  readonly onOutput?: () => void;
}

/** What a command wrote to one of its outputs. */
export interface SandboxOutput {
  /** Its beginning and its end, decoded as UTF-8, with a line in between that says how much is missing. */
  readonly text: string;
  /** The size of the whole output. */
  readonly totalBytes: number;
  /** How many bytes in the middle are missing in `text`. */
  readonly omittedBytes: number;
}

/** How a command ended. */
export interface SandboxOutcome {
  /** Undefined when a signal killed it, or it timed out. As in a shell, 127: command not found, 126: it cannot be executed. */
  readonly exitCode: number | undefined;
  /** The signal that killed it, such as `SIGKILL`, where the backend can tell. */
  readonly signal: string | undefined;
  /** True when it was killed because it timed out. */
  readonly timedOut: boolean;
  readonly stdout: SandboxOutput;
  readonly stderr: SandboxOutput;
  /** The number of processes that were still running when the command had ended, and were killed. */
  readonly killedProcesses: number;
}

/** The options for starting a sandbox. */
export interface SandboxStartOptions {
  /** The files that commands work on. Only `collect` writes to it. */
  readonly filesystem: Filesystem;
  /** Files of skills, which commands have at `/skills` and cannot change. They are not part of what `collect` applies. Default: none. */
  readonly skills?: Filesystem;
  /** Ends everything that the sandbox does; the promises then reject with the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * A staged view of the files of one call, and what runs commands in it. Commands run one after the other; the second one sees what the
 * first one wrote.
 */
export interface Sandbox extends AsyncDisposable {
  /**
   * Runs a command. A command that fails, is not found, or times out is an outcome. When the promise settles, no process of the command
   * is left.
   * @throws {SandboxError} `sandbox-command-invalid`, `sandbox-disposed`, `sandbox-failed`.
   * @throws the reason of the signal that the sandbox was started with.
   */
  exec(command: SandboxCommand): Promise<SandboxOutcome>;
  /**
   * Applies what the commands have changed to the file system, all or nothing. What is not collected is gone with the sandbox.
   * @throws {SandboxError} `sandbox-disposed`, `sandbox-failed`.
   * @throws {FilesystemError} when the file system does not take the changes, as `StagedFolder.collect` does.
   */
  collect(): Promise<StagedFolderReport>;
  /** Kills what still runs and removes the staged view. Disposing twice does nothing. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * What runs commands in isolation. Every backend passes the same contract suite: a command sees the files that it was started with, and only
 * `collect` changes them; it cannot write outside of them, it has no environment but the named variables, and nothing it
 * started outlives it.
 *
 * @see docs/spec/sandboxes.md §1
 */
export interface SandboxBackend {
  /** Its name in messages, such as `bubblewrap`. */
  readonly name: string;
  readonly capabilities: SandboxCapabilities;
  /**
   * Checks by a self-test that the backend works here, and readies what several sandboxes share. Sections call it when an evaluation
   * starts, and dispose the result with the session; `start` works without it.
   * @throws {SandboxError} `sandbox-unavailable` with the reason and what to install.
   * @throws the signal's reason.
   */
  prepare(options?: { readonly signal?: AbortSignal | undefined }): Promise<AsyncDisposable>;
  /**
   * Starts a sandbox with the present content of a file system.
   * @throws {SandboxError} `sandbox-unavailable`, `sandbox-failed`.
   * @throws {FilesystemError} when the files cannot be staged, as `openStagedFolder` does.
   * @throws the signal's reason. Whenever it rejects, nothing is left running or on the disk.
   */
  start(options: SandboxStartOptions): Promise<Sandbox>;
}

/**
 * The token of the backend that the sections of a prompt use. They bind the one that they are given; a binding of `bind()` takes its
 * place, as `wink run --sandbox` does.
 */
export const SandboxBackend: NamedResourceToken<SandboxBackend> =
  statelessResource<SandboxBackend>('sandbox-backend');
