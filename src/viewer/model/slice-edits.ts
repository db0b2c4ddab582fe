import type { RecordedWrite } from '../../record/index.ts';
import type { JsonValue } from '../../schema/index.ts';

/** The steps of one attempt on one slice, as a person would say them. */
export interface SliceEdit {
  readonly slice: string;
  readonly op: 'append' | 'put' | 'replace' | 'remove' | 'clear';
  /** What was written. */
  readonly items: readonly JsonValue[];
  /** What was removed. */
  readonly keys: readonly string[];
}

/** Steps of the same kind on one slice in one; a slice that is emptied and filled again is replaced. */
export function toEdits(writes: readonly RecordedWrite[]): readonly SliceEdit[] {
  const edits: SliceEdit[] = [];
  for (const write of writes) {
    const { slice, op } = write;
    const items = op === 'append' ? write.items : op === 'put' ? [write.item] : [];
    const keys = op === 'remove' ? write.keys : [];
    const last = edits.at(-1);
    if (last?.slice === slice && items.length > 0 && isFilledBy(last.op, op)) {
      const merged = last.op === 'clear' ? 'replace' : last.op;
      edits[edits.length - 1] = { slice, op: merged, items: [...last.items, ...items], keys: last.keys };
    } else {
      edits.push({ slice, op, items, keys });
    }
  }
  return edits;
}

/** Whether a step continues an edit. */
function isFilledBy(edit: SliceEdit['op'], op: RecordedWrite['op']): boolean {
  return edit === op || edit === 'clear' || edit === 'replace';
}
