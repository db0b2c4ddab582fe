import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { present } from '../../../core/internal/index.ts';
import type { Clock } from '../../../core/session/index.ts';
import { childEnvironment } from './child-environment.ts';
import { killGroup } from './kill-group.ts';
import { describeServer, type McpChildServer } from './mounted-server.ts';

/** A child process, the leader of a process group. */
export interface StartedChild {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has exited and its outputs were read, with the way it ended, such as `ended with exit code 1`. Never rejects. */
  readonly ended: Promise<string>;
  /** Sends a signal to the whole group. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
}

/** Outputs that processes outside of the group keep open are read this long after the child has exited. */
const drainMs = 500;

/**
 * Starts the program of a server, without a shell and with a clean environment. What is left of its process group is killed when it exits.
 *
 * @throws {Error} that says why it did not start, without a path.
 */
export async function startChild(server: McpChildServer, clock: Clock): Promise<StartedChild> {
  const { args = [], command, cwd, env } = server;
  const child = spawn(command, args, {
    ...present({ cwd }),
    env: childEnvironment(env),
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    windowsHide: true,
  });
  // Writing to a child that has ended fails; its end says so, too.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.on('error', (error) => reject(startError(server, error)));
  });
  return {
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    ended: endOf(child, clock),
    kill: (signal) => void killGroup(child, signal),
  };
}

function endOf(child: ChildProcessByStdio<Writable, Readable, Readable>, clock: Clock): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      killGroup(child, 'SIGKILL');
      const how = signal === null ? `ended with exit code ${code}` : `was ended by the signal ${signal}`;
      const finish = (): void => {
        cancel();
        for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy();
        resolve(how);
      };
      const cancel = clock.schedule(drainMs, finish);
      child.once('close', finish);
    });
  });
}

function startError(server: McpChildServer, error: Error): Error {
  const name = describeServer(server);
  const code = 'code' in error ? String(error.code) : '';
  const hint = /\s/.test(server.command)
    ? '; the command is one program, its arguments belong into args'
    : '';
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `the program "${name}" was not found${server.cwd === undefined ? '' : ', or its working directory does not exist'}${hint}`,
    EACCES: `the program "${name}" cannot be executed`,
  };
  return new Error(reasons[code] ?? `the program "${name}" cannot be started (${code})`, { cause: error });
}
