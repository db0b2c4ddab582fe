import { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import type { DirectoryNode } from '../content/tree-node.ts';

/** The limits of a tree. */
export interface TreeLimits {
  /** Total of all files. */
  readonly maxBytes: number;
  /** Each file. */
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Not counting the root. */
  readonly maxDirectories: number;
}

/** True when no total is limited, so that the totals need not be computed. */
export function isUnlimited({ maxBytes, maxFiles, maxDirectories }: TreeLimits): boolean {
  const unlimited = Number.POSITIVE_INFINITY;
  return maxBytes === unlimited && maxFiles === unlimited && maxDirectories === unlimited;
}

/** The error for a tree that exceeds a limit; undefined when it does not. @param path the path that the message names. */
export function findExcess(
  path: string,
  tree: DirectoryNode,
  limits: TreeLimits,
): FilesystemError | undefined {
  // Computing the totals of a folder on disk reads all of it.
  if (isUnlimited(limits)) return undefined;
  const { bytes, files, directories } = tree;
  const { maxBytes, maxFiles, maxDirectories } = limits;
  if (bytes > maxBytes) return quotaError(path, 'bytes', bytes, maxBytes);
  if (files > maxFiles) return quotaError(path, 'files', files, maxFiles);
  if (directories > maxDirectories) return quotaError(path, 'directories', directories, maxDirectories);
  return undefined;
}

function quotaError(path: string, what: string, total: number, maximum: number): FilesystemError {
  return new FilesystemError(
    'filesystem-quota-exceeded',
    `Writing ${quoteText(path)} would bring the total to ${total} ${what}; at most ${maximum} are allowed. Remove something or write less.`,
    { details: { path, total, maximum } },
  );
}
