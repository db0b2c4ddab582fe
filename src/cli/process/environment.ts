import { setImmediate as nextTurn } from 'node:timers/promises';
import { untilAborted } from '../../core/internal/index.ts';
import type { StrayError } from './stray-error.ts';

/** An output of the command line. */
export interface OutputStream {
  /** Writes text. Never throws; does nothing after the reader has closed the pipe. */
  write(text: string): void;
  /** Whether the output is a terminal. */
  readonly isTerminal: boolean;
  /** Width in columns; undefined when unknown, as for a pipe. */
  readonly columns: number | undefined;
}

/** Writes lines of text. */
export function writeLines(stream: OutputStream, lines: Iterable<string>): void {
  for (const line of lines) stream.write(`${line}\n`);
}

/** Width of what is written to an output without one, such as a pipe. */
const plainWidth = 140;
const minWidth = 40;

/** How wide what is written may be, in columns. */
export function widthOf({ columns = plainWidth }: OutputStream): number {
  return Math.max(minWidth, columns);
}

/**
 * Shows a question on the terminal and resolves with the line of the answer, which is empty when the input ends. Rejects
 * when the signal is aborted.
 */
export type AskPerson = (question: string, options: { readonly signal: AbortSignal }) => Promise<string>;

/** Everything the command line takes from its process, so that tests can replace it. */
export interface CliEnvironment {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Undefined without an interactive terminal: standard input and error output are not both one. */
  readonly ask: AskPerson | undefined;
  /** The standard input, for messages of a protocol; undefined where it is a terminal. */
  readonly input: NodeJS.ReadableStream | undefined;
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Names of those that the user calls secret; they are set. Default: none but those that are named like secrets. */
  readonly secretNames?: readonly string[];
  /** Version of the package. */
  readonly version: string;
  /** Where the package is installed: the folder of its package.json, with a slash at the end. */
  readonly packageFolder: URL;
  /** A folder of the user's for what can be made again. Default: there is none. */
  readonly cacheFolder?: string | undefined;
  /**
   * Aborted with a {@link CliInterruption} when the process receives a signal to stop, and with a {@link StrayError} for an
   * uncaught error.
   */
  readonly signal: AbortSignal;
  /** The uncaught errors since the last call, including those that are not reported yet. */
  readonly takeStrays: () => Promise<readonly StrayError[]>;
  /** Receives the files that {@link loadedFiles} names when an agent was loaded, or could not be. Default: no one asks for them. */
  readonly onLoaded?: (files: readonly string[]) => void;
  /** Milliseconds; only differences are meaningful. */
  readonly now: () => number;
  /**
   * Calls back once after a delay in milliseconds, unless the returned function is called before. Does not keep the process
   * alive.
   */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  /**
   * Calls back before code other than the command writes to `stderr`, with the text, until the returned function is called.
   * The output of child processes is not intercepted.
   */
  readonly onOtherOutput: (listener: (text: string) => void) => () => void;
  /**
   * Returns what `start` returns, which starts a child of the command itself: one that inherits the standard output gets it. Others get the error output in its
   * place. Default: every child gets it.
   */
  readonly withOutput?: <T>(start: () => T) => T;
}

/** Why a run was interrupted. */
export class CliInterruption extends Error {
  readonly kind: 'interrupted' | 'terminated' | 'output-closed';
  /** The exit code. */
  readonly exitCode: number;

  constructor(kind: CliInterruption['kind'], exitCode: number) {
    super(kind);
    this.name = 'CliInterruption';
    this.kind = kind;
    this.exitCode = exitCode;
  }
}

/** Exit codes. */
export const exitCodes: Readonly<
  Record<'done' | 'failed' | 'usage' | 'conflict' | 'suspended' | 'interrupted' | 'terminated', number>
> = Object.freeze({
  done: 0,
  failed: 1,
  usage: 2,
  conflict: 3,
  suspended: 4,
  interrupted: 130,
  terminated: 143,
});

/**
 * Resolves as `work` does, unless the signal is aborted first: then it rejects with the signal's reason and ignores the
 * result of the work. The work ends one turn of the event loop later, so that unhandled rejections it causes have been
 * reported by then.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const result = await untilAborted(work, signal);
  await untilAborted(nextTurn(), signal);
  return result;
}

/** Variable of a run that its parent may ask to end, by closing the pipe at the descriptor 3. */
export const watchedVariable = 'WINK_WATCHED';
