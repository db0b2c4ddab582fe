import {
  type DirectoryNode,
  emptyDirectory,
  type FileOperation,
  leavesOf,
  treeDifferences,
} from '../../../core/filesystem/index.ts';

/**
 * The operations that make the empty directories of `wanted` that are missing in `found`: another process has removed them together with
 * what the pending changes had removed from them.
 */
export function missingDirectories(found: DirectoryNode, wanted: DirectoryNode): readonly FileOperation[] {
  return [...treeDifferences(found, wanted, '.')]
    .filter(({ before }) => before === undefined)
    .flatMap(({ path, after }) => [...leavesOf(after, path)])
    .filter(({ node }) => node.kind === 'directory')
    .map(({ path }) => ({ op: 'put', path, node: emptyDirectory }));
}
