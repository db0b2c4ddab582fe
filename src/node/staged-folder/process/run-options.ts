import type { Clock } from '../../../session/index.ts';

/** How a command is run in a staged folder. */
export interface CommandOptions {
  /** The folder that it starts in, relative to the staged one. Default: the staged one. */
  readonly cwd?: string;
  /**
   * Variables beside `PATH`, which is that of this process, and `TMPDIR`, a folder that is removed with the staged one.
   * Nothing else of this process's environment is passed on. Default: none.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** What the command reads from its standard input. Default: nothing. */
  readonly input?: string | Uint8Array;
  /** Ends the command; the promise then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds after which the command is ended; above 0. Default: none. */
  readonly timeoutMs?: number;
  /** Bytes kept of each output, the last ones. A whole number from 0 on. Default 65,536. */
  readonly maxOutputBytes?: number;
  /** Measures the time. Default: the system's. */
  readonly clock?: Clock;
}

/** How a command ended. Texts are UTF-8; the path of the staged folder in them is `.`. */
export interface CommandOutcome {
  /** Undefined when a signal ended it. As in a shell, 127: there is no such command, 126: it cannot be executed. */
  readonly exitCode: number | undefined;
  /** The signal that ended it, such as `SIGKILL`. */
  readonly signal: string | undefined;
  /** True when it was ended because its time was up. */
  readonly timedOut: boolean;
  readonly stdout: string;
  readonly stderr: string;
  /** Both as they came. */
  readonly output: string;
  /** True when only the end of an output was kept. */
  readonly truncated: boolean;
}

/** A command line for `spawn`. */
export interface SpawnArguments {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}
