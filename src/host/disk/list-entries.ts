import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { childPath } from '../../core/filesystem/index.ts';
import type { HostDirectory } from './host-directory.ts';

/** The kind of a directory entry, as far as a mount distinguishes kinds. */
export type HostEntryKind = 'file' | 'directory' | 'symlink' | 'special';

/** One entry of a host directory. */
export interface HostEntry {
  readonly name: string;
  readonly kind: HostEntryKind;
}

/** Counts the entries that are read, and records the skipped ones. */
export interface EntryTally {
  readonly entries: number;
  countEntry(): void;
  skip(path: string, reason: 'name-not-allowed'): void;
  stop(by: 'max-entries'): void;
}

/**
 * The entries of a directory, sorted by name, up to the rest of `maxEntries`. A name that is not UTF-8 is skipped:
 * a workspace path cannot represent it.
 * @throws the error of the operating system.
 */
export async function listEntries(
  directory: HostDirectory,
  path: string,
  tally: EntryTally,
  maxEntries: number,
): Promise<readonly HostEntry[]> {
  const entries: HostEntry[] = [];
  // Node's types declare `opendir` for string names only; with this encoding the names are bytes.
  const stream = await opendir(directory.path, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  for await (const entry of stream) {
    if (tally.entries >= maxEntries) {
      tally.stop('max-entries');
      break;
    }
    tally.countEntry();
    const name = decodeName(entry.name);
    if (name.isExact) entries.push({ name: name.text, kind: kindOf(entry) });
    else tally.skip(childPath(path, name.text), 'name-not-allowed');
  }
  return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function decodeName(name: string | Uint8Array): { readonly text: string; readonly isExact: boolean } {
  if (typeof name === 'string') return { text: name, isExact: true };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(name), isExact: true };
  } catch {
    return { text: new TextDecoder().decode(name), isExact: false };
  }
}

function kindOf(entry: Dirent): HostEntryKind {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  if (entry.isSymbolicLink()) return 'symlink';
  return 'special';
}
