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
import { isSameNode, nodeAt } from '../../../core/filesystem/index.ts';
import { systemClock } from '../../../core/session/index.ts';
import { openFiles } from '../../disk/open-flags.ts';
import { modeOf, stampOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import type { DiskSource } from '../../host-filesystem/disk-source.ts';
import { changedOnDiskError } from '../../host-filesystem/jail/disk-error.ts';
import type { HostJail } from '../../host-filesystem/jail/jail.ts';
import { DiskContent } from '../../host-filesystem/tree/disk-content.ts';
import { hashLater, type Staged, type StagedFile, stagedFile } from './baseline.ts';
import type { PlannedFile } from './plan-disk.ts';

/** Another change within this time may not alter the stamp of a file. */
const settlingMs = 2000;

/** Returns the present state of a view of a folder on disk. */
export type OpenSource = () => DiskSource;

/**
 * Writes a file to the folder: a clone of the file on disk, or the content that the view has instead.
 * @returns its entry for the baseline; `left-out` for a file that must not be read.
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

/** The baseline entry of an unchanged file in the lower layer. */
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

/** Reads a file that was changed just now, so that the view knows its content and not only its stamp. */
function readIfUnsettled(content: DiskContent): void {
  const changedAtMs = Number(BigInt(content.stamp.split(':').at(-1) ?? 0) / 1_000_000n);
  if (systemClock.now() - changedAtMs < settlingMs) content.isUnchanged();
}

/** A file system that supports reflinks shares the blocks; any other copies, in the kernel where possible. */
const copyFlags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;

/** Larger files are copied asynchronously. */
const maxBytesAtOnce = 1_048_576;

/**
 * Clones a file on disk to a new path, with its permissions.
 * @throws {FilesystemError} `file-changed-on-disk` when it has changed since it was read.
 * @throws the error of the operating system.
 */
export async function cloneFile(jail: HostJail, content: DiskContent, target: string): Promise<void> {
  const source = jail.readFile(content.segments, (file, stats) => {
    if (stampOf(stats) !== content.stamp) return undefined;
    const path = hostPathOf(jail, content, file);
    if (content.bytes > maxBytesAtOnce) return openSync(path, 'r');
    copyFileSync(path, target, copyFlags);
    return stampOf(fstatSync(file, { bigint: true })) === content.stamp ? 'copied' : undefined;
  });
  if (source === undefined) throw changedOnDiskError(content.path);
  if (source === 'copied') return;
  try {
    await copyFile(hostPathOf(jail, content, source), target, copyFlags);
    if (stampOf(fstatSync(source, { bigint: true })) !== content.stamp)
      throw changedOnDiskError(content.path);
  } finally {
    closeSync(source);
  }
}

/** The path of the open file itself, independent of its name, where the platform has paths for open files. */
function hostPathOf(jail: HostJail, content: DiskContent, file: number): string {
  if (jail.kind === 'kernel') return `${openFiles}/${file}`;
  return jail.within(content.segments.slice(0, -1), (pathOf) => pathOf(content.segments.at(-1)));
}
