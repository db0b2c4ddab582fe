import { type CallRecord, depthOf, withInnerCalls } from './call-record.ts';

/** One call, or several like it, one after another: same tool, all committed, nothing more to say of them. */
export interface CallGroup {
  readonly kind: 'calls';
  readonly first: CallRecord;
  last: CallRecord;
  count: number;
  reruns: number;
  /** What had changed under those that were re-run. */
  readonly conflicts: string[];
  /** Calls of the turn that is being counted, and of the turn that had most. */
  inTurn: number;
  mostInTurn: number;
  durationMs: number | undefined;
}

/** Calls that are left out. */
export interface HiddenCalls {
  readonly kind: 'hidden';
  readonly count: number;
}

/**
 * Calls with those inside of them, in about `maxRows` rows: puts together first calls of one turn, then those of several
 * turns, and leaves out rows only if that is not enough. Every call that was not committed keeps a row of its own for as
 * long as there is room.
 */
export function groupCalls(
  records: readonly CallRecord[],
  maxRows: number,
): readonly (CallGroup | HiddenCalls)[] {
  const all = withInnerCalls(records);
  const single = all.map(toGroup);
  if (single.length <= maxRows) return single;
  const byTurn = grouped(all, (group, record) => group.first.turn === record.turn);
  if (byTurn.length <= maxRows) return byTurn;
  const across = grouped(all, () => true);
  if (across.length <= maxRows) return across;
  return cutMiddle(across, maxRows);
}

function grouped(
  records: readonly CallRecord[],
  joins: (group: CallGroup, record: CallRecord) => boolean,
): readonly CallGroup[] {
  const groups: CallGroup[] = [];
  for (const record of records) {
    const group = groups.at(-1);
    if (group !== undefined && isLike(group.first, record) && joins(group, record)) {
      group.inTurn = group.last.turn === record.turn ? group.inTurn + 1 : 1;
      group.mostInTurn = Math.max(group.mostInTurn, group.inTurn);
      group.last = record;
      group.count += 1;
      group.conflicts.push(...record.conflicts);
      group.reruns += record.attempts > 1 ? 1 : 0;
      if (record.durationMs !== undefined) group.durationMs = (group.durationMs ?? 0) + record.durationMs;
    } else groups.push(toGroup(record));
  }
  return groups;
}

function isLike(left: CallRecord, right: CallRecord): boolean {
  return (
    left.toolName === right.toolName &&
    left.outcome === right.outcome &&
    isPlain(left) &&
    isPlain(right) &&
    left.inner.length === 0 &&
    right.inner.length === 0 &&
    depthOf(left) === depthOf(right) &&
    left.undoneWith === right.undoneWith
  );
}

/** Calls that went well, changed no file and that no policy had a word about: the others are what the table is for. */
function isPlain({ outcome, changedFiles, approvals, shadow }: CallRecord): boolean {
  const isFine = outcome === 'committed' || outcome === 'hosted';
  return isFine && changedFiles === 0 && approvals.length === 0 && shadow.length === 0;
}

function cutMiddle(groups: readonly CallGroup[], maxRows: number): readonly (CallGroup | HiddenCalls)[] {
  const notable = groups.filter(({ first }) => !isPlain(first)).length;
  let plainLeft = Math.max(2, maxRows - notable);
  let notableLeft = Math.max(2, maxRows - 2);
  const kept = groups.map(({ first }) => (isPlain(first) ? plainLeft-- > 0 : notableLeft-- > 0));
  const rows: (CallGroup | HiddenCalls)[] = [];
  let hidden = 0;
  const flush = (): void => {
    if (hidden > 0) rows.push({ kind: 'hidden', count: hidden });
    hidden = 0;
  };
  for (const [index, group] of groups.entries()) {
    if (kept[index] === true) {
      flush();
      rows.push(group);
    } else hidden += group.count;
  }
  flush();
  return rows;
}

function toGroup(record: CallRecord): CallGroup {
  return {
    kind: 'calls',
    first: record,
    last: record,
    count: 1,
    reruns: record.attempts > 1 ? 1 : 0,
    conflicts: [...record.conflicts],
    inTurn: 1,
    mostInTurn: 1,
    durationMs: record.durationMs,
  };
}
