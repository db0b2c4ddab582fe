import { FilesystemError } from '../../error/index.ts';
import { quoteText } from '../../internal/index.ts';
import type { DirectoryNode } from '../content/tree-node.ts';

/** What a tree may hold at most. */
export interface TreeLimits {
  /** All files together. */
  readonly maxBytes: number;
  /** Each file. */
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Without the root. */
  readonly maxDirectories: number;
}

/** True when no total is bounded, so that nobody has to know the totals. */
export function isUnlimited({ maxBytes, maxFiles, maxDirectories }: TreeLimits): boolean {
  const unlimited = Number.POSITIVE_INFINITY;
  return maxBytes === unlimited && maxFiles === unlimited && maxDirectories === unlimited;
}

/** Why a tree cannot be allowed; undefined when it keeps within the limits. @param path what the message names. */
export function findExcess(
  path: string,
  tree: DirectoryNode,
  limits: TreeLimits,
): FilesystemError | undefined {
  // The totals of a folder of the disk cost a look at all of it.
  if (isUnlimited(limits)) return undefined;
  const { bytes, files, directories } = tree;
  const { maxBytes, maxFiles, maxDirectories } = limits;
  if (bytes > maxBytes) return quotaError(path, 'bytes in all', bytes, maxBytes);
  if (files > maxFiles) return quotaError(path, 'files in all', files, maxFiles);
  if (directories > maxDirectories)
    return quotaError(path, 'directories in all', directories, maxDirectories);
  return undefined;
}

function quotaError(path: string, what: string, total: number, maximum: number): FilesystemError {
  return new FilesystemError(
    'filesystem-quota-exceeded',
    `Writing ${quoteText(path)} would make it ${total} ${what}; at most ${maximum} are allowed. Remove something or write less.`,
    { details: { path, total, maximum } },
  );
}
