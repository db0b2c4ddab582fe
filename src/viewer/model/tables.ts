import { present } from '../../core/internal/index.ts';
import type { JsonObject, JsonValue } from '../../core/schema/index.ts';
import type { RecordedCall, RecordedCommit, RecordedSlice, RecordedWrite } from '../../record/index.ts';

/** Items of a slice as a table: the members of objects are columns. */
export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly TableRow[];
}

export interface TableRow {
  readonly cells: readonly (JsonValue | undefined)[];
  readonly writtenBy?: RecordedCall;
}

const maxColumns = 12;

/** The columns of items: the members of all of them, in the order in which they are met; for anything else one column, `value`. */
export function columnsOf(items: readonly JsonValue[]): readonly string[] {
  if (items.length === 0 || !items.every(isObject)) return items.length === 0 ? [] : ['value'];
  const names = new Set<string>();
  for (const item of items) for (const name of Object.keys(item)) names.add(name);
  return names.size > maxColumns || names.size === 0 ? ['value'] : [...names];
}

/** The cells of an item below `columns`. */
export function cellsOf(item: JsonValue, columns: readonly string[]): readonly (JsonValue | undefined)[] {
  if (!isObject(item) || (columns.length === 1 && columns[0] === 'value' && !Object.hasOwn(item, 'value')))
    return [item];
  return columns.map((name) => (Object.hasOwn(item, name) ? item[name] : undefined));
}

export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The list inside of a single item, such as the steps of a plan: the only member that is a list of objects. It is shown as the table, the other
 * members above it.
 */
export function innerList(
  items: readonly JsonValue[],
): { readonly name: string; readonly list: readonly JsonObject[]; readonly rest: JsonObject } | undefined {
  const [item] = items;
  if (items.length !== 1 || !isObject(item)) return undefined;
  const lists = Object.entries(item).filter(
    ([, value]) => Array.isArray(value) && value.length > 0 && value.every(isObject),
  );
  const [name, list] = lists[0] ?? [];
  if (lists.length !== 1 || name === undefined || !Array.isArray(list)) return undefined;
  const rest = Object.fromEntries(Object.entries(item).filter(([member]) => member !== name));
  // Every element is an object, as was just checked.
  return { name, list: list as readonly JsonObject[], rest };
}

/** The member that identifies the elements of a list: the first one whose values are texts or numbers that differ. */
export function identityOf(list: readonly JsonObject[]): string | undefined {
  const [first] = list;
  if (first === undefined) return undefined;
  return Object.keys(first).find((name) => {
    const values = new Set(list.map((item) => (Object.hasOwn(item, name) ? item[name] : undefined)));
    const isPlain = [...values].every((value) => typeof value === 'string' || typeof value === 'number');
    return isPlain && values.size === list.length;
  });
}

/** A slice as a table, with the call that wrote each row last. */
export function sliceTable(slice: RecordedSlice, commits: readonly RecordedCommit[], seq: number): Table {
  const values = slice.items.map(({ value }) => value);
  const inner = innerList(values);
  if (inner !== undefined) {
    const identity = identityOf(inner.list);
    const writers = innerWriters(slice.name, inner.name, identity, commits, seq);
    const columns = columnsOf(inner.list);
    return {
      columns,
      rows: inner.list.map((row) => {
        const id = identity === undefined ? JSON.stringify(row) : JSON.stringify(row[identity]);
        const writtenBy = writers.get(id)?.call;
        return { cells: cellsOf(row, columns), ...present({ writtenBy }) };
      }),
    };
  }
  const columns = columnsOf(values);
  return {
    columns,
    rows: slice.items.map(({ value, writtenBy }) => ({
      cells: cellsOf(value, columns),
      ...present({ writtenBy }),
    })),
  };
}

/** Who changed each element of the list inside of a slice's single item last. */
function innerWriters(
  slice: string,
  member: string,
  identity: string | undefined,
  commits: readonly RecordedCommit[],
  seq: number,
): ReadonlyMap<string, { readonly text: string; readonly call: RecordedCall }> {
  const writers = new Map<string, { readonly text: string; readonly call: RecordedCall }>();
  for (const commit of commits) {
    if (commit.seq > seq) break;
    for (const write of commit.attempt.writes) {
      if (write.slice !== slice) continue;
      for (const row of innerRows(write, member)) {
        const text = JSON.stringify(row);
        const id = identity === undefined ? text : JSON.stringify(row[identity]);
        if (writers.get(id)?.text !== text) writers.set(id, { text, call: commit.call });
      }
    }
  }
  return writers;
}

function innerRows(write: RecordedWrite, member: string): readonly JsonObject[] {
  const item = write.op === 'append' ? write.items.at(-1) : write.op === 'put' ? write.item : undefined;
  const list = isObject(item) && Object.hasOwn(item, member) ? item[member] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}
