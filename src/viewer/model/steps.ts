import type { RecordedCall, RecordedCommit, RunRecord } from '../../record/index.ts';
import { endOf } from './phases.ts';

/** Whether a slice is one in which the library keeps its own books, such as which calls a policy has seen. */
export function isInternal(slice: string): boolean {
  return slice.startsWith('weakincentives.');
}

/** The commits that changed state or files of the run: where the slider of the state view stops. */
export function changesOf(record: RunRecord): readonly RecordedCommit[] {
  return record.commits.filter(({ changes, attempt: { files, writes, log } }) => {
    const isOwn = ({ slice }: { readonly slice: string }): boolean => !isInternal(slice);
    return changes && (files.length > 0 || writes.some(isOwn) || log.some(isOwn));
  });
}

/** How many of `items` are not after `limit`, where `of` grows with the items. */
function countUpTo<T>(items: readonly T[], limit: number, of: (item: T) => number): number {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && of(item) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** How many changes there are up to a commit: the place of the slider. */
export function placeOf(changes: readonly RecordedCommit[], seq: number): number {
  return countUpTo(changes, seq, (commit) => commit.seq);
}

/** The last commit at a time; 0: none. */
export function seqAt(record: RunRecord, atMs: number): number {
  const found = countUpTo(record.commits, atMs, (commit) => commit.atMs);
  return record.commits[found - 1]?.seq ?? 0;
}

/** The commit whose state belongs to a call: its own, or the last one before it ended without one. */
export function seqOfCall(record: RunRecord, call: RecordedCall): number {
  return call.seq ?? seqAt(record, endOf(call));
}

/** The commit with a number. */
export function commitAt(record: RunRecord, seq: number): RecordedCommit | undefined {
  const found = record.commits[countUpTo(record.commits, seq, (commit) => commit.seq) - 1];
  return found?.seq === seq ? found : undefined;
}

/** When the state after a commit began. */
export function timeOf(record: RunRecord, seq: number): number {
  return record.commits[countUpTo(record.commits, seq, (commit) => commit.seq) - 1]?.atMs ?? 0;
}
