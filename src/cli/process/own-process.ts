import childProcess, { ChildProcess } from 'node:child_process';
import { syncBuiltinESMExports } from 'node:module';
import { isRecord } from '../../core/internal/index.ts';
import type { HostProcess } from './node-environment.ts';
import { StrayError } from './stray-error.ts';

/** The process, with its output and its exit controlled by the command alone. */
export interface OwnProcess extends HostProcess {
  /** Ends the process once all output is written. */
  end(code: number): Promise<never>;
}

/**
 * Takes control of the process, before any code of an agent is loaded.
 *
 * - The standard output belongs to the command: output of other code of this process, including child processes that
 * inherit it, goes to the error output. Code that writes to file descriptor 1 directly cannot be redirected.
 * - `process.exit()` throws; an unhandled rejection and an uncaught exception do not end the process.
 * - When the event loop is empty while the command waits, that is such an error, too. The second time the process ends with
 * 1.
 */
export function takeProcess(host: NodeJS.Process): OwnProcess {
  const { stdout, stderr } = host;
  const writers = new Set<(text: string) => void>();
  const writeError = stderr.write.bind(stderr);
  const exit = host.exit.bind(host);
  const listeners: ((stray: StrayError) => void)[] = [];
  const tell = (stray: StrayError): void => {
    for (const listener of listeners) listener(stray);
  };
  stderr.write = (chunk: string | Uint8Array, ...rest: never[]) => {
    const text = typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    for (const listener of writers) listener(text);
    return writeError(chunk, ...rest);
  };
  Object.defineProperty(host, 'stdout', { value: stderr, configurable: true, enumerable: true });
  host.exit = (code) => {
    const stray = new StrayError('exit', code);
    tell(stray);
    throw stray;
  };
  let isOwnChild = false;
  redirectChildren(stdout, () => !isOwnChild);
  syncBuiltinESMExports();

  host.on('unhandledRejection', (reason) => {
    if (!(reason instanceof StrayError)) tell(new StrayError('rejection', reason));
  });
  host.on('uncaughtException', (error) => {
    if (!(error instanceof StrayError)) tell(new StrayError('exception', error));
  });
  let isStalled = false;
  host.on('beforeExit', () => {
    if (isStalled) {
      stderr.write('wink: the code of the agent waits for a promise that never settles; the process ends.\n');
      exit(1);
    }
    isStalled = true;
    tell(new StrayError('stalled'));
    // One more turn of the event loop for work that the listeners started.
    setImmediate(() => undefined);
  });
  return {
    stdout,
    stderr: {
      write: (text) => writeError(text),
      on: (event, listener) => stderr.on(event, listener),
      isTTY: stderr.isTTY,
      get columns() {
        return stderr.columns;
      },
    },
    stdin: host.stdin,
    env: host.env,
    once: (signal, listener) => host.once(signal, listener),
    onStray: (listener) => void listeners.push(listener),
    onOtherOutput: (listener) => {
      writers.add(listener);
      return () => void writers.delete(listener);
    },
    withOutput: (start) => {
      isOwnChild = true;
      try {
        return start();
      } finally {
        isOwnChild = false;
      }
    },
    end: async (code) => {
      const flushed = [stdout, stderr].map(
        (stream) => new Promise<void>((resolve) => stream.write('', () => resolve())),
      );
      await Promise.all(flushed);
      return exit(code);
    },
  };
}

const stdoutDescriptor = 1;
const stderrDescriptor = 2;

/**
 * From now on child processes that would inherit the standard output inherit the error output instead, however they are
 * started. Output to a pipe is not changed.
 *
 * @param isRedirected asked for each child.
 */
function redirectChildren(stdout: unknown, isRedirected: () => boolean): void {
  const withoutStdout = (options: unknown): unknown =>
    isRedirected() && isRecord(options) && options['stdio'] !== undefined
      ? { ...options, stdio: redirected(options['stdio'], stdout) }
      : options;
  // `spawn`, `exec`, `execFile` and `fork` call it; the method is not part of the types.
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

/** The value of the `stdio` option, with the error output in place of the standard output. */
function redirected(stdio: unknown, stdout: unknown): unknown {
  if (stdio === 'inherit') return ['inherit', stderrDescriptor, 'inherit'];
  if (!Array.isArray(stdio)) return stdio;
  return stdio.map((entry: unknown, index) => {
    const isInherited = entry === 'inherit' && index === stdoutDescriptor;
    return isInherited || entry === stdoutDescriptor || entry === stdout ? stderrDescriptor : entry;
  });
}
