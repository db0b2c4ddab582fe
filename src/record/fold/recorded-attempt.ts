import { none, present } from '../../core/internal/index.ts';
import { type ContentReference, type RowRead, withContents } from '../format/row-parts.ts';
import type { AttemptRow, BlobRow, CommitRow, RowConflict } from '../format/rows.ts';
import type {
  RecordedAttempt,
  RecordedConflict,
  RecordedContent,
  RecordedFileChange,
  RecordedRead,
} from './run-record.ts';

/** What the row of an attempt refers to. */
export interface AttemptReferences {
  /** The blob of a hash; undefined when the record has none. */
  readonly blob: (hash: string) => Pick<BlobRow, 'text' | 'base64'> | undefined;
  /** The id of the call that a commit of the root session belongs to. */
  readonly callOfCommit: (seq: number) => string | undefined;
}

/** An attempt at a call, from its row. */
export function recordedAttempt(
  row: CommitRow | AttemptRow,
  outcome: RecordedAttempt['outcome'],
  references: AttemptReferences,
): Omit<RecordedAttempt, 'life'> {
  const { attempt, phases, base, key, policies, writes, log } = row;
  const conflicts = row.type === 'attempt' ? row.conflicts : none;
  return {
    number: attempt,
    outcome,
    phases,
    ...present({ base, key }),
    reads: row.reads.map((read) => recordedRead(read, references)),
    policies,
    conflicts: conflicts.map((conflict) => recordedConflict(conflict, references)),
    writes,
    log,
    events: row.events,
    files: recordedChanges(row.files, references),
  };
}

/** The content that a row refers to. */
export function recordedContent(
  { hash, bytes, omitted }: ContentReference,
  { blob }: Pick<AttemptReferences, 'blob'>,
): RecordedContent {
  const found = omitted === true ? undefined : blob(hash);
  if (found === undefined) return { hash, bytes, isOmitted: true };
  const { text, base64 } = found;
  return { hash, bytes, ...present({ text, base64 }) };
}

function recordedConflict({ what, by }: RowConflict, references: AttemptReferences): RecordedConflict {
  return { what, by: by.flatMap((seq) => references.callOfCommit(seq) ?? []) };
}

function recordedRead({ content, ...rest }: RowRead, references: AttemptReferences): RecordedRead {
  // The kinds of the row are those of the reads that it was made from.
  const found = content === undefined ? undefined : recordedContent(content, references);
  return present({ ...rest, content: found }) as RecordedRead;
}

/** The files that a row says were changed, with the contents that it refers to. */
export function recordedChanges(
  files: CommitRow['files'],
  references: Pick<AttemptReferences, 'blob'>,
): readonly RecordedFileChange[] {
  return files.map((file) => withContents(file, (reference) => recordedContent(reference, references)));
}
