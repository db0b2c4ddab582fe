import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { kill, env as ownEnvironment } from 'node:process';
import type { Readable, Writable } from 'node:stream';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { killTraced, traceVariable } from './descendants.ts';

/** A program with its arguments. It is started without a shell. */
export interface ChildLine {
  readonly command: string;
  readonly args: readonly string[];
  /** Default: the working directory of this process. */
  readonly cwd?: string | undefined;
}

/** How a child is started. */
export interface ChildOptions {
  /** All of its environment variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Its descriptors from 0 on: a pipe to this process, nothing, or a descriptor of this process. */
  readonly stdio: readonly ('pipe' | 'ignore' | number)[];
  /**
   * `ended`: it leads a process group, and what is left of the group is killed when it has exited. `traced`: as `ended`, and on Linux also what
   * it has started and has left the group, found by a variable of its environment. `kept`: it leads a group, which lives on. Default: it is in the group of this process, and gets what a terminal sends to that.
   */
  readonly group?: 'ended' | 'traced' | 'kept' | undefined;
  /** Outputs of it that are not among the pipes: its end waits for these, too. Default: none. */
  readonly outputs?: readonly Readable[] | undefined;
  /** Default: the system clock. */
  readonly clock?: Pick<Clock, 'schedule'> | undefined;
}

/** How a child ended. */
export interface ChildEnd {
  /** Undefined when a signal ended it, or it did not start. */
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** Why it did not start. */
  readonly failure: Error | undefined;
}

/** Processes that left the group may keep the outputs open; these are read this long after the child has exited. */
const drainMs = 500;

/** The trace of a child, after those of this process: who started it must find it as well. */
function tracesWith(trace: string): string {
  const own = ownEnvironment[traceVariable];
  return own === undefined ? trace : `${own} ${trace}`;
}

/**
 * A child process: the only place that starts one. A pipe that breaks does not end this process: writing to a child that has ended
 * fails, and how it ended says why.
 */
export class Child {
  /** For those to whom it is handed on. */
  readonly process: ChildProcess;
  /** Resolves when it has exited, or did not start. Never rejects. */
  readonly exited: Promise<ChildEnd>;
  /**
   * Resolves when its outputs are closed besides, and what was traced is gone. What keeps the outputs open loses them half a second after the
   * exit. Never rejects.
   */
  readonly ended: Promise<ChildEnd>;
  readonly #group: ChildOptions['group'];
  readonly #outputs: readonly Readable[];
  #hasExited = false;

  /** @throws what the system throws for a command line that it does not accept. What does not start otherwise ends with a `failure`. */
  constructor({ command, args, cwd }: ChildLine, options: ChildOptions) {
    const { env, stdio, group, outputs = [], clock = systemClock } = options;
    const trace = group === 'traced' ? randomUUID() : undefined;
    const child = spawn(command, args, {
      cwd,
      env: trace === undefined ? { ...env } : { ...env, [traceVariable]: tracesWith(trace) },
      stdio: [...stdio],
      detached: group !== undefined,
      windowsHide: true,
    });
    this.process = child;
    this.#group = group;
    // The types do not have this case.
    if ((child.stdio as unknown) === undefined) {
      child.on('error', () => undefined);
      throw Object.assign(new Error('This process has too many files open to start another.'), {
        code: 'EMFILE',
      });
    }
    const pipes = stdio.flatMap((kind, position) => (kind === 'pipe' ? [this.pipe(position)] : []));
    this.#outputs = [...outputs, ...pipes.filter(({ readable }) => readable)];
    for (const stream of [...outputs, ...pipes]) stream.on('error', () => undefined);
    this.exited = new Promise((resolve) => {
      child.on('error', (failure) => {
        // Others are those of a signal that could not be sent.
        if (child.pid === undefined) resolve({ exitCode: undefined, signal: undefined, failure });
      });
      child.once('exit', (exitCode, signal) => {
        if (this.#isGroupEnded) this.kill('SIGKILL');
        this.#hasExited = true;
        resolve({ exitCode: exitCode ?? undefined, signal: signal ?? undefined, failure: undefined });
      });
    });
    // Of streams that Node has not made, it does not wait for the end.
    const closings = [child, ...outputs].map(
      (closing) => new Promise((resolve) => void closing.once('close', resolve)),
    );
    this.ended = this.exited.then(async (end) => {
      if (end.failure !== undefined) this.discard();
      else {
        const killed = trace === undefined ? undefined : killTraced(trace);
        // When this process was busy for so long, what has arrived is read first.
        const cancel = clock.schedule(drainMs, () => void setImmediate(() => this.discard()));
        await Promise.all(closings);
        cancel();
        await killed;
      }
      return end;
    });
  }

  /** The pipe at a descriptor that was given as one. */
  pipe(descriptor: number): Readable & Writable {
    // Node types them by position only as far as the error output.
    return this.process.stdio[descriptor] as Readable & Writable;
  }

  /** @throws {Error} of the system, when it does not start. */
  async started(): Promise<void> {
    if (this.process.pid !== undefined) return;
    const { failure } = await this.exited;
    if (failure !== undefined) throw failure;
  }

  /**
   * Sends a signal to it, and to its group when it leads one.
   * @returns whether it was sent. Never throws.
   */
  kill(signal: NodeJS.Signals): boolean {
    const { pid } = this.process;
    // The group that was killed is gone, and another may get its number.
    if (pid === undefined || (this.#hasExited && this.#isGroupEnded)) return false;
    if (this.#group !== undefined) {
      try {
        return kill(-pid, signal);
      } catch {
        // The group has ended, or the system has no process groups.
      }
    }
    return this.process.kill(signal);
  }

  get #isGroupEnded(): boolean {
    return this.#group === 'ended' || this.#group === 'traced';
  }

  /** Whether it keeps this process running, with its pipes. A child does unless this says otherwise. */
  hold(isHeld: boolean): void {
    for (const handle of [this.process, ...this.process.stdio]) {
      if (isHeld && isReferable(handle)) handle.ref();
      else if (isReferable(handle)) handle.unref();
    }
  }

  /** Reads no more of its outputs. */
  discard(): void {
    for (const output of this.#outputs) output.destroy();
  }
}

/**
 * Runs a program without input and output.
 * @throws {Error} when it cannot be started, or does not end with the exit code 0.
 */
export async function runProgram(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const { exited } = new Child({ command, args }, { env, stdio: ['ignore', 'ignore', 'ignore'] });
  const { exitCode, signal, failure } = await exited;
  if (exitCode !== 0) throw failure ?? new Error(`${command} ended with ${exitCode ?? signal}.`);
}

function isReferable(handle: unknown): handle is { ref(): void; unref(): void } {
  return typeof handle === 'object' && handle !== null && 'ref' in handle && 'unref' in handle;
}
