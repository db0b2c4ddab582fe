import {
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs';
import type { StagedContent } from './commit-step.ts';
import { DiskContent } from './disk-content.ts';
import { changedOnDiskError } from './disk-error.ts';
import type { HostJail } from './jail.ts';
import { atPath } from './run-step.ts';
import { identityOf, stampOf } from './stamp.ts';

const CHUNK_BYTES = 1_048_576;

/**
 * Writes new content beside its place and forces it to the disk. Content that lies on the disk already is copied from
 * there, however large it is, without being held in memory.
 * @returns device and inode of the new file.
 * @throws {FilesystemError} `changed-on-disk` when the content that is to be copied is another by now.
 * @throws the error of the operating system.
 */
export function stageContent(jail: HostJail, staged: StagedContent): string {
  const { access, content, modifiedAtMs } = staged;
  const file = atPath(jail, staged.staged, (path) =>
    openSync(path, 'wx', access === undefined ? 0o666 : 0o600),
  );
  try {
    if (content instanceof DiskContent && !content.isPinned) copyContent(jail, content, file);
    else writeAll(file, content.data());
    if (access !== undefined) {
      const stats = fstatSync(file);
      if (stats.uid !== access.uid || stats.gid !== access.gid) tryToOwn(file, access.uid, access.gid);
      fchmodSync(file, access.mode);
    }
    if (modifiedAtMs !== undefined) futimesSync(file, modifiedAtMs / 1000, modifiedAtMs / 1000);
    fsyncSync(file);
    return identityOf(fstatSync(file, { bigint: true }));
  } finally {
    closeSync(file);
  }
}

function copyContent(jail: HostJail, content: DiskContent, target: number): void {
  const copied = jail.readFile(content.segments, (source, stats) => {
    if (stampOf(stats) !== content.stamp) return false;
    const chunk = new Uint8Array(CHUNK_BYTES);
    for (;;) {
      const read = readSync(source, chunk, 0, chunk.length, null);
      if (read === 0) break;
      writeAll(target, chunk.subarray(0, read));
    }
    return stampOf(fstatSync(source, { bigint: true })) === content.stamp;
  });
  if (copied !== true) throw changedOnDiskError(content.path);
}

function writeAll(file: number, data: Uint8Array): void {
  for (let written = 0; written < data.length; ) written += writeSync(file, data, written);
}

/** Only a privileged process may give files away; for any other the new file is its own. */
function tryToOwn(file: number, uid: number, gid: number): void {
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Kept by its writer, as by every editor that replaces files.
  }
}
