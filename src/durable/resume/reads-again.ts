import type { FileRead } from '../../core/filesystem/index.ts';
import type { SessionRead } from '../../core/session/index.ts';
import type { RowRead } from '../../record/index.ts';
import { sha256 } from '../../record/index.ts';

/**
 * Whether a read of a row finds what it found.
 *
 * @param readAgain does it again. Returns its result; undefined when that cannot be compared.
 */
export function findsTheSame(
  { kind, resultHash, ...read }: RowRead,
  readAgain: (read: FileRead | SessionRead) => string | undefined,
): boolean {
  // The kinds of rows are those of reads.
  const result = readAgain({ ...read, kind } as FileRead | SessionRead);
  return result !== undefined && resultHash === sha256(result);
}
