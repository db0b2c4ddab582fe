import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { copyOpenFile } from '../../disk/copy-open-file.ts';

/** A larger content is kept on the disk. */
const MAX_BYTES_IN_MEMORY = 16_384;

/** What is over this in all is kept on the disk too, so that removing a folder of very many small files does not fill the memory. */
const MAX_TOTAL_BYTES_IN_MEMORY = 67_108_864;

/** A content that is kept outside of the folder. */
export interface KeptContent {
  /** A file that holds it and does not change. */
  readonly hostPath: string;
}

/**
 * Contents that commits have replaced and that a fork or a snapshot still sees, in a folder beside the journal: each once,
 * under its hash, for as long as somebody can ask for it.
 */
export class KeptContents {
  readonly #directory: string;
  readonly #holders = new Map<string, number>();
  readonly #registry = new FinalizationRegistry<string>((hash) => this.#release(hash));
  #bytesInMemory = 0;
  readonly #memory = new FinalizationRegistry<number>((bytes) => {
    this.#bytesInMemory -= bytes;
  });

  /** Clears away what a process that was killed has kept. */
  constructor(stateFolder: string) {
    this.#directory = join(stateFolder, 'kept');
    this.dispose();
  }

  /** Whether `holder` is to hold so many bytes itself; they count for as long as it can be reached. */
  reserveMemory(bytes: number, holder: object): boolean {
    if (bytes > MAX_BYTES_IN_MEMORY || this.#bytesInMemory + bytes > MAX_TOTAL_BYTES_IN_MEMORY) return false;
    this.#bytesInMemory += bytes;
    this.#memory.register(holder, bytes);
    return true;
  }

  /**
   * Keeps the content of an open file for as long as `holder` can be reached.
   * @throws the error of the operating system.
   */
  keep(file: number, holder: object): KeptContent {
    mkdirSync(this.#directory, { recursive: true, mode: 0o700 });
    const unnamed = join(this.#directory, `${randomUUID()}.tmp`);
    const hash = createHash('sha256');
    try {
      const copy = openSync(unnamed, 'wx', 0o600);
      try {
        copyOpenFile(file, copy, (chunk) => hash.update(chunk));
      } finally {
        closeSync(copy);
      }
      const name = hash.digest('hex');
      const hostPath = join(this.#directory, name);
      renameSync(unnamed, hostPath);
      this.#holders.set(name, (this.#holders.get(name) ?? 0) + 1);
      this.#registry.register(holder, name);
      return { hostPath };
    } catch (error) {
      rmSync(unnamed, { force: true });
      throw error;
    }
  }

  /** Lets go of everything. */
  dispose(): void {
    this.#holders.clear();
    try {
      rmSync(this.#directory, { recursive: true, force: true });
    } catch {
      // Nothing asks for it any more; the next opening clears it away.
    }
  }

  #release(name: string): void {
    const holders = this.#holders.get(name);
    if (holders === undefined) return;
    if (holders > 1) {
      this.#holders.set(name, holders - 1);
      return;
    }
    this.#holders.delete(name);
    try {
      unlinkSync(join(this.#directory, name));
    } catch {
      // As with close().
    }
  }
}
