import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { FilesystemError } from '../../../error/index.ts';
import { assertIntegerOption } from '../../../filesystem/index.ts';
import { systemClock } from '../../../session/index.ts';
import { errorCode } from '../../disk/system-error.ts';
import { commandError } from '../staging/staging-error.ts';
import type { CommandOptions, CommandOutcome, SpawnArguments } from './run-options.ts';

/** The last bytes of an output, up to a maximum. */
export class OutputTail {
  readonly #maxBytes: number;
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  #isCut = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  add(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    for (
      let first = this.#chunks[0];
      first !== undefined && this.#bytes > this.#maxBytes;
      first = this.#chunks[0]
    ) {
      const surplus = this.#bytes - this.#maxBytes;
      this.#isCut = true;
      if (first.length <= surplus) this.#chunks.shift();
      else this.#chunks[0] = first.subarray(surplus);
      this.#bytes -= Math.min(surplus, first.length);
    }
  }

  /** The output as text, from the first whole character on. */
  text(): string {
    const bytes = Buffer.concat(this.#chunks);
    let first = 0;
    // At most three bytes can remain of a character that was cut.
    while (this.#isCut && first < 3 && ((bytes[first] ?? 0) & 0xc0) === 0x80) first += 1;
    return bytes.subarray(first).toString('utf8');
  }
}

/** A running command. */
export interface RunningProcess {
  /** Rejects with the reason passed to `stop`. */
  readonly ended: Promise<CommandOutcome>;
  /** Kills the command and every process in its group. */
  stop(reason: unknown): void;
}

/** Processes that left the group may keep the outputs open; these are read this long after the command has exited. */
const DRAIN_MS = 500;

/** @throws {FilesystemError} `argument-invalid`. A command that does not exist, or cannot be executed, is reported in the outcome. */
function start(
  { command, args, cwd }: SpawnArguments,
  env: Readonly<Record<string, string>>,
): ChildProcessWithoutNullStreams {
  try {
    return spawn(command, args, {
      cwd,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    throw commandError(error);
  }
}

/** Starts a command as the leader of a process group. */
export function runProcess(line: SpawnArguments, options: CommandOptions): RunningProcess {
  const { env = {}, input, signal, timeoutMs, maxOutputBytes = 65_536, clock = systemClock } = options;
  assertIntegerOption('maxOutputBytes', maxOutputBytes, 0);
  if (timeoutMs !== undefined && !(timeoutMs > 0)) {
    throw new FilesystemError(
      'argument-invalid',
      `The option timeoutMs is ${timeoutMs}; it must be above 0.`,
    );
  }
  signal?.throwIfAborted();
  const child = start(line, env);
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
  const stdout = new OutputTail(maxOutputBytes);
  const stderr = new OutputTail(maxOutputBytes);
  const output = new OutputTail(maxOutputBytes);
  for (const [stream, tail] of [
    [child.stdout, stdout],
    [child.stderr, stderr],
  ] as const) {
    stream.on('data', (chunk: Uint8Array) => {
      tail.add(chunk);
      output.add(chunk);
    });
  }
  // The command may not read its input.
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<CommandOutcome>((resolve, reject) => {
    const settle = (exitCode: number | undefined, exitSignal: string | undefined): void => {
      for (const cancel of cancels) cancel();
      if (stopped !== undefined) return reject(stopped.reason);
      resolve({
        exitCode,
        signal: exitSignal,
        timedOut,
        stdout: stdout.text(),
        stderr: stderr.text(),
        output: output.text(),
        truncated: output.isCut,
      });
    };
    child.once('error', (error) => {
      const code = errorCode(error);
      const isAbsent = code === 'ENOENT';
      const message = Buffer.from(`${line.command}: ${isAbsent ? 'not found' : 'cannot be executed'}\n`);
      stderr.add(message);
      output.add(message);
      settle(isAbsent ? 127 : 126, undefined);
    });
    child.once('exit', () => {
      endGroup();
      cancels.push(
        clock.schedule(DRAIN_MS, () => {
          child.stdout.destroy();
          child.stderr.destroy();
        }),
      );
    });
    child.once('close', (exitCode, exitSignal) => settle(exitCode ?? undefined, exitSignal ?? undefined));
  });
  return { ended, stop };
}
