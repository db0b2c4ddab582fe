import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import { assertOptions, FilesystemError } from '../../core/error/index.ts';
import { quoteText } from '../../core/internal/index.ts';
import type { RunRecorder, RunRecorderOptions } from '../../record/index.ts';

/** Options of {@link openRunRecorder}. */
export interface OpenRunRecorderOptions extends Omit<RunRecorderOptions, 'write'> {
  /**
   * The file of the record. It must not exist, and should be outside the folder that the agent works on: its searches would find
   * it. It is as secret as that folder.
   */
  readonly file: string;
}

/** Records one run in a file. Disposing it writes what is left and closes the file. */
export interface FileRunRecorder extends RunRecorder, AsyncDisposable {}

/**
 * Creates the file of a record, readable for its owner only, and an observer that writes it. Rows are written at the end of the step of the event loop in
 * which they were made, so a process that is killed loses no more than those.
 *
 * @throws {FilesystemError} `path-taken` when the file exists; `filesystem-storage-failed` when it cannot be created.
 * @see docs/spec/run-record.md §1
 */
export async function openRunRecorder(options: OpenRunRecorderOptions): Promise<FileRunRecorder> {
  assertOptions('openRunRecorder()', options, {
    clock: 'any',
    module: 'any',
    onFailure: 'any',
    params: 'any',
    reads: 'any',
    runId: 'any',
    runtime: 'any',
    workspace: 'any',
    apply: 'any',
    file: 'string!',
  });
  const { file, ...rest } = options;
  // Programs that record nothing do not load it.
  const { createRunRecorder } = await import('../../record/index.ts');
  const lines = new FileLines(createFile(file), (error) => rest.onFailure?.(error));
  const recorder = createRunRecorder(
    {
      runtime: `node ${process.versions.node}`,
      ...rest,
      write: (line) => lines.add(line),
    },
    (data) => createHash('sha256').update(data).digest('hex'),
  );
  const flush = recorder.flush.bind(recorder);
  return Object.assign(recorder, {
    flush: async () => {
      await flush();
      lines.flush();
    },
    [Symbol.asyncDispose]: async () => {
      await flush();
      lines.close();
    },
  });
}

function createFile(file: string): number {
  try {
    return openSync(file, 'wx', 0o600);
  } catch (cause) {
    const shown = quoteText(basename(file));
    // What Node throws has a code.
    const isTaken = (cause as NodeJS.ErrnoException).code === 'EEXIST';
    throw isTaken
      ? new FilesystemError(
          'path-taken',
          `The record ${shown} exists. Name a file that does not, or remove it.`,
          { cause },
        )
      : new FilesystemError('filesystem-storage-failed', `The record ${shown} cannot be created.`, { cause });
  }
}

/** Lines for the end of a file: those of one step of the event loop are written together. */
class FileLines {
  readonly #file: number;
  #waiting: string[] = [];
  #timer: NodeJS.Immediate | undefined;
  readonly #onFailure: (error: unknown) => void;
  #hasFailed = false;
  #isClosed = false;

  /** @param onFailure called once. Must not throw. */
  constructor(file: number, onFailure: (error: unknown) => void) {
    this.#file = file;
    this.#onFailure = onFailure;
  }

  /** Nothing is written after a failure, and once the file is closed. */
  add(line: string): void {
    if (this.#hasFailed || this.#isClosed) return;
    this.#waiting.push(line);
    this.#timer ??= setImmediate(() => this.flush());
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.flush();
    closeSync(this.#file);
  }

  /** Writes the lines that wait. */
  flush(): void {
    if (this.#timer !== undefined) clearImmediate(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const lines = this.#waiting;
    this.#waiting = [];
    try {
      // It throws when they are longer than a string can be.
      const bytes = Buffer.from(`${lines.join('\n')}\n`);
      for (let done = 0; done < bytes.length; ) done += writeSync(this.#file, bytes, done);
    } catch (error) {
      this.#hasFailed = true;
      this.#onFailure(error);
    }
  }
}
