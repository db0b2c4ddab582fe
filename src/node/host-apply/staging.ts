import { randomUUID } from 'node:crypto';
import { type FileHandle, open, rename, rmdir, unlink } from 'node:fs/promises';
import type { HostDirectory } from '../host-mount/host-directory.ts';
import type { CheckedChange } from './check-change.ts';
import { ensureFolder, inFolder, splitPath } from './host-place.ts';

/** New content that lies beside its place, complete, under a name of its own. */
interface StagedFile {
  readonly path: string;
  readonly temporaryName: string;
}

/** New contents of files, written to disk beside the places they are for. Nothing that was there is touched. */
export class Staging {
  readonly #root: HostDirectory;
  readonly #made: string[] = [];
  readonly #waiting = new Map<string, StagedFile>();

  constructor(root: HostDirectory) {
    this.#root = root;
  }

  /**
   * Writes the new content of one file. A replaced file's permissions are kept; a new one gets the usual ones.
   * @throws the error of the operating system.
   */
  async add({ change, mode }: CheckedChange): Promise<void> {
    const { parent } = splitPath(change.path);
    const temporaryName = `.wink-${randomUUID()}.tmp`;
    await ensureFolder(this.#root, parent, this.#made);
    await inFolder(this.#root, parent, async (folder) => {
      const handle = await open(folder.pathOf(temporaryName), 'wx', mode === undefined ? 0o666 : 0o600);
      this.#waiting.set(change.path, { path: change.path, temporaryName });
      try {
        await fill(handle, change.after?.data() ?? new Uint8Array(), mode);
      } finally {
        await handle.close();
      }
    });
  }

  /** Makes an empty folder. @throws the error of the operating system. */
  async addFolder(path: string): Promise<void> {
    await ensureFolder(this.#root, path, []);
  }

  /** Puts the content in its place, in one step. @throws the error of the operating system. */
  async place(path: string): Promise<void> {
    const staged = this.#waiting.get(path);
    if (staged === undefined) return;
    const { parent, name } = splitPath(path);
    await inFolder(this.#root, parent, (folder) =>
      rename(folder.pathOf(staged.temporaryName), folder.pathOf(name)),
    );
    this.#waiting.delete(path);
  }

  /** Removes what was not put in its place, and the folders that were made for it. Never throws. */
  async discard(): Promise<void> {
    for (const { path, temporaryName } of this.#waiting.values()) {
      await inFolder(this.#root, splitPath(path).parent, (folder) =>
        unlink(folder.pathOf(temporaryName)),
      ).catch(() => undefined);
    }
    this.#waiting.clear();
    // The innermost first; a folder that something was put into stays.
    for (const path of this.#made.reverse()) await removeEmptyFolder(this.#root, path);
  }
}

/** Removes a folder when it is empty; leaves it otherwise. Never throws. */
export async function removeEmptyFolder(root: HostDirectory, path: string): Promise<void> {
  const { parent, name } = splitPath(path);
  await inFolder(root, parent, (folder) => rmdir(folder.pathOf(name))).catch(() => undefined);
}

async function fill(handle: FileHandle, content: Uint8Array, mode: number | undefined): Promise<void> {
  await handle.writeFile(content);
  if (mode !== undefined) await handle.chmod(mode);
  await handle.sync();
}
