import { writeSync } from 'node:fs';
import { kill, pid } from 'node:process';
import type { ManualClock } from '../../doubles/manual-clock.ts';
import type { Stroke } from '../life.ts';

/** Later than the deadline of every run. */
const pastDeadlineMs = 10 * 3_600_000;

/** The points of the program: prints the name of each that is passed, and strikes at one of them. */
export class Points {
  readonly #stroke: Stroke | undefined;
  readonly #clock: ManualClock;
  readonly #passed = new Map<string, number>();
  readonly #stopping = new AbortController();
  #isFull = false;

  constructor(stroke: Stroke | undefined, clock: ManualClock) {
    this.#stroke = stroke;
    this.#clock = clock;
  }

  /** Aborted by the stroke `abort`. */
  get signal(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Whether the journal refuses rows. */
  get isFull(): boolean {
    return this.#isFull;
  }

  pass(point: string): void {
    const count = (this.#passed.get(point) ?? 0) + 1;
    this.#passed.set(point, count);
    const at = `${point}:${count}`;
    writeWhole(1, `${at}\n`);
    if (this.#stroke?.at === at) this.#strike(this.#stroke);
  }

  #strike({ do: kind }: Stroke): void {
    const strokes: Readonly<Record<Stroke['do'], () => unknown>> = {
      kill: () => kill(pid, 'SIGKILL'),
      stop: () => kill(pid, 'SIGSTOP'),
      abort: () => this.#stopping.abort(new Error('The person who began the run has stopped it.')),
      deadline: () => this.#clock.advance(pastDeadlineMs),
      fill: () => (this.#isFull = true),
    };
    strokes[kind]();
  }
}

const retryAfterMs = 5;

/** Writes bytes and returns how many it has taken, as `writeSync`. */
export type WriteSome = (fd: number, bytes: Uint8Array) => number;

/**
 * Writes all of a text before it returns. A pipe that has no room until its reader continues refuses with `EAGAIN`, since a thread of the process
 * makes its standard output non-blocking; that is waited for.
 *
 * @param write Default: `writeSync`.
 * @throws what `write` throws otherwise.
 */
export function writeWhole(fd: number, text: string, write: WriteSome = writeSync): void {
  let rest: Uint8Array = new TextEncoder().encode(text);
  while (rest.length > 0) {
    try {
      rest = rest.subarray(write(fd, rest));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryAfterMs);
    }
  }
}
