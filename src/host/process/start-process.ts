import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FilesystemError } from '../../core/error/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { causedBy, errorCode } from '../disk/system-error.ts';
import { Child } from './child.ts';
import type { StagedCommandArguments } from './run-options.ts';
import { closeChildEnds, type StandardStreams } from './standard-streams.ts';

/** The environment, input and limits of a process, and the receivers of its output. */
export interface ProcessOptions {
  /** All of its environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The standard input; pieces are taken one by one, as the process reads them, and when one throws, `ended` rejects with its error. Default: empty. */
  readonly input?: string | Uint8Array | Iterable<string> | undefined;
  /** What the process can read from the file descriptors 3, 4 and so on. Default: none. */
  readonly inputs?: readonly (string | Uint8Array)[];
  /** Receives each piece of the standard output. */
  readonly onStdout?: (chunk: Uint8Array) => void;
  /** Receives each piece of the standard error. */
  readonly onStderr?: (chunk: Uint8Array) => void;
  /** Receives what is written to the file descriptor after those of `inputs`. Default: there is no such descriptor. */
  readonly onReport?: (chunk: Uint8Array) => void;
  /** Kills the process group; `ended` then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds after which the process group is killed; above 0. Default: none. */
  readonly timeoutMs?: number | undefined;
  /** The clock for the timeout. Default: the system clock. */
  readonly clock?: Pick<Clock, 'schedule'> | undefined;
  /** The standard input, in the place of `input`, and the outputs; they belong to the process once it has started. Default: pipes of Node. */
  readonly streams?: StandardStreams | undefined;
}

/** How a process ended. */
export interface ProcessEnd {
  /** Undefined when a signal killed it, or it did not start. */
  readonly exitCode: number | undefined;
  /** The signal that killed it, such as `SIGKILL`. */
  readonly signal: string | undefined;
  /** True when it was killed because it timed out. */
  readonly timedOut: boolean;
  /** Why it did not start; undefined when it did. */
  readonly startFailure: 'not-found' | 'not-executable' | undefined;
}

/** A process that was started. */
export interface StartedProcess {
  /** Settles when it has exited and its outputs are closed. Rejects with the reason passed to `stop`. */
  readonly ended: Promise<ProcessEnd>;
  /** Kills the process and every process in its group. */
  stop(reason: unknown): void;
}

/**
 * Starts a process as the leader of a process group. The whole group is killed when the process exits.
 * @throws {FilesystemError} `argument-invalid` for a command line that the operating system does not accept.
 * @throws the signal's reason. A command that does not exist, or cannot be executed, is reported by `ended`.
 */
export function startProcess(line: StagedCommandArguments, options: ProcessOptions): StartedProcess {
  const { inputs = [], onReport, signal, timeoutMs, clock = systemClock, streams } = options;
  signal?.throwIfAborted();
  const child = startChild(line, options);
  let stopped: { readonly reason: unknown } | undefined;
  let timedOut = false;
  const stop = (reason: unknown): void => {
    stopped ??= { reason };
    child.kill('SIGKILL');
  };
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  const onTimeout = (): void => {
    timedOut = true;
    child.kill('SIGKILL');
  };
  const cancelTimeout = timeoutMs === undefined ? undefined : clock.schedule(timeoutMs, onTimeout);
  const receive = (stream: Readable, onChunk: ((chunk: Uint8Array) => void) | undefined): void =>
    void stream.on('data', (chunk: Uint8Array) => onChunk?.(chunk));
  receive(streams?.stdout ?? child.pipe(1), options.onStdout);
  receive(streams?.stderr ?? child.pipe(2), options.onStderr);
  if (onReport !== undefined) receive(child.pipe(3 + inputs.length), onReport);
  if (streams === undefined) send(options.input, child.pipe(0), stop);
  for (const [index, input] of inputs.entries()) child.pipe(3 + index).end(input);
  const ended = child.ended.then(({ exitCode, signal: exitSignal, failure }) => {
    signal?.removeEventListener('abort', onAbort);
    cancelTimeout?.();
    if (stopped !== undefined) throw stopped.reason;
    const startFailure = failure && (errorCode(failure) === 'ENOENT' ? 'not-found' : 'not-executable');
    return { exitCode, signal: exitSignal, timedOut, startFailure } as const;
  });
  return { ended, stop };
}

/** Writes the input to a process, which may not read it. */
function send(input: ProcessOptions['input'], stream: Writable, onFailure: (error: unknown) => void): void {
  if (input === undefined || typeof input === 'string' || input instanceof Uint8Array) {
    stream.end(input);
    return;
  }
  const iterator = input[Symbol.iterator]();
  const end = { done: true, value: undefined } as const;
  const pieces: Iterator<string> = {
    next: () => {
      try {
        return iterator.next();
      } catch (error) {
        onFailure(error);
        return end;
      }
    },
    return: () => iterator.return?.() ?? end,
  };
  // A process that has ended takes no more, and how it ended says why.
  pipeline(Readable.from({ [Symbol.iterator]: () => pieces }), stream).catch(() => undefined);
}

function startChild(line: StagedCommandArguments, options: ProcessOptions): Child {
  const { env, inputs = [], onReport, clock, streams } = options;
  const extra = inputs.length + (onReport === undefined ? 0 : 1);
  try {
    const child = new Child(line, {
      env,
      stdio: [
        ...(streams?.childEnds ?? (['pipe', 'pipe', 'pipe'] as const)),
        ...Array.from({ length: extra }, () => 'pipe' as const),
      ],
      group: 'ended',
      outputs: streams && [streams.stdout, streams.stderr],
      clock,
    });
    if (streams !== undefined) closeChildEnds(streams);
    return child;
  } catch (error) {
    throw commandError(error);
  }
}

/** The error for a command line that the operating system does not accept. */
function commandError(error: unknown): FilesystemError {
  return new FilesystemError(
    'argument-invalid',
    `The command cannot be started (${errorCode(error) ?? 'unknown error'}). Name a command, and pass arguments and variables without NUL ` +
      'characters that are not too long in total.',
    causedBy(error),
  );
}
