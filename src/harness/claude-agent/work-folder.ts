import { mkdir } from 'node:fs/promises';
import { FilesystemError } from '../../core/error/index.ts';
import { openStagedFolder, type StagedFolder } from '../../host/index.ts';
import type { HarnessFiles, HarnessRequest } from '../kit/index.ts';

/** How often the model may bring what it has changed into a form that can be kept. */
const maxCorrections = 2;

/** The working directory of a run: a copy of the files of the prompt for built-in tools, else an empty folder. */
export class WorkFolder implements AsyncDisposable {
  /** For the process that works in it. */
  readonly path: string;
  readonly #staged: StagedFolder | undefined;
  readonly #files: HarnessFiles | undefined;
  #corrections = 0;

  private constructor(path: string, staged: StagedFolder | undefined, files: HarnessFiles | undefined) {
    this.path = path;
    this.#staged = staged;
    this.#files = files;
  }

  /** @param empty where the folder is made when it is an empty one. */
  static async open(
    { files }: Pick<HarnessRequest, 'files'>,
    {
      empty,
      isCopy,
      signal,
    }: { readonly empty: string; readonly isCopy: boolean; readonly signal: AbortSignal },
  ): Promise<WorkFolder> {
    if (!isCopy || files === undefined) {
      await mkdir(empty, { mode: 0o700 });
      return new WorkFolder(empty, undefined, undefined);
    }
    const staged = await openStagedFolder(files.copy, { layer: 'copy', signal });
    return new WorkFolder(staged.path, staged, files);
  }

  /**
   * Puts what was changed in the folder on the files of the prompt.
   *
   * @returns the message to the model when that cannot be; undefined when all was kept.
   * @throws {FilesystemError} after the last message to the model.
   */
  async keep(): Promise<string | undefined> {
    if (this.#staged === undefined || this.#files === undefined) return undefined;
    await this.#staged.collect();
    const problem = await this.#files.commit();
    if (problem === undefined) return undefined;
    this.#corrections += 1;
    if (this.#corrections <= maxCorrections) return problem;
    throw new FilesystemError(
      'filesystem-read-only',
      `What the harness changed could not be kept: ${problem}`,
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#staged?.[Symbol.asyncDispose]();
  }
}
