import { showName } from '../../core/internal/index.ts';
import { splitAtNul } from './file-changes.ts';
import { GitRefusal } from './git-error.ts';
import { isObjectId } from './git-names.ts';
import type { PrivateRepository } from './private-repository.ts';

/** An entry of a directory of a commit. */
export interface TreeEntry {
  readonly kind: 'file' | 'directory' | 'link' | 'submodule';
  readonly mode: string;
  readonly id: string;
  /** The whole path. */
  readonly path: string;
}

/** The entries of a directory of a commit that may be shown. @param path undefined: the root. */
export async function listTree(
  repository: PrivateRepository,
  commit: string,
  path: string | undefined,
): Promise<readonly TreeEntry[]> {
  // With a slash at its end, the path names what the directory contains.
  return lsTree(repository, commit, path === undefined ? undefined : `${path}/`);
}

/** The entry at a path of a commit, which must be visible. @throws {GitRefusal} */
export async function findEntry(
  repository: PrivateRepository,
  commit: string,
  path: string,
): Promise<TreeEntry> {
  const found = (await lsTree(repository, commit, path)).find((entry) => entry.path === path);
  if (found !== undefined) return found;
  throw new GitRefusal(
    `There is no ${showName(path)} in the commit ${commit}. Use git_log with the path to find the commits that change it.`,
  );
}

async function lsTree(
  { run, paths }: PrivateRepository,
  commit: string,
  path: string | undefined,
): Promise<readonly TreeEntry[]> {
  const { stdout } = await run([
    'ls-tree',
    '-z',
    '--full-tree',
    commit,
    '--',
    ...(path === undefined ? [] : [path]),
  ]);
  return splitAtNul(stdout).flatMap((part) => {
    const tab = part.indexOf(9);
    const [mode = '', , id = ''] = part.subarray(0, tab).toString('latin1').split(' ');
    const kind = kindOf(mode);
    const name = paths.shown(part.subarray(tab + 1), kind === 'directory' ? 'directory' : 'file');
    return name === undefined || !isObjectId(id) ? [] : [{ kind, mode, id, path: name }];
  });
}

function kindOf(mode: string): TreeEntry['kind'] {
  if (mode === '160000') return 'submodule';
  if (mode === '120000') return 'link';
  return mode === '040000' ? 'directory' : 'file';
}
