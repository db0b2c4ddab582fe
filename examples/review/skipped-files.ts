import type { FolderCopy } from 'weakincentives/node';
import type { Unmounted } from './slices.ts';
import { showName } from './text.ts';

type Skipped = FolderCopy['report']['skipped'];

/** Paths that one note names. */
const namedPaths = 3;

const reasons: Readonly<Record<Skipped[number]['reason'], string>> = {
  symlink: 'a symbolic link',
  'symlink-outside': 'a symbolic link that leads out of what is shown',
  'symlink-cycle': 'a symbolic link into its own parents',
  'special-file': 'no ordinary file',
  unreadable: 'not readable',
  'file-too-large': 'larger than 32.0 MB',
  'mount-full': 'beyond the bytes that are taken in all',
  'changed-while-reading': 'changed while it was read',
  'name-not-allowed': 'its name is no UTF-8 or not allowed',
};

/** A description of what a review skips. @param folders names of directories that are left out at any depth. */
export function skippedFiles(skipped: Skipped, folders: readonly string[]): Unmounted {
  const entries = skipped.map(({ path, reason }) => ({ path, reason: reasons[reason] }));
  return { folders, entries, total: entries.length };
}

/** The same for the person who reads the report, one line for each reason. */
export function skipNotes({ entries }: Unmounted): readonly string[] {
  const byReason = new Map<string, string[]>();
  for (const { path, reason } of entries) byReason.set(reason, [...(byReason.get(reason) ?? []), path]);
  return [...byReason].map(([reason, paths]) => {
    const rest = paths.length - namedPaths;
    const named = paths.slice(0, namedPaths).map(showName).join(', ');
    return `left out, ${reason}: ${named}${rest > 0 ? ` and ${rest.toLocaleString('en-US')} more` : ''}`;
  });
}
