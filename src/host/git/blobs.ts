import { counted, startOf } from '../../core/internal/index.ts';
import type { FileVersion } from './file-changes.ts';
import { damagedHistory } from './git-error.ts';
import type { PrivateRepository } from './private-repository.ts';

/** What a version of a file contains: text, or a phrase that says why there is none. */
export type BlobContent =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'note'; readonly note: string };

/** Bytes at the start of a file in which a NUL makes it binary, as in git. */
const probeBytes = 8000;
const submoduleMode = '160000';
const linkMode = '120000';

/** Reads a version of a file. @throws {GitRefusal} when its object is missing. */
export async function readBlob(
  repository: PrivateRepository,
  { mode, id }: FileVersion,
): Promise<BlobContent> {
  if (mode === submoduleMode) return note(`submodule at ${id}`);
  const { maxBlobBytes } = repository.limits;
  const size = await blobSize(repository, id);
  if (size > maxBlobBytes)
    return note(`${counted(size, 'byte')}, more than the ${counted(maxBlobBytes, 'byte')} that are shown`);
  const { stdout } = await repository.run(['cat-file', 'blob', id], { maxBytes: maxBlobBytes });
  if (stdout.subarray(0, probeBytes).includes(0)) return note(`binary, ${counted(stdout.length, 'byte')}`);
  const text = stdout.toString('utf8');
  return mode === linkMode
    ? note(`symbolic link to ${JSON.stringify(startOf(text, 300))}`)
    : { kind: 'text', text };
}

/** @throws {GitRefusal} when the object is missing. */
export async function blobSize(repository: PrivateRepository, id: string): Promise<number> {
  const { stdout } = await repository.run(['cat-file', '-s', id], { maxBytes: 100 });
  const size = Number(stdout.toString('latin1').trim());
  if (Number.isSafeInteger(size)) return size;
  throw damagedHistory();
}

function note(text: string): BlobContent {
  return { kind: 'note', note: text };
}
