import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StrayError } from './stray-error.ts';

/** Where the command line writes to. */
export interface OutputStream {
  /** Writes text. Never throws; once the reader is gone it does nothing. */
  write(text: string): void;
  /** Whether a person looks at it directly. */
  readonly isTerminal: boolean;
  /** Width in characters; undefined when it is unknown, as in a pipe. */
  readonly columns: number | undefined;
}

/**
 * Shows a question to the person at the terminal and resolves with the line they answer, empty when the input ends. Rejects
 * when the signal is aborted.
 */
export type AskPerson = (question: string, options: { readonly signal: AbortSignal }) => Promise<string>;

/** Everything the command line takes from its process, so that a test can bring its own. */
export interface CliEnvironment {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  /** Undefined when nobody sits there: standard input and error output are not both a terminal. */
  readonly ask: AskPerson | undefined;
  /** Environment variables. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Version of the package. */
  readonly version: string;
  /**
   * Aborted with a {@link CliInterruption} when the process is asked to stop, and with a {@link StrayError} when something goes wrong
   * that nothing catches.
   */
  readonly signal: AbortSignal;
  /** The errors since the last call that nothing caught, also those that are only about to be told. */
  readonly takeStrays: () => Promise<readonly StrayError[]>;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
  /**
   * Calls back once, after so many milliseconds, unless the returned function is called before. Does not keep the process running.
   */
  readonly after: (milliseconds: number, callback: () => void) => () => void;
  /**
   * Calls back before others than the command write to `stderr`, with what they write, until the returned function is called.
   * Child processes are not heard.
   */
  readonly onOtherOutput: (listener: (text: string) => void) => () => void;
}

/** Why a run was asked to stop. */
export class CliInterruption extends Error {
  readonly kind: 'interrupted' | 'terminated' | 'output-closed';
  /** What the process ends with. */
  readonly exitCode: number;

  constructor(kind: CliInterruption['kind'], exitCode: number) {
    super(kind);
    this.name = 'CliInterruption';
    this.kind = kind;
    this.exitCode = exitCode;
  }
}

/** What the process ends with. */
export const exitCodes: Readonly<
  Record<'done' | 'failed' | 'usage' | 'conflict' | 'interrupted' | 'terminated', number>
> = Object.freeze({
  done: 0,
  failed: 1,
  usage: 2,
  conflict: 3,
  interrupted: 130,
  terminated: 143,
});

/**
 * What `work` comes to, unless the signal is aborted first: then this rejects with its reason, and what comes of the work is dropped.
 * The work ends a turn of the event loop later: a rejection that it leaves unhandled is told by then.
 */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    if (signal.aborted) stop();
    const result = await Promise.race([aborted, work]);
    await Promise.race([aborted, nextTurn()]);
    return result;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
