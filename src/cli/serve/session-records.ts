import type { RunObserver } from '../../core/runtime/index.ts';
import type { RecordFile } from '../agent/record-file.ts';

/** What {@link SessionRecords} works with. */
export interface SessionRecordsOptions {
  /** Creates the file of the record with this number, from 1. */
  open(number: number): Promise<RecordFile>;
  /** Gets what is to be said of a record, in whole lines. */
  say(line: string): void;
}

/** The records of the sessions of a server: one file each, since a record holds one run. A file is closed when its session ends. */
export class SessionRecords {
  readonly #options: SessionRecordsOptions;
  readonly #open = new Set<RecordFile>();
  readonly #closing = new Set<Promise<void>>();
  /** Was opened before there was a session. */
  #unused: RecordFile | undefined;
  #opened = 1;

  private constructor(options: SessionRecordsOptions, first: RecordFile) {
    this.#options = options;
    this.#unused = first;
    this.#open.add(first);
  }

  /** Creates the first file, so that a server that cannot record does not start. @throws what `open` throws. */
  static async open(options: SessionRecordsOptions): Promise<SessionRecords> {
    return new SessionRecords(options, await options.open(1));
  }

  /** The observers of the next session. @throws what `open` throws: the session is not to be opened. */
  async next(): Promise<readonly RunObserver[]> {
    const file = this.#unused ?? (await this.#openNext());
    this.#unused = undefined;
    const closing: RunObserver = {
      onEvent: ({ type, path }) => {
        if (type === 'run-end' && path.length === 0) this.#close(file);
      },
    };
    return [file.observer, closing];
  }

  /** Closes what is open. */
  async close(): Promise<void> {
    for (const file of this.#open) this.#close(file);
    await Promise.all(this.#closing);
  }

  async #openNext(): Promise<RecordFile> {
    const { open, say } = this.#options;
    this.#opened += 1;
    try {
      const file = await open(this.#opened);
      this.#open.add(file);
      return file;
    } catch (error) {
      // The client does not get the reason.
      say(
        `a client was refused: ${error instanceof Error ? error.message : 'its record cannot be written.'}`,
      );
      throw error;
    }
  }

  #close(file: RecordFile): void {
    if (!this.#open.delete(file)) return;
    const closed = file.close().then((lines) => {
      for (const line of lines) this.#options.say(line);
      this.#closing.delete(closed);
    });
    // What it rejects with is for `close`, which may be called much later.
    closed.catch(() => undefined);
    this.#closing.add(closed);
  }
}
