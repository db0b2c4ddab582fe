import { diffLines } from 'diff';
import type { FileChange } from '../../../core/filesystem/index.ts';
import { present } from '../../../core/internal/index.ts';
import type { PendingApproval } from '../../../core/runtime/index.ts';
import { maxComparedBytes, textsOf } from '../text/change-diff.ts';

/** A changed file, without its content. */
export interface ChangeRecord extends Pick<FileChange, 'path' | 'kind' | 'entry'> {
  /** Absent for a directory, and for a file that is not text or too large to compare. */
  readonly addedLines?: number;
  readonly removedLines?: number;
}

/** A question of a suspended run as the command prints it in JSON. */
export interface QuestionRecord extends Omit<PendingApproval, 'changes' | 'key'> {
  /** Place among the questions of the run, from 1. */
  readonly number: number;
  readonly changes?: readonly ChangeRecord[];
}

/** @param number see {@link QuestionRecord.number}. */
export function questionRecord(
  { changes, key: _key, ...question }: PendingApproval,
  number: number,
): QuestionRecord {
  return {
    number,
    ...question,
    ...present({ changes: changes?.map(changeRecord) }),
  };
}

/** The change with the numbers of its lines. */
export function changeRecord(change: FileChange): ChangeRecord {
  const { path, kind, entry, before, after } = change;
  const record = { path, kind, entry };
  if (entry === 'directory' || (before?.bytes ?? 0) + (after?.bytes ?? 0) > maxComparedBytes) return record;
  const texts = textsOf(change);
  if (typeof texts === 'string') return record;
  let addedLines = 0;
  let removedLines = 0;
  for (const { added, removed, count } of diffLines(...texts)) {
    if (added) addedLines += count;
    if (removed) removedLines += count;
  }
  return { ...record, addedLines, removedLines };
}
