import { closeSync, fchmodSync, fchownSync, fstatSync, fsyncSync, futimesSync, openSync } from 'node:fs';
import type { FileContent } from '../../../core/filesystem/index.ts';
import { copyOpenFile, writeWhole } from '../../disk/copy-open-file.ts';
import { identityOf, stampOf } from '../../disk/stamp.ts';
import { changedOnDiskError } from '../jail/disk-error.ts';
import type { HostJail } from '../jail/jail.ts';
import { DiskContent } from '../tree/disk-content.ts';
import type { StagedContent } from './commit-step.ts';
import { atPath } from './run-step.ts';

/**
 * Writes new content next to its target and syncs it to the disk.
 * @returns device and inode of the new file.
 * @throws {FilesystemError} `file-changed-on-disk` when the content to copy has changed.
 * @throws the error of the operating system.
 */
export function stageContent(jail: HostJail, staged: StagedContent): string {
  const { access, content, modifiedAtMs } = staged;
  const mode = staged.mode ?? access?.mode;
  const file = atPath(jail, staged.staged, (path) =>
    openSync(path, 'wx', mode === undefined ? 0o666 : 0o600),
  );
  try {
    writeContent(jail, content, file);
    if (access !== undefined) {
      const stats = fstatSync(file);
      if (stats.uid !== access.uid || stats.gid !== access.gid) tryToOwn(file, access.uid, access.gid);
    }
    if (mode !== undefined) fchmodSync(file, mode);
    if (modifiedAtMs !== undefined) futimesSync(file, modifiedAtMs / 1000, modifiedAtMs / 1000);
    fsyncSync(file);
    return identityOf(fstatSync(file, { bigint: true }));
  } finally {
    closeSync(file);
  }
}

/** Content on the disk is copied from there in chunks, not loaded into memory. */
function writeContent(jail: HostJail, content: FileContent, target: number): void {
  if (!(content instanceof DiskContent)) return writeWhole(target, content.data());
  const { kept } = content;
  if (kept === undefined) return copyFromPlace(jail, content, target);
  if (kept instanceof Uint8Array) return writeWhole(target, kept);
  const source = openSync(kept.hostPath, 'r');
  try {
    copyOpenFile(source, target);
  } finally {
    closeSync(source);
  }
}

function copyFromPlace(jail: HostJail, content: DiskContent, target: number): void {
  const isCopied = jail.readFile(content.segments, (source, stats) => {
    if (stampOf(stats) !== content.stamp) return false;
    copyOpenFile(source, target);
    return stampOf(fstatSync(source, { bigint: true })) === content.stamp;
  });
  if (isCopied !== true) throw changedOnDiskError(content.path);
}

/** Only a privileged process may change the owner; otherwise the new file belongs to this process. */
function tryToOwn(file: number, uid: number, gid: number): void {
  try {
    fchownSync(file, uid, gid);
  } catch {
    // The writer stays the owner, as with any editor that replaces files.
  }
}
