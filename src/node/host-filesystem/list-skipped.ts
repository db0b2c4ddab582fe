import { childPath, type DirectoryNode, type FileContent, MAX_DEPTH } from '../../filesystem/index.ts';
import type { MountSkip, MountSkipReason } from '../host-mount/report.ts';
import { DiskContent, RefusedContent } from './tree/disk-content.ts';
import { DiskDirectory } from './tree/disk-directory.ts';

/** What of a tree is no ordinary file that can be read, sorted by path. What is deeper than paths reach is named, and not entered. */
export function listSkipped(root: DirectoryNode, maxFileBytes: number): readonly MountSkip[] {
  const found: MountSkip[] = [];
  const walk = (directory: DirectoryNode, path: string, depth: number): void => {
    if (directory instanceof DiskDirectory) {
      for (const name of directory.hiddenNames) {
        found.push({ path: childPath(path, name), reason: 'name-not-allowed' });
      }
    }
    for (const [name, node] of directory.entries) {
      const at = childPath(path, name);
      const reason = node.kind === 'file' ? reasonOf(node.content, maxFileBytes) : undefined;
      if (depth >= MAX_DEPTH) found.push({ path: at, reason: 'name-not-allowed' });
      else if (reason !== undefined) found.push({ path: at, reason });
      else if (node.kind === 'directory' && node.link !== undefined)
        found.push({ path: at, reason: 'symlink' });
      else if (node.kind === 'directory') walk(node, at, depth + 1);
    }
  };
  walk(root, '.', 0);
  return found.sort((left, right) => (left.path < right.path ? -1 : 1));
}

function reasonOf(content: FileContent, maxFileBytes: number): MountSkipReason | undefined {
  if (content instanceof RefusedContent) return content.isLink ? 'symlink-outside' : 'special-file';
  if (content instanceof DiskContent && content.isLink) return 'symlink';
  return content.bytes > maxFileBytes ? 'file-too-large' : undefined;
}
