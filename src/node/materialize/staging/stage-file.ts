import { chmodSync, lstatSync, utimesSync, writeFileSync } from 'node:fs';
import { isSameNode, nodeAt } from '../../../filesystem/index.ts';
import { systemClock } from '../../../session/index.ts';
import { modeOf } from '../../disk/stamp.ts';
import { errorCode } from '../../disk/system-error.ts';
import type { DiskSource } from '../../host-filesystem/disk-source.ts';
import { DiskContent } from '../../host-filesystem/tree/disk-content.ts';
import { hashLater, type Staged, type StagedFile, stagedFile } from './baseline.ts';
import { cloneFile } from './clone-file.ts';
import type { PlannedFile } from './disk-plan.ts';

/** A further change within this time may leave the stamp of a file as it is. */
const SETTLING_MS = 2000;

/** Asks a view of a folder of the disk for its present state. */
export type OpenSource = () => DiskSource;

/**
 * Puts a file into the folder: a clone of what stands on the disk, or what the view has in its place.
 * @returns what is to be remembered of it; `left-out` for what may not be read.
 * @throws {FilesystemError} `changed-on-disk`; the error of the operating system.
 */
export async function stageFile(openSource: OpenSource, file: PlannedFile, target: string): Promise<Staged> {
  const { node, mode } = file;
  const { content } = node;
  if (content instanceof DiskContent && content.kept === undefined) {
    try {
      noteUnsettled(content);
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
  if (content instanceof DiskContent) noteUnsettled(content);
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
function noteUnsettled(content: DiskContent): void {
  const changedAtMs = Number(BigInt(content.stamp.split(':').at(-1) ?? 0) / 1_000_000n);
  if (systemClock.now() - changedAtMs < SETTLING_MS) content.holds();
}
