import { describeError, JournalError } from '../../core/error/index.ts';
import type { BlobStore, JournalBatch, JournalRow } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import { readStored, type StoredLine, storedRow } from './stored-row.ts';

/** What {@link StoredLines} are kept with. */
export interface StoredLinesOptions {
  readonly store: BlobStore;
  readonly maxRowCharacters: number;
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, 'schedule'>;
}

/** How many contents are under way at a time. */
const together = 8;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/**
 * The lines of rows in a blob store. A key is that of one run, one owner of it and one content: nothing else is ever put there, so that neither an owner that has lost its lease nor the
 * removal of an earlier run of the same name touches what a row refers to.
 */
export class StoredLines {
  readonly #options: StoredLinesOptions;

  constructor(options: StoredLinesOptions) {
    this.#options = options;
  }

  /** Whether the line of a row is kept in the store. One that is not well-formed has no bytes in UTF-8. */
  isStored({ line }: JournalRow): boolean {
    return line.length > this.#options.maxRowCharacters && line.isWellFormed();
  }

  /**
   * Puts what is long into the store, and reads it again: the rows that come back refer to contents that are there.
   *
   * @param owner of the lease.
   * @throws {JournalError} `journal-failed`: the store has failed, has lost what was put, or has it otherwise.
   */
  async put(batch: JournalBatch, owner: string): Promise<JournalBatch> {
    const { runId } = batch;
    const rows = await severalAtATime(batch.rows, (row) =>
      this.isStored(row) ? this.#put(runId, owner, row) : row,
    );
    return { ...batch, rows };
  }

  /**
   * Rows of a database with the lines that they refer to.
   *
   * @throws {JournalError} `journal-damaged`: a content is not there, or is another one; `journal-failed`: the store has failed.
   */
  async get(runId: string, rows: readonly JournalRow[]): Promise<readonly JournalRow[]> {
    return severalAtATime(rows, (row) => {
      const stored = readStored(runId, row);
      return stored === undefined ? row : this.#get(runId, row.seq, stored);
    });
  }

  /** The keys of all contents that the store is known to have of a run, its rows apart. */
  async listed(runId: string): Promise<readonly string[]> {
    const { store } = this.#options;
    const folder = await folderOf(runId);
    return (await this.#do(() => store.list?.(folder))) ?? [];
  }

  /** @throws {JournalError} `journal-failed`, with the keys that may be left. */
  async remove(runId: string, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    try {
      await this.#do(() => this.#options.store.remove(keys));
    } catch (cause) {
      throw new JournalError(
        'journal-failed',
        `The run "${runId}" was removed from its journal, but contents of it may be left in the blob store: remove the keys of details.keys there. ${describeError(cause)}`,
        { cause, details: { runId, keys } },
      );
    }
  }

  async #put(runId: string, owner: string, { seq, type, line }: JournalRow): Promise<JournalRow> {
    const { store } = this.#options;
    const bytes = encoder.encode(line);
    const hash = await sha256(bytes);
    const key = `${await folderOf(runId)}${await sha256(encoder.encode(owner))}/${hash}`;
    await this.#do(() => store.put(key, bytes));
    const kept = await this.#content(key);
    if (kept?.hash !== hash) {
      const found = kept === undefined ? 'does not have' : 'has changed';
      throw failed(`it ${found} what was put under the key ${key}`, { runId, seq, key });
    }
    return storedRow(seq, { of: type, key, sha256: hash });
  }

  async #get(runId: string, seq: number, { of, key, sha256: hash }: StoredLine): Promise<JournalRow> {
    const kept = await this.#content(key);
    if (kept?.hash === hash) return { seq, type: of, line: decoder.decode(kept.bytes) };
    throw new JournalError(
      'journal-damaged',
      `The blob store ${kept === undefined ? 'does not have' : 'has another content than'} that of row ${seq} of the run "${runId}", under the key ${key}. Restore it from a backup, or open the journal with the store that it was written with.`,
      { details: { runId, seq, key } },
    );
  }

  /** What the store has under a key, as it is now: the bytes are the caller's. */
  #content(key: string): Promise<{ readonly bytes: Uint8Array; readonly hash: string } | undefined> {
    return this.#do(async () => {
      const found = await this.#options.store.get(key);
      if (found === undefined) return undefined;
      const bytes = new Uint8Array(found);
      return { bytes, hash: await sha256(bytes) };
    });
  }

  /** Waits for the store, but not forever: its lease is renewed meanwhile, and the run tries again. */
  async #do<T>(work: () => Promise<T> | undefined): Promise<T | undefined> {
    const { clock, timeoutMs } = this.#options;
    let cancel: (() => void) | undefined;
    try {
      return await new Promise<T | undefined>((resolve, reject) => {
        cancel = clock.schedule(timeoutMs, () => reject(new Error(`it did not answer in ${timeoutMs} ms`)));
        // It may throw at once.
        Promise.resolve(work()).then(resolve, reject);
      });
    } catch (error) {
      throw failed(describeError(error), {}, error);
    } finally {
      cancel?.();
    }
  }
}

/** The native one: contents have megabytes. @returns it in hexadecimal. */
async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(hash, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** What the keys of a run begin with. Its name may have characters that keys must not have. */
async function folderOf(runId: string): Promise<string> {
  return `${await sha256(encoder.encode(runId))}/`;
}

function failed(
  why: string,
  details: Readonly<Record<string, string | number>>,
  cause?: unknown,
): JournalError {
  return new JournalError(
    'journal-failed',
    `The blob store of the journal failed, and nothing was written: ${why}. The journal can be used again when the reason is gone.`,
    { cause, details },
  );
}

/** One result for each item, in their order, some of them at a time. */
async function severalAtATime<T, Result>(
  items: readonly T[],
  work: (item: T) => Result | Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += together) {
    const part = items.slice(from, from + together);
    results.push(...(await Promise.all(part.map(work))));
  }
  return results;
}
