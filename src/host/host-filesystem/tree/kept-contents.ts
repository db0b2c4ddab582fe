import { createHash, randomUUID } from 'node:crypto';
import { closeSync, mkdirSync, openSync, renameSync, rmSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../../core/internal/index.ts';
import { copyOpenFile } from '../../disk/copy-open-file.ts';

/** A larger content is kept on the disk. */
const maxBytesInMemory = 16_384;

/** Beyond this total, contents are kept on the disk too, so that removing a folder of very many small files does not exhaust memory. */
const maxTotalBytesInMemory = 67_108_864;

/** A content that is kept outside the folder. */
export interface KeptContent {
  /** An immutable file that holds it. */
  readonly hostPath: string;
}

/**
 * Contents that commits have replaced and that a fork or a snapshot still uses, in a folder next to the journal: each once,
 * under its hash, for as long as it is reachable.
 */
export class KeptContents {
  readonly #directory: string;
  readonly #holders = new Map<string, number>();
  readonly #registry = new FinalizationRegistry<string>((hash) => this.#release(hash));
  #bytesInMemory = 0;
  readonly #memory = new FinalizationRegistry<number>((bytes) => {
    this.#bytesInMemory -= bytes;
  });

  /** Removes what a killed process has kept. */
  constructor(stateFolder: string) {
    this.#directory = join(stateFolder, 'kept');
    this.dispose();
  }

  /** Whether `holder` may keep the given number of bytes in memory; they count for as long as it is reachable. */
  reserveMemory(bytes: number, holder: object): boolean {
    if (bytes > maxBytesInMemory || this.#bytesInMemory + bytes > maxTotalBytesInMemory) return false;
    this.#bytesInMemory += bytes;
    this.#memory.register(holder, bytes);
    return true;
  }

  /**
   * Keeps the content of an open file for as long as `holder` is reachable.
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

  /** Releases all contents. */
  dispose(): void {
    this.#holders.clear();
    // When that fails, the next opening removes it.
    attempt(() => rmSync(this.#directory, { recursive: true, force: true }));
  }

  #release(name: string): void {
    const holders = this.#holders.get(name);
    if (holders === undefined) return;
    if (holders > 1) {
      this.#holders.set(name, holders - 1);
      return;
    }
    this.#holders.delete(name);
    // When that fails, the next opening removes it.
    attempt(() => unlinkSync(join(this.#directory, name)));
  }
}
