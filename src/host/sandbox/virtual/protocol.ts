import type { ShellEntry, ShellStat } from './just-bash.ts';
import type { VirtualNetwork } from './options.ts';

// What the thread of the interpreter and ours say to each other. The thread is trusted as little as its scripts: what it asks for is checked here.

/** A stat as it crosses the threads. */
export interface WireStat extends Omit<ShellStat, 'mtime'> {
  readonly modifiedAtMs: number;
}

/** What the thread asks for: operations on the files, with absolute paths of the sandbox. They are done by ours. */
export interface SandboxFileOperations {
  read(path: string): Promise<Uint8Array>;
  stat(path: string): Promise<WireStat>;
  lstat(path: string): Promise<WireStat>;
  list(path: string): Promise<readonly ShellEntry[]>;
  readlink(path: string): Promise<string>;
  realpath(path: string): Promise<string>;
  write(path: string, data: Uint8Array): Promise<void>;
  append(path: string, data: Uint8Array): Promise<void>;
  mkdir(path: string, recursive: boolean): Promise<void>;
  rm(path: string, recursive: boolean, force: boolean): Promise<void>;
  cp(from: string, to: string, recursive: boolean): Promise<void>;
  mv(from: string, to: string): Promise<void>;
  chmod(path: string, mode: number): Promise<void>;
  utimes(path: string, modifiedAtMs: number): Promise<void>;
}

/** What our thread does for the other. */
export interface ServedFunctions extends SandboxFileOperations {
  /** A command of the script begins; not called for each one. */
  alive(): void;
}

/** A script. */
export interface ShellScript {
  readonly script: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: Uint8Array;
}

/** How a script ended. */
export interface ScriptEnd {
  readonly exitCode: number;
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** Why the package cannot be used: it cannot be loaded, or does not work. */
export interface UnusableShell {
  readonly isMissing: boolean;
  readonly reason: string;
}

/** What the thread does. */
export interface ShellFunctions {
  /** Answers when it can run scripts, or cannot. */
  start(): UnusableShell | undefined;
  /** Throws when the interpreter fails; not when the script does. */
  run(script: ShellScript): ScriptEnd;
}

/** What the thread is started with. */
export interface ShellThreadData {
  /** The most bytes of one string. */
  readonly maxStringBytes: number;
  readonly network: VirtualNetwork | undefined;
}
