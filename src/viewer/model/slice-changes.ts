import type { JsonObject, JsonValue } from '../../core/schema/index.ts';
import type { RecordedSlice, RecordedWrite } from '../../record/index.ts';
import { cellsOf, columnsOf, identityOf, innerList, isObject } from './tables.ts';

/** All that an attempt did to one slice. */
export interface SliceChange {
  readonly slice: string;
  /** What was done, for the caption: `appended`, `put`, `replaced`, `removed`, `cleared`. */
  readonly words: string;
  /** Members of a single item beside the list that is its table. */
  readonly rest: JsonObject;
  readonly columns: readonly string[];
  readonly rows: readonly ChangedRow[];
  /** How many items are gone, and the keys of those that have some. */
  readonly gone: number;
  readonly removedKeys: readonly string[];
}

export interface ChangedRow {
  readonly kind: 'new' | 'changed' | 'same';
  readonly cells: readonly ChangedCell[];
}

/** A value; `before` where the item had another one. */
export interface ChangedCell {
  readonly value: JsonValue | undefined;
  readonly before?: { readonly value: JsonValue | undefined };
}

interface Collected {
  isCleared: boolean;
  readonly items: { readonly key?: string; readonly item: JsonValue }[];
  readonly removedKeys: string[];
}

/** What writes did, slice by slice, against what the slices held before. */
export function sliceChanges(
  writes: readonly RecordedWrite[],
  former: readonly RecordedSlice[],
): readonly SliceChange[] {
  const slices = new Map<string, Collected>();
  for (const write of writes) {
    const found: Collected = slices.get(write.slice) ?? { isCleared: false, items: [], removedKeys: [] };
    slices.set(write.slice, found);
    if (write.op === 'append') found.items.push(...write.items.map((item) => ({ item })));
    else if (write.op === 'put') found.items.push({ key: write.key, item: write.item });
    else if (write.op === 'remove') found.removedKeys.push(...write.keys);
    else found.isCleared = true;
  }
  return [...slices].map(([name, collected]) =>
    changeOf(
      name,
      collected,
      former.find((slice) => slice.name === name),
    ),
  );
}

function changeOf(slice: string, collected: Collected, former: RecordedSlice | undefined): SliceChange {
  const { isCleared, items, removedKeys } = collected;
  const values = items.map(({ item }) => item);
  const old = former?.items.map(({ value }) => value) ?? [];
  const inner = innerList(values);
  const list: readonly JsonValue[] = inner?.list ?? values;
  const oldList: readonly JsonValue[] = inner === undefined ? old : (innerList(old)?.list ?? []);
  const columns = columnsOf(list);
  const objects = list.filter(isObject);
  const identity = objects.length === list.length ? identityOf(objects) : undefined;
  const rows = list.map((item, index): ChangedRow => {
    const key = inner === undefined ? items[index]?.key : undefined;
    const keyed = key === undefined ? undefined : former?.items.find((other) => other.key === key)?.value;
    const was = keyed ?? (isCleared ? formerOf(item, oldList, identity) : undefined);
    const cells = cellsOf(item, columns);
    if (was === undefined) return { kind: 'new', cells: cells.map((value) => ({ value })) };
    const before = cellsOf(was, columns);
    return {
      kind: JSON.stringify(was) === JSON.stringify(item) ? 'same' : 'changed',
      cells: cells.map((value, column) =>
        JSON.stringify(before[column]) === JSON.stringify(value)
          ? { value }
          : { value, before: { value: before[column] } },
      ),
    };
  });
  const kept = rows.filter(({ kind }) => kind !== 'new').length;
  return {
    slice,
    words: wordsOf(collected),
    rest: inner?.rest ?? {},
    columns,
    rows,
    gone: isCleared ? Math.max(0, oldList.length - kept) : removedKeys.length,
    removedKeys,
  };
}

/** What an item of a list that was written anew was before: the same, or the one with the same identity. */
function formerOf(
  item: JsonValue,
  old: readonly JsonValue[],
  identity: string | undefined,
): JsonValue | undefined {
  const text = JSON.stringify(item);
  const same = old.find((other) => JSON.stringify(other) === text);
  if (same !== undefined || identity === undefined || !isObject(item)) return same;
  const id = JSON.stringify(item[identity]);
  return old.find((other) => isObject(other) && JSON.stringify(other[identity]) === id);
}

function wordsOf({ isCleared, items, removedKeys }: Collected): string {
  if (isCleared) return items.length === 0 ? 'cleared' : 'replaced';
  const words = [
    items.some(({ key }) => key === undefined) ? 'appended' : '',
    items.some(({ key }) => key !== undefined) ? 'put' : '',
    removedKeys.length > 0 ? 'removed' : '',
  ];
  return words.filter((word) => word !== '').join(', ');
}
