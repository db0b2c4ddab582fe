import { env, platform } from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { redactSecrets } from '../../../core/runtime/index.ts';
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
  /** A text that it wrote, without the values of the variables that were named for it. */
  redact(text: string): string;
  /** Whether it keeps this process running. It does unless this says otherwise. */
  hold(isHeld: boolean): void;
}

/**
 * Starts the program of a server, without a shell and with a clean environment. What is left of its process group is killed when it exits, and on Linux
 * also what has left the group.
 *
 * @throws {Error} that says why it did not start, without a path.
 */
export async function startChild(server: McpChildServer, clock: Clock): Promise<StartedChild> {
  const { args = [], command, cwd, env: named = {} } = server;
  const child = new Child(
    { command, args, cwd },
    {
      env: { ...inherited(passedOn), ...named },
      stdio: ['pipe', 'pipe', 'pipe'],
      group: 'traced',
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
    redact: valuesHidden(named),
    hold: (isHeld) => child.hold(isHeld),
  };
}

/** Shorter values occur in ordinary text. */
const minSecretCharacters = 8;

/**
 * Hides the values of variables, each with the name in its place: which of them are secrets only the program knows.
 *
 * @param plain names of variables whose values are shown. Default: those that every child gets.
 */
export function valuesHidden(
  variables: Readonly<Record<string, string | undefined>>,
  plain: readonly string[] = passedOn,
): (text: string) => string {
  const hidden = Object.entries(variables).filter(
    ([name, value = '']) => value.length >= minSecretCharacters && !plain.includes(name),
  );
  return redactSecrets(Object.fromEntries(hidden));
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
