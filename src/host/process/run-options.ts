import type { Clock } from '../../core/session/index.ts';

/** Options for running a command in a staged folder. */
export interface StagedCommandOptions {
  /** The working directory, relative to the staged folder. Default: the staged folder. */
  readonly cwd?: string;
  /**
   * Environment variables besides `PATH`, which is that of this process, and `TMPDIR`, a folder that is removed with the staged one.
   * Nothing else of this process's environment is passed on. Default: none.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The standard input of the command. Default: empty. */
  readonly input?: string | Uint8Array;
  /** Kills the command; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which the command is killed; above 0. Default: none. */
  readonly timeoutMs?: number;
  /** The number of last bytes kept of each output; a whole number of at least 0. Default: 65,536. */
  readonly maxOutputBytes?: number;
  /** The clock for the timeout. Default: the system clock. */
  readonly clock?: Clock;
}

/** The outcome of a command. Output is decoded as UTF-8; the path of the staged folder in it is replaced by `.`. */
export interface StagedCommandOutcome {
  /** Undefined when a signal killed it. As in a shell, 127: command not found, 126: it cannot be executed. */
  readonly exitCode: number | undefined;
  /** The signal that killed it, such as `SIGKILL`. */
  readonly signal: string | undefined;
  /** True when it was killed because it timed out. */
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Both, interleaved in the order in which they arrived. */
  readonly output: string;
  /** True when only the end of an output was kept. */
  readonly truncated: boolean;
}

/** A command line for `spawn`. */
export interface StagedCommandArguments {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}
