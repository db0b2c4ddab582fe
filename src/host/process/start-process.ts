import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { FilesystemError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { errorCode, withoutPaths } from '../disk/system-error.ts';
import type { StagedCommandArguments } from './run-options.ts';
import { closeChildEnds, type StandardStreams } from './standard-streams.ts';

/** The environment, input and limits of a process, and the receivers of its output. */
export interface ProcessOptions {
  /** All of its environment variables. */
  readonly env: Readonly<Record<string, string>>;
  /** The standard input. Default: empty. */
  readonly input?: string | Uint8Array | undefined;
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
  readonly clock?: Clock | undefined;
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

/** Processes that left the group may keep the outputs open; these are read this long after the process has exited. */
const drainMs = 500;

/**
 * Starts a process as the leader of a process group. The whole group is killed when the process exits.
 * @throws {FilesystemError} `argument-invalid` for a command line that the operating system does not accept.
 * @throws the signal's reason. A command that does not exist, or cannot be executed, is reported by `ended`.
 */
export function startProcess(line: StagedCommandArguments, options: ProcessOptions): StartedProcess {
  const { inputs = [], onReport, signal, timeoutMs, clock = systemClock, streams } = options;
  signal?.throwIfAborted();
  const child = spawnGroup(line, options);
  const endGroup = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // The group has ended, or the platform has no process groups.
      child.kill('SIGKILL');
    }
  };
  let stopped: { readonly reason: unknown } | undefined;
  let timedOut = false;
  let startFailure: ProcessEnd['startFailure'];
  const stop = (reason: unknown): void => {
    stopped ??= { reason };
    endGroup();
  };
  const cancels: (() => void)[] = [];
  const onAbort = (): void => stop(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  cancels.push(() => signal?.removeEventListener('abort', onAbort));
  if (timeoutMs !== undefined) {
    cancels.push(
      clock.schedule(timeoutMs, () => {
        timedOut = true;
        endGroup();
      }),
    );
  }
  const outputs: Readable[] = [];
  const closings: Promise<unknown>[] = [];
  const receive = (stream: Readable, onChunk: ((chunk: Uint8Array) => void) | undefined): void => {
    outputs.push(stream);
    closings.push(new Promise((resolve) => void stream.once('close', resolve)));
    stream.on('data', (chunk: Uint8Array) => onChunk?.(chunk));
    // A pipe that breaks ends like one that is closed.
    stream.on('error', () => undefined);
  };
  // Node types the pipes of a child by position only as far as its error output.
  const pipe = (position: number): Readable & Writable => child.stdio[position] as Readable & Writable;
  receive(streams?.stdout ?? pipe(1), options.onStdout);
  receive(streams?.stderr ?? pipe(2), options.onStderr);
  if (onReport !== undefined) receive(pipe(3 + inputs.length), onReport);
  // The process may not read its input.
  const send = (stream: Writable, input: string | Uint8Array | undefined): void =>
    void stream.on('error', () => undefined).end(input);
  if (streams === undefined) send(pipe(0), options.input);
  inputs.forEach((input, index) => send(pipe(3 + index), input));
  const ended = new Promise<ProcessEnd>((resolve, reject) => {
    const settle = (exitCode: number | undefined, exitSignal: string | undefined): void => {
      for (const cancel of cancels) cancel();
      if (stopped !== undefined) return reject(stopped.reason);
      resolve({ exitCode, signal: exitSignal, timedOut, startFailure });
    };
    child.once('error', (error) => {
      startFailure = errorCode(error) === 'ENOENT' ? 'not-found' : 'not-executable';
      for (const output of outputs) output.destroy();
      settle(undefined, undefined);
    });
    child.once('exit', () => {
      endGroup();
      cancels.push(
        clock.schedule(drainMs, () => {
          for (const output of outputs) output.destroy();
        }),
      );
    });
    child.once('close', (exitCode, exitSignal) => {
      // Of streams that Node has not made, it does not wait for the end.
      void Promise.all(closings).then(() => settle(exitCode ?? undefined, exitSignal ?? undefined));
    });
  });
  return { ended, stop };
}

function spawnGroup({ command, args, cwd }: StagedCommandArguments, options: ProcessOptions): ChildProcess {
  const { env, inputs = [], onReport, streams } = options;
  const extra = inputs.length + (onReport === undefined ? 0 : 1);
  try {
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: [
        ...(streams?.childEnds ?? (['pipe', 'pipe', 'pipe'] as const)),
        ...Array.from({ length: extra }, () => 'pipe' as const),
      ],
      detached: true,
    });
    if (streams !== undefined) closeChildEnds(streams);
    return child;
  } catch (error) {
    throw commandError(error);
  }
}

/** The error for a command line that the operating system does not accept. */
function commandError(error: unknown): FilesystemError {
  const code = errorCode(error);
  return new FilesystemError(
    'argument-invalid',
    `The command cannot be started (${code ?? 'unknown error'}). Name a command, and pass arguments and variables without NUL ` +
      'characters that are not too long in total.',
    {
      cause: withoutPaths(error),
      ...present({ details: code === undefined ? undefined : { systemCode: code } }),
    },
  );
}
