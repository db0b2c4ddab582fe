import { env, platform } from 'node:process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../core/session/index.ts';
import { Child } from '../../../host/index.ts';
import { describeServer, type McpChildServer } from './mounted-server.ts';

/** What programs need to find others, their user's folders, and how to write texts and times. Values of other variables may be secrets. */
const passedOn: readonly string[] =
  platform === 'win32'
    ? ['PATH', 'PATHEXT', 'SYSTEMROOT', 'COMSPEC', 'TEMP', 'TMP', 'USERPROFILE', 'APPDATA', 'LOCALAPPDATA']
    : ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];

/** A child process, the leader of a process group. */
export interface StartedChild {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has exited and its outputs were read, with the way it ended, such as `ended with exit code 1`. Never rejects. */
  readonly ended: Promise<string>;
  /** Sends a signal to the whole group. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void;
  /** Whether it keeps this process running. It does unless this says otherwise. */
  hold(isHeld: boolean): void;
}

/**
 * Starts the program of a server, without a shell and with a clean environment. What is left of its process group is killed when it exits.
 *
 * @throws {Error} that says why it did not start, without a path.
 */
export async function startChild(server: McpChildServer, clock: Clock): Promise<StartedChild> {
  const { args = [], command, cwd } = server;
  const child = new Child(
    { command, args, cwd },
    {
      env: { ...inherited(passedOn), ...server.env },
      stdio: ['pipe', 'pipe', 'pipe'],
      group: 'ended',
      clock,
    },
  );
  await child.started().catch((error: unknown) => {
    throw startError(server, error);
  });
  return {
    stdin: child.pipe(0),
    stdout: child.pipe(1),
    stderr: child.pipe(2),
    ended: child.ended.then(({ exitCode, signal }) =>
      signal === undefined ? `ended with exit code ${exitCode}` : `was ended by the signal ${signal}`,
    ),
    kill: (signal) => void child.kill(signal),
    hold: (isHeld) => child.hold(isHeld),
  };
}

function startError(server: McpChildServer, error: unknown): Error {
  const name = describeServer(server);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const hint = /\s/.test(server.command)
    ? '; the command is one program, its arguments belong into args'
    : '';
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `the program "${name}" was not found${server.cwd === undefined ? '' : ', or its working directory does not exist'}${hint}`,
    EACCES: `the program "${name}" cannot be executed`,
  };
  return new Error(reasons[code] ?? `the program "${name}" cannot be started (${code})`, { cause: error });
}

/** The variables of this process that have one of these names. */
export function inherited(names: readonly string[]): Record<string, string> {
  const own = names.flatMap((name) => {
    const value = env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(own);
}
