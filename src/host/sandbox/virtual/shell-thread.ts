import { Worker } from 'node:worker_threads';
import { describeError, SandboxError } from '../../../core/error/index.ts';
import { present } from '../../../core/internal/index.ts';
import { systemClock } from '../../../core/session/index.ts';
import type { CheckedCommand } from '../backend/command.ts';
import { outputWindow, sandboxOutput } from '../backend/output.ts';
import type { SandboxOutcome } from '../backend/sandbox-backend.ts';
import { ShellFileError } from './file-error.ts';
import { type VirtualSettings, virtualBackend } from './options.ts';
import type { ShellThreadData, ShellThreadReport, ShellThreadRequest } from './protocol.ts';
import type { VirtualFiles } from './virtual-files.ts';

/** As the system reports a process that was killed for its memory. */
const outOfMemory = 137;
const mib = 1_048_576;
const maxStringBytes = 64 * mib;
/** The part of the memory that one string may take. Where a larger one does not fit, Node ends the process in place of the thread. */
const stringShare = 1 / 16;

type Ending =
  | { readonly kind: 'report'; readonly report: Extract<ShellThreadReport, { kind: 'end' | 'failed' }> }
  | { readonly kind: 'out-of-memory' }
  | { readonly kind: 'crash'; readonly error: unknown };

/**
 * The thread that interprets the scripts of one sandbox. It shares the process, and nothing else is given to it: no environment, no
 * arguments, no standard streams. When it runs out of memory, it ends, and the process goes on.
 */
export class ShellThread {
  readonly #worker: Worker;
  readonly #settings: VirtualSettings;
  readonly #started: Promise<void>;
  #onReport: (report: ShellThreadReport) => void = () => undefined;
  #onCrash: (error: unknown) => void = () => undefined;
  #isUsable = true;

  constructor(settings: VirtualSettings) {
    this.#settings = settings;
    const data: ShellThreadData = {
      network: settings.network,
      maxStringBytes: Math.min(maxStringBytes, Math.floor(settings.maxMemoryBytes * stringShare)),
    };
    // This module is in a file one folder below that of the build, whichever file that is.
    this.#worker = new Worker(new URL('../host/sandbox/virtual/program.js', import.meta.url), {
      name: 'weakincentives-virtual-sandbox',
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      workerData: data,
      resourceLimits: { maxOldGenerationSizeMb: Math.floor(settings.maxMemoryBytes / mib) },
    });
    // Nothing that it prints is wanted; unread, it would be kept.
    this.#worker.stdout.resume();
    this.#worker.stderr.resume();
    this.#started = new Promise((resolve, reject) => {
      this.#onReport = (report) => {
        if (report.kind === 'ready') resolve();
        else if (report.kind === 'unusable') reject(unusableError(report));
      };
      this.#onCrash = (error) =>
        reject(unusableError({ isMissing: false, reason: crashReason(error) }, error));
    });
    this.#started.catch(() => this.terminate());
    this.#worker.on('message', (report: ShellThreadReport) => this.#onReport(report));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('messageerror', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(new Error('The thread has ended.')));
    // A thread that waits for its first command must not keep the process alive.
    this.#worker.unref();
  }

  /** Whether it can run another command. */
  get isUsable(): boolean {
    return this.#isUsable;
  }

  /**
   * Settles when it can run commands.
   * @throws {SandboxError} `sandbox-unavailable`.
   */
  async started(): Promise<void> {
    this.#worker.ref();
    try {
      await this.#started;
    } finally {
      this.#worker.unref();
    }
  }

  async terminate(): Promise<void> {
    this.#isUsable = false;
    await this.#worker.terminate();
  }

  /**
   * Runs a command; one at a time.
   * @throws {SandboxError} `sandbox-failed`; the signal's reason; what the file system throws that is none of the command's doing.
   */
  async run(command: CheckedCommand, files: VirtualFiles, signal: AbortSignal): Promise<SandboxOutcome> {
    signal.throwIfAborted();
    const { clock = systemClock } = this.#settings;
    const { timeoutMs, onOutput } = command;
    let timedOut = false;
    let cancelTimer: () => void = () => undefined;
    const onAbort = (): void => void this.terminate();
    this.#worker.ref();
    try {
      const ending = await new Promise<Ending>((resolve, reject) => {
        this.#onCrash = (error) =>
          resolve(isOutOfMemory(error) ? { kind: 'out-of-memory' } : { kind: 'crash', error });
        this.#onReport = (report) => {
          if (report.kind === 'end' || report.kind === 'failed') resolve({ kind: 'report', report });
          else if (report.kind === 'alive') onOutput();
          else if (report.kind === 'call') this.#answer(report, files).catch(reject);
        };
        signal.addEventListener('abort', onAbort);
        if (timeoutMs !== undefined) {
          cancelTimer = clock.schedule(timeoutMs, () => {
            timedOut = true;
            // The interpreter hands over its output at the end only, so there is none.
            void this.terminate();
          });
        }
        this.#post(requestOf(command, this.#settings));
      });
      signal.throwIfAborted();
      return this.#outcome(command, ending, timedOut);
    } catch (error) {
      await this.terminate();
      throw signal.aborted ? signal.reason : error;
    } finally {
      cancelTimer();
      signal.removeEventListener('abort', onAbort);
      this.#onReport = () => undefined;
      this.#onCrash = () => undefined;
      this.#worker.unref();
    }
  }

  async #answer(
    { id, call }: Extract<ShellThreadReport, { kind: 'call' }>,
    files: VirtualFiles,
  ): Promise<void> {
    try {
      this.#post({ kind: 'answer', id, value: await files.answer(call) });
    } catch (error) {
      if (!(error instanceof ShellFileError)) throw error;
      this.#post({ kind: 'refusal', id, message: error.message });
    }
  }

  #outcome(command: CheckedCommand, ending: Ending, timedOut: boolean): SandboxOutcome {
    const [stdout, stderr] = [outputWindow(command.maxOutputBytes), outputWindow(command.maxOutputBytes)];
    let exitCode: number | undefined;
    if (ending.kind === 'report' && ending.report.kind === 'end') {
      const { report } = ending;
      stdout.add(report.stdout);
      stderr.add(report.stderr);
      if (report.stdout.length + report.stderr.length > 0) command.onOutput();
      exitCode = report.exitCode;
    } else if (ending.kind === 'out-of-memory') {
      const { maxMemoryBytes } = this.#settings;
      stderr.add(Buffer.from(`bash: out of memory: the limit is ${maxMemoryBytes} bytes\n`));
      exitCode = outOfMemory;
    } else if (!timedOut) {
      throw failedError(ending);
    }
    return {
      exitCode: timedOut ? undefined : exitCode,
      signal: undefined,
      timedOut,
      stdout: sandboxOutput(stdout),
      stderr: sandboxOutput(stderr),
      killedProcesses: 0,
    };
  }

  #post(request: ShellThreadRequest): void {
    // oxlint-disable-next-line require-post-message-target-origin -- A thread, not a window.
    this.#worker.postMessage(request);
  }

  #end(error: unknown): void {
    this.#isUsable = false;
    this.#onCrash(error);
  }
}

function requestOf({ argv, cwd, env, stdin }: CheckedCommand, settings: VirtualSettings): ShellThreadRequest {
  const [program, flag, script] = argv;
  const isScript = argv.length === 3 && program === 'sh' && flag === '-c' && script !== undefined;
  const bytes = typeof stdin === 'string' ? Buffer.from(stdin) : (stdin ?? new Uint8Array());
  return {
    kind: 'run',
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
function failedError(ending: Ending): SandboxError {
  const cause = ending.kind === 'crash' ? ending.error : undefined;
  const reason =
    ending.kind === 'report' && ending.report.kind === 'failed' ? ending.report.reason : describeError(cause);
  return new SandboxError(
    'sandbox-failed',
    `The interpreter failed in the middle of the command: ${reason}. Simplify the command.`,
    { ...present({ cause }), details: { backend: virtualBackend } },
  );
}

const installAdvice = 'npm install just-bash@^3.4.2';

function unusableError(
  { isMissing, reason }: { readonly isMissing: boolean; readonly reason: string },
  cause?: unknown,
): SandboxError {
  const what = isMissing
    ? `the package "just-bash" could not be loaded. Install it with \`${installAdvice}\`, or use another backend.`
    : `the package "just-bash" does not work: ${reason}. Install a supported version with \`${installAdvice}\`, or use another backend.`;
  return new SandboxError('sandbox-unavailable', `The backend "virtual" does not work here: ${what}`, {
    cause,
    details: { backend: virtualBackend },
  });
}
