import { MemoryFilesystem } from '../../filesystem/index.ts';
import type { Clock } from '../../session/index.ts';
import type { RecordedContent, RunRecord } from '../fold/run-record.ts';

/**
 * The files that a run has seen, as they were when it began. A file that it knew by a listing only, or whose content was not kept, has as many
 * blanks as it had bytes, where that is known: calls that read it are answered from the record.
 */
export function startFiles(record: RunRecord, clock: Pick<Clock, 'now'>): MemoryFilesystem {
  const files = new Map<string, string | Uint8Array>();
  for (const { path, content } of record.filesAt(0)) files.set(path, bytesOfContent(content));
  const known = [...files.keys()];
  for (const { path, names } of record.listings) {
    for (const name of names) {
      const child = path === '' || path === '.' ? name : `${path}/${name}`;
      const isDirectory = known.some((file) => file.startsWith(`${child}/`)) || isListed(record, child);
      if (!isDirectory && !files.has(child) && !isCreated(record, child)) files.set(child, '');
    }
  }
  return new MemoryFilesystem({ files: Object.fromEntries(files), clock });
}

/** The bytes of a content; blanks where they were not kept. */
export function bytesOfContent({ text, base64, bytes }: RecordedContent): string | Uint8Array {
  if (text !== undefined) return text;
  if (base64 !== undefined) return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return ' '.repeat(bytes);
}

function isListed({ listings }: RunRecord, path: string): boolean {
  return listings.some((listing) => listing.path === path);
}

/** Whether the run made it: a directory may be listed for the first time after that. */
function isCreated({ commits }: RunRecord, path: string): boolean {
  return commits.some(({ attempt }) =>
    attempt.files.some((file) => file.kind === 'created' && file.path === path),
  );
}
