import { type BigIntStats, lstatSync } from 'node:fs';
import type { FilesystemError } from '../../../core/error/index.ts';
import {
  bytesOf,
  directoriesOf,
  filesOf,
  joinPath,
  maxPathDepth,
  type NamedNode,
} from '../../../core/filesystem/index.ts';
import { listNames } from '../../disk/list-names.ts';
import { diskError, NoDirectoryError } from '../jail/disk-error.ts';
import { type HostJail, isTemporaryName } from '../jail/jail.ts';
import type { Segments } from '../jail/open-directories.ts';

/** What a directory was found to hold beside its entries, once all of it was read. */
export interface Listing {
  /** Names in it that are not valid in a path, as far as they can be shown: they are not UTF-8, or contain a backslash. */
  readonly invalidNames: string[];
  /** The invalid names, and names of files that a commit was writing when it was interrupted. */
  readonly unlistedNames: string[];
  /** True when it contains an entry that the file system excludes. */
  hasExcluded: boolean;
  /** Why it cannot be listed; undefined when it can. A search treats such a directory as empty. */
  refusal: FilesystemError | undefined;
}

/** Receives the entries of a directory while it is read. */
export interface EntryReceiver {
  /** Whether a name was read before, and is passed over. */
  isKnown(name: string): boolean;
  /** Whether files are inspected, too. */
  readonly inspectsFiles: boolean;
  /** A regular file, of which nothing is known but its name. */
  onFile(name: string): void;
  /** @param stats undefined: it is gone by now. */
  onEntry(name: string, stats: BigIntStats | undefined): void;
}

/** Reads all of a directory while it is open. What is not an entry, or why there are none, is put into `listing`. */
export function readEntries(
  jail: HostJail,
  directory: Segments,
  listing: Listing,
  receiver: EntryReceiver,
): void {
  const isTooDeep = directory.length >= maxPathDepth;
  let canInspect = false;
  try {
    jail.within(directory, (pathOf) => {
      for (const { name, isExact, isFile } of listNames(pathOf())) {
        const isTemporary = isTemporaryName(name);
        if (isTemporary || isTooDeep || !isExact || name.includes('\\')) {
          listing.unlistedNames.push(name);
          if (!isTemporary) listing.invalidNames.push(name);
        } else if (receiver.isKnown(name)) continue;
        else if (isFile && !receiver.inspectsFiles) {
          // A directory whose names can be read, and nothing else, is refused as a whole.
          if (!canInspect) lstatSync(`${pathOf()}/.`);
          canInspect = true;
          receiver.onFile(name);
        } else receiver.onEntry(name, lstatSync(pathOf(name), { bigint: true, throwIfNoEntry: false }));
      }
    });
  } catch (error) {
    // Gone since it was first read: it is empty, which a comparison will show.
    if (error instanceof NoDirectoryError && directory.length > 0) return;
    const refusal = diskError(joinPath(directory), error);
    if (refusal.code !== 'path-forbidden') throw refusal;
    listing.refusal = refusal;
  }
}

/** The sums over everything in a directory. */
export interface DirectoryTotals {
  readonly bytes: number;
  readonly files: number;
  readonly directories: number;
}

export function totalsOf(children: Iterable<NamedNode>): DirectoryTotals {
  let [bytes, files, directories] = [0, 0, 0];
  for (const [, child] of children) {
    bytes += bytesOf(child);
    files += filesOf(child);
    directories += directoriesOf(child);
  }
  return { bytes, files, directories };
}
