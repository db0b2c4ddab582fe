import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  lstatSync,
  openSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { isSameNode, nodeAt } from '../../../filesystem/index.ts';
import { systemClock } from '../../../session/index.ts';
import { OPEN_FILES } from '../../disk/open-flags.ts';
import { modeOf, stampOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import type { DiskSource } from '../../host-filesystem/disk-source.ts';
import { changedOnDiskError } from '../../host-filesystem/jail/disk-error.ts';
import type { HostJail } from '../../host-filesystem/jail/jail.ts';
import { DiskContent } from '../../host-filesystem/tree/disk-content.ts';
import { hashLater, type Staged, type StagedFile, stagedFile } from './baseline.ts';
import type { PlannedFile } from './plan-disk.ts';

/** A further change within this time may leave the stamp of a file as it is. */
const SETTLING_MS = 2000;

/** Asks a view of a folder of the disk for its present state. */
export type OpenSource = () => DiskSource;

/**
 * Puts a file into the folder: a clone of what stands on the disk, or what the view has in its place.
 * @returns what is to be remembered of it; `left-out` for what may not be read.
 * @throws {FilesystemError} `file-changed-on-disk`; the error of the operating system.
 */
export async function stageFile(openSource: OpenSource, file: PlannedFile, target: string): Promise<Staged> {
  const { node, mode } = file;
  const { content } = node;
  if (content instanceof DiskContent && content.kept === undefined) {
    try {
      readIfUnsettled(content);
      await cloneFile(openSource().jail, content, target);
    } catch (error) {
      if (errorCode(error) === 'EACCES' || errorCode(error) === 'EPERM') return { kind: 'left-out' };
      throw error;
    }
  } else writeFileSync(target, content.data(), { flag: 'wx' });
  if (mode !== undefined) chmodSync(target, mode);
  utimesSync(target, node.modifiedAtMs / 1000, node.modifiedAtMs / 1000);
  const found = lstatSync(target, { bigint: true });
  return stagedFile(found, { ...sourceOf(openSource, file), mode: modeOf(found) });
}

/** Describes a file that stands in the lower layer as it is. */
export function fileOnDisk(openSource: OpenSource, file: PlannedFile): StagedFile {
  const { content } = file.node;
  if (content instanceof DiskContent) readIfUnsettled(content);
  return {
    kind: 'file',
    stamp: undefined,
    isSettled: false,
    bytes: content.bytes,
    mode: file.mode,
    ...sourceOf(openSource, file),
  };
}

function sourceOf(
  openSource: OpenSource,
  { node, path }: PlannedFile,
): Pick<StagedFile, 'hash' | 'isPresent'> {
  return {
    hash: hashLater(() => node.content.data()),
    isPresent: () => isSameNode(nodeAt(openSource().root, path), node),
  };
}

/** A file that was changed a moment ago is read, so that the view knows its content and not its stamp alone. */
function readIfUnsettled(content: DiskContent): void {
  const changedAtMs = Number(BigInt(content.stamp.split(':').at(-1) ?? 0) / 1_000_000n);
  if (systemClock.now() - changedAtMs < SETTLING_MS) content.isUnchanged();
}

/** A file system that can share blocks does; every other copies, within the kernel where it can. */
const CLONE = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Larger files are copied while others work. */
const MAX_BYTES_AT_ONCE = 1_048_576;

/**
 * Clones a file of the disk to a path that is free, with its permissions.
 * @throws {FilesystemError} `file-changed-on-disk` when it is not the file that was seen.
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
