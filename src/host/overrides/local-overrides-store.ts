import { existsSync, mkdirSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { assertOptions, FilesystemError, OverridesError } from '../../core/error/index.ts';
import {
  type OverridesStore,
  type PromptIdentity,
  type PromptOverrides,
  parseOverrides,
} from '../../core/prompt/index.ts';
import { errorCode } from '../disk/system-error.ts';
import { FolderLock, openStateFolder } from '../lock/index.ts';
import { overridesFileName, readOverrides, removeOverrides, writeOverrides } from './overrides-file.ts';

/** The location of the override files, and the lock. */
export interface LocalOverridesStoreOptions {
  /**
   * The folder of the overrides; created when something is saved. Default: `.weakincentives/prompts/overrides` in
   * the git repository that the working directory belongs to.
   */
  readonly root?: string;
  /** Where the search for the repository starts. Default: the working directory of the process. */
  readonly workingDirectory?: string;
  /** The directory of the lock, not within `root`. Default: as for `HostFilesystem`. */
  readonly stateDirectory?: string;
}

/** How long a change waits for a change by another process. */
const lockTimeoutMs = 10_000;
const lockRetryMs = 25;

/**
 * Stores overrides in files that people edit and a repository tracks: `<namespace>/<key>/<tag>.json`, keys sorted.
 *
 * A file is replaced atomically, so that a reader sees the old or the new one; changes wait for each other, including those of
 * other processes. A file that cannot be read is refused and never replaced by an empty one.
 */
export class LocalOverridesStore implements OverridesStore {
  readonly #root: string;
  readonly #stateDirectory: string | undefined;

  /** @throws {OverridesError} `overrides-storage-failed` when no root is given and there is no repository. */
  constructor(options: LocalOverridesStoreOptions = {}) {
    assertOptions('new LocalOverridesStore()', options, {
      root: 'string',
      workingDirectory: 'string',
      stateDirectory: 'string',
    });
    const { root, workingDirectory = '.', stateDirectory } = options;
    this.#root = root === undefined ? findOverridesRoot(workingDirectory) : resolve(root);
    this.#stateDirectory = stateDirectory;
  }

  /** The folder that holds the files. */
  get root(): string {
    return this.#root;
  }

  /** @throws {OverridesError} when the file cannot be read, is not valid, or belongs to another prompt. */
  async load(prompt: Pick<PromptIdentity, 'ns' | 'key'>, tag: string): Promise<PromptOverrides | undefined> {
    return readOverrides(this.#root, prompt, tag);
  }

  /**
   * Replaces the file of the prompt and tag that the overrides name.
   * @throws {OverridesError} `overrides-corrupt` for invalid overrides, `overrides-conflicting` when another process holds
   * the lock for too long, `overrides-storage-failed`.
   */
  async save(overrides: PromptOverrides): Promise<void> {
    const checked = parseOverrides(overrides);
    await this.#locked(() => writeOverrides(this.#root, checked));
  }

  /**
   * Changes a file based on its present content, under the lock.
   * @param change receives the present overrides, or undefined, and returns the new ones; undefined leaves the file unchanged.
   * Must be synchronous; if it throws, nothing is changed.
   * @returns the overrides that are now stored.
   * @throws {OverridesError} as {@link load} and {@link save}; `overrides-mismatched` for overrides of another prompt or tag.
   */
  async update(
    prompt: Pick<PromptIdentity, 'ns' | 'key'>,
    tag: string,
    change: (current: PromptOverrides | undefined) => PromptOverrides | undefined,
  ): Promise<PromptOverrides | undefined> {
    return this.#locked(() => {
      const current = readOverrides(this.#root, prompt, tag);
      const next = change(current);
      if (next === undefined) return current;
      const checked = parseOverrides(next);
      if (overridesFileName(checked, checked.tag) !== overridesFileName(prompt, tag)) {
        throw new OverridesError(
          'overrides-mismatched',
          `A change of the overrides "${tag}" of "${prompt.ns}/${prompt.key}" gave those of "${checked.ns}/${checked.key}" with tag "${checked.tag}".`,
        );
      }
      writeOverrides(this.#root, checked);
      return checked;
    });
  }

  /** @throws {OverridesError} `overrides-conflicting`, `overrides-storage-failed`. */
  async delete(prompt: Pick<PromptIdentity, 'ns' | 'key'>, tag: string): Promise<boolean> {
    return this.#locked(() => removeOverrides(this.#root, prompt, tag));
  }

  /** The tags of a prompt for which overrides exist, sorted. */
  async tags(prompt: Pick<PromptIdentity, 'ns' | 'key'>): Promise<readonly string[]> {
    const folder = join(this.#root, overridesFileName(prompt, 'x'), '..');
    try {
      return readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
        .map((entry) => entry.name.slice(0, -'.json'.length))
        .sort();
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw new OverridesError(
        'overrides-storage-failed',
        `The overrides of "${prompt.ns}/${prompt.key}" cannot be listed (${errorCode(error) ?? 'unknown error'}).`,
      );
    }
  }

  async #locked<Result>(act: () => Result): Promise<Result> {
    const lock = await lockInTime(this.#openStateFolder(), lockTimeoutMs);
    try {
      return act();
    } finally {
      lock.dispose();
    }
  }

  #openStateFolder(): string {
    try {
      mkdirSync(this.#root, { recursive: true });
      return openStateFolder(realpathSync(this.#root), this.#stateDirectory);
    } catch (error) {
      if (FilesystemError.isInstance(error))
        throw new OverridesError('overrides-storage-failed', error.message, { cause: error });
      throw new OverridesError(
        'overrides-storage-failed',
        `The folder for prompt overrides cannot be created (${errorCode(error) ?? 'unknown error'}).`,
      );
    }
  }
}

/**
 * The lock, once no other process has it.
 * @throws {OverridesError} `overrides-conflicting` when it was not free for as long as is waited.
 */
export async function lockInTime(stateFolder: string, timeoutMs: number): Promise<FolderLock> {
  for (let waitedMs = 0; ; waitedMs += lockRetryMs) {
    try {
      return FolderLock.acquire(stateFolder, 'prompt overrides');
    } catch (error) {
      if (!FilesystemError.isInstance(error) || error.code !== 'filesystem-locked') throw error;
      if (waitedMs >= timeoutMs) {
        throw new OverridesError(
          'overrides-conflicting',
          `Process ${String(error.details['pid'])} has been changing the prompt overrides for more than ${timeoutMs} ms. Try again when it has ended.`,
          { cause: error },
        );
      }
    }
    await setTimeout(lockRetryMs);
  }
}

/** The path of the overrides in a repository. */
const inRepository = join('.weakincentives', 'prompts', 'overrides');

/**
 * The overrides folder of the repository that contains a folder: the nearest ancestor with `.git`.
 * @throws {OverridesError} `overrides-storage-failed` when there is no repository.
 */
export function findOverridesRoot(workingDirectory: string): string {
  for (let folder = resolve(workingDirectory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return join(folder, inRepository);
    if (dirname(folder) === folder) {
      throw new OverridesError(
        'overrides-storage-failed',
        'The working directory is not in a git repository, so there is no default folder for prompt overrides. Set root.',
      );
    }
  }
}
