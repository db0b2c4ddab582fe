import { randomUUID } from 'node:crypto';
import { closeSync, constants, openSync, rmSync, writeFileSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { attempt } from '../../core/internal/index.ts';
import { runProgram } from './child.ts';
import { pathVariable } from './path-variable.ts';

/** The standard input and outputs of a process that is to be started. */
export interface StandardStreams {
  /** The descriptors for the process, in the order of its own: 0, 1, 2. */
  readonly childEnds: readonly [number, number, number];
  /** What the process writes to its standard output. */
  readonly stdout: Socket;
  /** What the process writes to its standard error. */
  readonly stderr: Socket;
}

/**
 * Opens a file for the standard input of a process, and pipes for its outputs. The ones that Node makes are sockets: with them a program
 * cannot open `/dev/stdin` or `/dev/stdout`, and bash takes itself for the shell of a remote login.
 * @param folder a private folder, in which they have names until they are open.
 * @returns undefined where the system has no named pipes.
 */
export async function openStandardStreams(
  folder: string,
  input: string | Uint8Array = '',
): Promise<StandardStreams | undefined> {
  const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants;
  const prefix = join(folder, `stream-${randomUUID()}`);
  const paths = [`${prefix}-in`, `${prefix}-out`, `${prefix}-err`] as const;
  const [stdin, ...pipes] = paths;
  const opened: number[] = [];
  const open = (path: string, flags: number): number => {
    const descriptor = openSync(path, flags);
    opened.push(descriptor);
    return descriptor;
  };
  try {
    await runProgram('mkfifo', ['-m', '600', ...pipes], pathVariable());
    writeFileSync(stdin, input, { flag: 'wx', mode: 0o600 });
    // With both directions open, opening one end waits for no other.
    const both = pipes.map((path) => open(path, O_RDWR | O_NONBLOCK));
    const childEnds = [open(stdin, O_RDONLY), open(pipes[0], O_WRONLY), open(pipes[1], O_WRONLY)] as const;
    const ownEnds = pipes.map((path) => open(path, O_RDONLY | O_NONBLOCK));
    for (const descriptor of both) closeSync(descriptor);
    const [stdout, stderr] = ownEnds.map((fd) => new Socket({ fd, readable: true, writable: false }));
    return stdout === undefined || stderr === undefined ? undefined : { childEnds, stdout, stderr };
  } catch {
    opened.forEach(closeQuietly);
    return undefined;
  } finally {
    for (const path of paths) rmSync(path, { force: true });
  }
}

/** Closes the streams of a process that was not started. */
export function closeStandardStreams(streams: StandardStreams): void {
  closeChildEnds(streams);
  streams.stdout.destroy();
  streams.stderr.destroy();
}

/** Closes the descriptors of the process in this one, once it has them. */
export function closeChildEnds({ childEnds }: StandardStreams): void {
  childEnds.forEach(closeQuietly);
}

/** One that is closed already stays so. */
function closeQuietly(descriptor: number): void {
  attempt(() => closeSync(descriptor));
}
