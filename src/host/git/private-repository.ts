import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FilesystemError } from '../../core/error/index.ts';
import { type Filesystem, normalizePath } from '../../core/filesystem/index.ts';
import { quoteText, startOf } from '../../core/internal/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { diskSourceOf } from '../host-filesystem/disk-source.ts';
import type { PathKind, VisiblePaths } from '../host-filesystem/tree/visible-paths.ts';
import { makePrivateFolder, openTempRoot, removeFolder } from '../staged-folder/staging/private-folder.ts';
import { GitRefusal } from './git-error.ts';
import type { GitLimits } from './git-limits.ts';
import { type GitDirectory, openObjects, readGitDirectory } from './read-git-directory.ts';
import { type GitOutput, type GitRun, runGit } from './run-git.ts';

/** Decides which paths of the history may be shown: those that the workspace would show if they were on disk. */
class HistoryPaths {
  readonly #visible: VisiblePaths | undefined;

  constructor(visible: VisiblePaths | undefined) {
    this.#visible = visible;
  }

  /** The path that git printed; undefined when it must not be shown, or is not a path that a workspace can have. */
  shown(bytes: Uint8Array, kind: PathKind = 'file'): string | undefined {
    let path: string;
    try {
      path = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
      if (path === '.' || normalizePath(path) !== path) return undefined;
    } catch {
      // Not UTF-8, or not a path of a workspace: an attacker can write any bytes as the name of a tree entry.
      return undefined;
    }
    return this.#isVisible(path, kind) ? path : undefined;
  }

  /**
   * The path that the model asks for.
   * @returns undefined for the root.
   * @throws {GitRefusal} when it is not a path of the workspace, or is excluded.
   */
  requested(given: string): string | undefined {
    let path: string;
    try {
      path = normalizePath(given);
    } catch (error) {
      if (!FilesystemError.isInstance(error)) throw error;
      throw new GitRefusal(
        `${error.message} Use a path from the root of the workspace, for example "src/main.ts".`,
      );
    }
    if (path === '.') return undefined;
    if (this.#isVisible(path)) return path;
    throw new GitRefusal(
      `${quoteText(startOf(path, 200))} is excluded from this workspace: its history is not shown either. Use another path.`,
    );
  }

  /** Git's own directory is never part of a commit that git itself has made. */
  #isVisible(path: string, kind?: PathKind): boolean {
    if (path.split('/').some((segment) => segment.toLowerCase() === '.git')) return false;
    return this.#visible?.reachesInAnyCase(path, kind) ?? true;
  }
}

/** What is needed to read the history of the repository of a workspace. */
export interface RepositoryOptions {
  /** The program: a name in `PATH` or a path. */
  readonly git: string;
  readonly limits: GitLimits;
  readonly signal: AbortSignal;
  /** The clock for the time limit. Default: the system clock. */
  readonly clock?: Clock;
}

/** The history of a repository as it was when the call began. Disposing it stops git and removes the private folder. */
export interface PrivateRepository extends AsyncDisposable {
  readonly limits: GitLimits;
  readonly paths: Pick<HistoryPaths, 'shown' | 'requested'>;
  /** False when no commit is on the current branch yet. */
  readonly hasHead: boolean;
  /** True for a clone that does not have the whole history. */
  readonly isShallow: boolean;
  /**
   * Runs git on the objects.
   * @param args no part of them is text of the model, except what was checked and paths after `--`.
   * @throws {GitRefusal} when it fails or takes too long.
   */
  run(args: readonly string[], options?: GitRun): Promise<GitOutput>;
}

/**
 * Opens the repository of a workspace on disk for one call.
 *
 * Threat model. The repository is hostile: every byte below `.git` may be chosen by an attacker. A program that the attacker names must not
 * run, nothing must be written, and nothing outside of the folder and nothing that the workspace excludes must be read.
 *
 * - Git runs on a directory of our own, which has a fixed config, no hooks, no attributes, no index and no work tree. Of the
 *   repository it sees the ids of refs, which were copied as data, and the directories of objects, through links in an object
 *   directory of our own. So it reads no config, `info/`, alternates, grafts, commit graphs or replacements of the repository.
 * - The object directory is opened without following links, and git gets the open directory. Everything in it must be a
 *   regular file or directory. Another process of the same machine that replaces a pack by a link between this check and
 *   git can redirect git to another file of objects. The tools of an agent cannot: no `Filesystem` makes links.
 * - What git prints is parsed as data. Objects that make git fail, or use more memory or time than allowed, fail the call.
 *
 * @throws {GitRefusal}
 */
export async function openRepository(
  filesystem: Filesystem,
  { git, limits, signal, clock = systemClock }: RepositoryOptions,
): Promise<PrivateRepository> {
  const open = diskSourceOf(filesystem);
  if (open === undefined)
    throw new GitRefusal(
      'The workspace is not a folder on disk, so it has no repository. Open it with openHostFilesystem().',
    );
  signal.throwIfAborted();
  const { jail, visible } = open();
  jail.assertInPlace();
  const directory = readGitDirectory(jail, limits.maxRefBytes);
  const objects = openObjects(jail);
  const stop = new AbortController();
  const onAbort = (): void => stop.abort(signal.reason);
  signal.addEventListener('abort', onAbort);
  const cancelTimer = clock.schedule(limits.timeoutMs, () =>
    stop.abort(
      new GitRefusal(
        `git did not finish within ${limits.timeoutMs / 1000} s. Ask for less, such as one path or fewer commits.`,
      ),
    ),
  );
  let folder: string | undefined;
  const dispose = async (): Promise<void> => {
    cancelTimer();
    signal.removeEventListener('abort', onAbort);
    stop.abort(new GitRefusal('The call has ended.'));
    objects[Symbol.dispose]();
    if (folder !== undefined) await removeFolder(folder);
  };
  try {
    folder = await makePrivateFolder(await openTempRoot(undefined), undefined);
    await fill(folder, directory, objects);
    const at = folder;
    return {
      limits,
      paths: new HistoryPaths(visible),
      hasHead: directory.head.startsWith('ref: ')
        ? directory.refs.has(directory.head.slice('ref: '.length))
        : true,
      isShallow: directory.shallow.length > 0,
      run: (args, options = {}) =>
        runGit(
          { git, folder: at, args, signal: stop.signal, maxMemoryBytes: limits.maxMemoryBytes, clock },
          options,
        ),
      [Symbol.asyncDispose]: dispose,
    };
  } catch (error) {
    await dispose();
    throw error;
  }
}

async function fill(
  folder: string,
  { format, head, refs, shallow }: GitDirectory,
  objects: { readonly path: string; readonly parts: readonly string[] },
): Promise<void> {
  const at = (...names: readonly string[]): string => join(folder, 'git', ...names);
  await mkdir(join(folder, 'home'), { mode: 0o700 });
  await mkdir(at('objects', 'info'), { recursive: true, mode: 0o700 });
  await mkdir(at('refs'), { mode: 0o700 });
  for (const part of objects.parts) await symlink(`${objects.path}/${part}`, at('objects', part));
  await writeFile(at('config'), configText(format));
  await writeFile(at('HEAD'), `${head}\n`);
  await writeFile(at('packed-refs'), Array.from(refs, ([name, id]) => `${id} ${name}\n`).join(''));
  if (shallow.length > 0) await writeFile(at('shallow'), `${shallow.join('\n')}\n`);
}

/** All settings that git reads. Bounds of memory; what reads optional files of the object directory is off. */
function configText(format: GitDirectory['format']): string {
  const extensions = format === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${format}\n`;
  return `[core]
	repositoryFormatVersion = ${format === 'sha1' ? 0 : 1}
	bare = true
	attributesFile = /dev/null
	hooksPath = /dev/null
	bigFileThreshold = 16m
	packedGitLimit = 256m
	packedGitWindowSize = 16m
	deltaBaseCacheLimit = 64m
	commitGraph = false
	multiPackIndex = false
[protocol]
	allow = never
[gc]
	auto = 0
[maintenance]
	auto = false
[i18n]
	logOutputEncoding = UTF-8
${extensions}`;
}
