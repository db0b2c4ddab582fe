import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import type { HostDirectory } from './host-directory.ts';

/** What a directory entry is, as far as a mount cares. */
export type HostEntryKind = 'file' | 'directory' | 'symlink' | 'special';

/** One entry of a host directory. */
export interface HostEntry {
  readonly name: string;
  readonly kind: HostEntryKind;
}

/** Counts the entries that are looked at, and keeps what is left out. */
export interface EntryTally {
  readonly entries: number;
  countEntry(): void;
  skip(path: string, reason: 'name-not-allowed'): void;
  stop(by: 'max-entries'): void;
}

/**
 * The entries of a directory, sorted by name, as many as `maxEntries` still allows. A name that is no UTF-8 is skipped:
 * it has no form in a workspace.
 * @throws the error of the operating system.
 */
export async function listEntries(
  directory: HostDirectory,
  pathOf: (name: string) => string,
  tally: EntryTally,
  maxEntries: number,
): Promise<readonly HostEntry[]> {
  const entries: HostEntry[] = [];
  // Node's types know `opendir` for names as text only; with this encoding the names are bytes.
  const stream = await opendir(directory.path, { encoding: 'buffer' as BufferEncoding, bufferSize: 256 });
  for await (const entry of stream) {
    if (tally.entries >= maxEntries) {
      tally.stop('max-entries');
      break;
    }
    tally.countEntry();
    const name = decodeName(entry.name);
    if (name.isExact) entries.push({ name: name.text, kind: kindOf(entry) });
    else tally.skip(pathOf(name.text), 'name-not-allowed');
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
