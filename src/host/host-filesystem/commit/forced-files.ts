import { closeSync, fsyncSync } from 'node:fs';
import { getSystemErrorName } from 'node:util';
import { Worker } from 'node:worker_threads';
import { attempt } from '../../../core/internal/index.ts';
import { diskError } from '../jail/disk-error.ts';
import type { OnFailpoint } from './commit-step.ts';

/** How many files are open at most while they wait for the disk. */
const maxOpen = 32;
const maxHelpers = 4;
/** A thread takes some 30 ms to start: a quiet disk takes 200 files in that time. */
const filesPerHelper = 250;

/** The result of a file that is not on the disk yet. Afterwards it is 0, or the negative number of an error of the operating system. */
const pending = 1;

/** What the threads share. The file that was offered as number `n` is at `n % maxOpen`. */
interface SharedFiles {
  /** At 0 how many files were offered, -1 when there will be no more; at 1 how many of these a thread has taken. */
  readonly counts: Int32Array;
  readonly files: Int32Array;
  readonly results: Int32Array;
}

interface OfferedFile {
  readonly path: string;
  readonly file: number;
}

/**
 * Forces open files to the disk, many of them several at a time: what is forced together, a disk takes in one go. Nothing else in this process
 * runs meanwhile, so for the caller it is as if they were forced one after the other. Where threads cannot be started, they are. No remote call does this: its
 * answer comes as a promise, and a commit must not wait for one, so these threads share memory.
 */
export class ForcedFiles implements Disposable {
  readonly #shared: SharedFiles;
  readonly #maxWaiting: number;
  readonly #onFailpoint: OnFailpoint;
  /** In the order in which they were offered. */
  readonly #offered: OfferedFile[] = [];
  /** How many of them are forced and closed. */
  #settled = 0;

  /** @param helpers how many threads help. Default: what is worth it for the number of files. */
  constructor(files: number, onFailpoint?: OnFailpoint, helpers: number = helpersFor(files)) {
    this.#shared = {
      counts: sharedNumbers(2),
      files: sharedNumbers(maxOpen),
      results: sharedNumbers(maxOpen),
    };
    this.#maxWaiting = startHelpers(this.#shared, helpers) ? maxOpen - 1 : 0;
    this.#onFailpoint = onFailpoint;
  }

  /**
   * Takes over an open file, and closes it, whatever happens.
   * @param path what errors name.
   * @throws {FilesystemError} when this file or an earlier one could not be forced.
   */
  add(file: number, path: string): void {
    const { counts, files, results } = this.#shared;
    const place = this.#offered.length % maxOpen;
    files[place] = file;
    Atomics.store(results, place, pending);
    this.#offered.push({ file, path });
    Atomics.store(counts, 0, this.#offered.length);
    Atomics.notify(counts, 0, 1);
    this.#settle(this.#maxWaiting);
  }

  /** Returns when all files are on the disk. @throws {FilesystemError} when one could not be forced. */
  finish(): void {
    this.#settle(0);
  }

  /** Closes the files that are still open. Returns when no thread uses one of them. */
  [Symbol.dispose](): void {
    while (forceNext(this.#shared, () => undefined));
    while (this.#settled < this.#offered.length) attempt(() => this.#closeNext());
    Atomics.store(this.#shared.counts, 0, -1);
    Atomics.notify(this.#shared.counts, 0);
  }

  #settle(maxWaiting: number): void {
    while (this.#offered.length - this.#settled > maxWaiting) {
      const { path } = this.#offered[this.#settled] ?? { path: '.' };
      try {
        const result = this.#closeNext();
        if (result < 0) throw systemError(result);
        this.#onFailpoint?.('forced');
      } catch (error) {
        throw diskError(path, error);
      }
    }
  }

  /** Closes the next file once it has its result. @returns the result. */
  #closeNext(): number {
    const result = this.#resultOf(this.#settled % maxOpen);
    const next = this.#offered[this.#settled];
    this.#settled += 1;
    if (next !== undefined) closeSync(next.file);
    return result;
  }

  /** Waits for the result of a file; while others are not taken, by forcing one. */
  #resultOf(place: number): number {
    const { results } = this.#shared;
    for (;;) {
      const result = Atomics.load(results, place);
      if (result !== pending) return result;
      if (!forceNext(this.#shared, fsyncSync)) Atomics.wait(results, place, pending);
    }
  }
}

function systemError(number: number): Error {
  return Object.assign(new Error('fsync failed'), { code: getSystemErrorName(number), syscall: 'fsync' });
}

function helpersFor(files: number): number {
  return Math.min(maxHelpers, Math.floor(files / filesPerHelper));
}

function sharedNumbers(length: number): Int32Array {
  return new Int32Array(new SharedArrayBuffer(length * Int32Array.BYTES_PER_ELEMENT));
}

/** @returns whether threads help; they end with the last file. */
function startHelpers(shared: SharedFiles, helpers: number): boolean {
  const program =
    `const { workerData } = require('node:worker_threads');` +
    `(${help})(workerData, ${forceNext}, require('node:fs').fsyncSync);`;
  try {
    for (let count = 0; count < helpers; count += 1) {
      const name = 'weakincentives-commit';
      const options = { eval: true, name, env: {}, argv: [], execArgv: [], stdin: false, workerData: shared };
      const worker = new Worker(program, options);
      // One that cannot run has taken no file.
      worker.on('error', () => undefined);
      worker.unref();
    }
  } catch {
    // The process may have no permission for it, or too many threads.
    return false;
  }
  return helpers > 0;
}

/**
 * The loop of a helper. It and {@link forceNext} are the program of a thread, as text: they must use nothing but their parameters.
 */
function help(shared: SharedFiles, next: typeof forceNext, force: (file: number) => void): void {
  for (;;) {
    const offered = Atomics.load(shared.counts, 0);
    if (offered < 0) return;
    if (!next(shared, force)) Atomics.wait(shared.counts, 0, offered);
  }
}

/** Forces a file that no thread has taken. @returns false when there is none. */
function forceNext({ counts, files, results }: SharedFiles, force: (file: number) => void): boolean {
  const taken = Atomics.load(counts, 1);
  if (taken >= Atomics.load(counts, 0)) return false;
  if (Atomics.compareExchange(counts, 1, taken, taken + 1) !== taken) return true;
  const place = taken % files.length;
  let result = 0;
  try {
    force(files[place] ?? -1);
  } catch (error) {
    // EIO where the error has no number.
    result = Number(Object(error).errno) || -5;
  }
  Atomics.store(results, place, result);
  Atomics.notify(results, place);
  return true;
}
