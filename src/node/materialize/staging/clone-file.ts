import { closeSync, constants, copyFileSync, fstatSync, openSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { OPEN_FILES } from '../../disk/open-flags.ts';
import { stampOf } from '../../disk/stamp.ts';
import { changedOnDiskError } from '../../host-filesystem/jail/disk-error.ts';
import type { HostJail } from '../../host-filesystem/jail/jail.ts';
import type { DiskContent } from '../../host-filesystem/tree/disk-content.ts';

/** A file system that can share blocks does; every other copies, within the kernel where it can. */
const CLONE = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Larger files are copied while others work. */
const MAX_BYTES_AT_ONCE = 1_048_576;

/**
 * Clones a file of the disk to a path that is free, with its permissions.
 * @throws {FilesystemError} `changed-on-disk` when it is not the file that was seen.
 * @throws the error of the operating system.
 */
export async function cloneFile(jail: HostJail, content: DiskContent, target: string): Promise<void> {
  const source = jail.readFile(content.segments, (file, stats) => {
    if (stampOf(stats) !== content.stamp) return undefined;
    const path = hostPathOf(jail, content, file);
    if (content.bytes > MAX_BYTES_AT_ONCE) return openSync(path, 'r');
    copyFileSync(path, target, CLONE);
    return stampOf(fstatSync(file, { bigint: true })) === content.stamp ? 'copied' : undefined;
  });
  if (source === undefined) throw changedOnDiskError(content.path);
  if (source === 'copied') return;
  try {
    await copyFile(hostPathOf(jail, content, source), target, CLONE);
    if (stampOf(fstatSync(source, { bigint: true })) !== content.stamp)
      throw changedOnDiskError(content.path);
  } finally {
    closeSync(source);
  }
}

/** The open file itself, whatever its name leads to by now, where the platform has paths for open files. */
function hostPathOf(jail: HostJail, content: DiskContent, file: number): string {
  if (jail.kind === 'kernel') return `${OPEN_FILES}/${file}`;
  return jail.within(content.segments.slice(0, -1), (pathOf) => pathOf(content.segments.at(-1)));
}
