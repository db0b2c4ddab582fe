import childProcess, { ChildProcess } from 'node:child_process';
import { isRecord } from '../internal/index.ts';

const STDOUT = 1;
const STDERR = 2;

/**
 * From now on child processes that would inherit the standard output get the error output for it, whichever function starts
 * them. What they write to a pipe stays as it is.
 */
export function redirectChildren(stdout: unknown): void {
  const withoutStdout = (options: unknown): unknown =>
    isRecord(options) && options['stdio'] !== undefined
      ? { ...options, stdio: redirected(options['stdio'], stdout) }
      : options;
  // `spawn`, `exec`, `execFile` and `fork` come here; the method is not part of the types.
  const prototype: { spawn?: (options: unknown) => unknown } = Object(ChildProcess.prototype);
  const { spawn } = prototype;
  if (spawn !== undefined) {
    prototype.spawn = function redirectedSpawn(this: unknown, options) {
      return Reflect.apply(spawn, this, [withoutStdout(options)]);
    };
  }
  for (const name of ['spawnSync', 'execSync', 'execFileSync'] as const) {
    const start: (...args: never[]) => unknown = childProcess[name];
    Object.assign(childProcess, {
      [name]: (...args: readonly unknown[]) => Reflect.apply(start, childProcess, args.map(withoutStdout)),
    });
  }
}

/** What is given for the standard streams, with the error output where the standard output was. */
function redirected(stdio: unknown, stdout: unknown): unknown {
  if (stdio === 'inherit') return ['inherit', STDERR, 'inherit'];
  if (!Array.isArray(stdio)) return stdio;
  return stdio.map((entry: unknown, index) => {
    const isInherited = entry === 'inherit' && index === STDOUT;
    return isInherited || entry === STDOUT || entry === stdout ? STDERR : entry;
  });
}
