import { describeError, type SandboxError } from '../../../core/error/index.ts';
import { RemoteThread } from '../../remote/index.ts';
import type { CheckedCommand } from '../backend/command.ts';
import { endInTime } from '../backend/command-end.ts';
import { failedError, unavailableError } from '../backend/errors.ts';
import { CommandOutputs } from '../backend/output.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { ShellFileError } from './file-error.ts';
import { type VirtualSettings, virtualBackend } from './options.ts';
import type {
  ScriptEnd,
  ServedFunctions,
  ShellFunctions,
  ShellScript,
  ShellThreadData,
  UnusableShell,
} from './protocol.ts';
import type { VirtualFiles } from './virtual-files.ts';

/** As the system reports a process that was killed for its memory. */
const outOfMemory = 137;
const mib = 1_048_576;
const maxStringBytes = 64 * mib;
/** The part of the memory that one string may take. Where a larger one does not fit, Node ends the process in place of the thread. */
const stringShare = 1 / 16;

/** An interpreter that fails in the middle of a script. */
class InterpreterError extends Error {}

/** The command that runs. */
interface RunningCommand {
  readonly served: ServedFunctions;
  /** Ends the command with an error that it did not cause. */
  fail(error: unknown): void;
}

/**
 * The thread that interprets the scripts of one sandbox. It shares the process, and nothing else is given to it: no environment, no
 * arguments, no standard streams. When it runs out of memory, it ends, and the process continues.
 */
export class ShellThread {
  readonly #thread: RemoteThread<ShellFunctions>;
  readonly #settings: VirtualSettings;
  #running: RunningCommand | undefined;

  constructor(settings: VirtualSettings) {
    this.#settings = settings;
    const { maxMemoryBytes, network } = settings;
    const workerData: ShellThreadData = {
      network,
      maxStringBytes: Math.min(maxStringBytes, Math.floor(maxMemoryBytes * stringShare)),
    };
    this.#thread = new RemoteThread({
      // This module is in a file one folder below that of the build, whichever file that is.
      program: new URL('../host/sandbox/virtual/program.js', import.meta.url),
      name: 'weakincentives-virtual-sandbox',
      isSilent: true,
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(maxMemoryBytes / mib) },
      // What it asks for between commands is not answered.
      serve: () => this.#running?.served,
      pack: (error) => {
        if (error instanceof ShellFileError) return { name: 'Error', message: error.message };
        this.#running?.fail(error);
        return undefined;
      },
      unpack: ({ message }) => new InterpreterError(message),
    });
  }

  /** Whether it can run another command. */
  get isUsable(): boolean {
    return this.#thread.isUsable;
  }

  /**
   * Settles when it can run commands.
   * @throws {SandboxError} `sandbox-unavailable`.
   */
  async started(): Promise<void> {
    let unusable: UnusableShell | undefined;
    let cause: unknown;
    try {
      unusable = await this.#thread.call('start');
    } catch (error) {
      cause = error;
      unusable = { isMissing: false, reason: crashReason(error) };
    }
    if (unusable === undefined) return;
    await this.terminate();
    throw unusableError(unusable, cause);
  }

  terminate(): Promise<void> {
    return this.#thread.terminate();
  }

  /**
   * Runs a command; one at a time.
   * @throws {SandboxError} `sandbox-failed`; the signal's reason; what the file system throws that the command did not cause.
   */
  async run(command: CheckedCommand, files: VirtualFiles, signal: AbortSignal): Promise<SandboxOutcome> {
    signal.throwIfAborted();
    let failure: { readonly error: unknown } | undefined;
    // The interpreter hands over its output at the end only, so after a time-out there is none.
    using ended = endInTime(command, signal, this.#settings.clock, () => void this.terminate());
    const fail = (error: unknown): void => {
      failure ??= { error };
      void this.terminate();
    };
    this.#running = { served: { ...files.operations, alive: command.onOutput }, fail };
    try {
      const end = await this.#thread.call('run', scriptOf(command, this.#settings));
      signal.throwIfAborted();
      return outcomeOf(command, end, ended.timedOut);
    } catch (error) {
      await this.terminate();
      signal.throwIfAborted();
      if (failure !== undefined) throw failure.error;
      if (isOutOfMemory(error)) return outcomeOf(command, this.#memoryEnd(), ended.timedOut);
      if (ended.timedOut) return outcomeOf(command, undefined, true);
      throw interpreterFailed(error);
    } finally {
      this.#running = undefined;
    }
  }

  #memoryEnd(): ScriptEnd {
    const { maxMemoryBytes } = this.#settings;
    const stderr = Buffer.from(`bash: out of memory: the limit is ${maxMemoryBytes} bytes\n`);
    return { exitCode: outOfMemory, stdout: new Uint8Array(), stderr };
  }
}

/** @param end undefined when the script did not end by itself. */
function outcomeOf(command: CheckedCommand, end: ScriptEnd | undefined, timedOut: boolean): SandboxOutcome {
  const outputs = new CommandOutputs(command);
  if (end !== undefined) {
    if (end.stdout.length > 0) outputs.add('stdout', end.stdout);
    if (end.stderr.length > 0) outputs.add('stderr', end.stderr);
  }
  return outputs.outcome({ exitCode: end?.exitCode, signal: undefined, timedOut, killedProcesses: 0 });
}

function scriptOf({ argv, cwd, env, stdin }: CheckedCommand, settings: VirtualSettings): ShellScript {
  const [program, flag, script] = argv;
  const isScript = argv.length === 3 && program === 'sh' && flag === '-c' && script !== undefined;
  const bytes = typeof stdin === 'string' ? Buffer.from(stdin) : (stdin ?? new Uint8Array());
  return {
    // Quoted words are not keywords or aliases, and nothing in them is expanded.
    script: isScript ? script : argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' '),
    cwd: cwd === '.' ? '/workspace' : `/workspace/${cwd}`,
    env: { HOME: '/tmp', TMPDIR: '/tmp', LANG: 'C.UTF-8', ...settings.env, ...env },
    stdin: new Uint8Array(bytes),
  };
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
}

function crashReason(error: unknown): string {
  return isOutOfMemory(error) ? 'it ran out of memory when it started' : describeError(error);
}

/** The error for an interpreter that failed. */
function interpreterFailed(error: unknown): SandboxError {
  return failedError(
    virtualBackend,
    `The interpreter failed in the middle of the command: ${describeError(error)}. Simplify the command.`,
    error instanceof InterpreterError ? undefined : error,
  );
}

function unusableError({ isMissing, reason }: UnusableShell, cause: unknown): SandboxError {
  const seen = `the package "just-bash" ${isMissing ? 'could not be loaded' : `does not work: ${reason}`}`;
  const what = isMissing ? 'it' : 'a supported version';
  const advice = `Install ${what} with \`npm install just-bash@^3.4.2\`, or use another backend.`;
  return unavailableError(virtualBackend, seen, advice, { cause });
}
