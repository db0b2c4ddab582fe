import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reducers, Session, type Slice, type SliceOperation, type SliceWrite } from 'weakincentives';
import { defineSystemEvent, defineSystemSlice, type StateDifference } from '../../src/core/session/index.ts';
import { draws } from '../support/draws.ts';

interface Row {
  readonly key: string;
  readonly value: number;
}

const ListChanged = defineSystemEvent<SliceOperation<Row>>('list-changed');
const TableChanged = defineSystemEvent<SliceOperation<Row>>('table-changed');
const Logged = defineSystemEvent<Row>('logged');

const List: Slice<Row> = defineSystemSlice<Row>({
  name: 'list',
  reducers: (on) => [on(ListChanged, (_items, operation) => operation)],
});
const Table: Slice<Row> = defineSystemSlice<Row>({
  name: 'table',
  key: ({ key }) => key,
  initial: [{ key: 'first', value: 0 }],
  reducers: (on) => [on(TableChanged, (_items, operation) => operation)],
});
const Log: Slice<Row> = defineSystemSlice<Row>({
  name: 'log',
  policy: 'log',
  reducers: (on) => [on(Logged, reducers.append())],
});
const ShortLog: Slice<Row> = defineSystemSlice<Row>({
  name: 'short-log',
  policy: 'log',
  retain: 3,
  reducers: (on) => [on(Logged, reducers.append())],
});

type Change =
  | { readonly to: 'list' | 'table'; readonly operation: SliceOperation<Row> }
  | { readonly to: 'log'; readonly row: Row }
  | { readonly to: 'session'; readonly reset: true };

const row = fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd', 'first'), value: fc.nat(3) });
const rows = fc.array(row, { maxLength: 40 });
const plain: fc.Arbitrary<SliceOperation<Row>> = fc.oneof(
  fc.record({ op: fc.constant('append' as const), item: row }),
  fc.record({ op: fc.constant('extend' as const), items: rows }),
  fc.record({ op: fc.constant('replace' as const), items: rows }),
  fc.record({ op: fc.constant('clear' as const) }),
);
const keyed: fc.Arbitrary<SliceOperation<Row>> = fc.oneof(
  plain,
  fc.record({ op: fc.constant('append' as const), item: row, moveToEnd: fc.boolean() }),
  fc.record({ op: fc.constant('remove' as const), keys: fc.array(fc.constantFrom('a', 'b', 'c', 'first')) }),
);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ to: fc.constant('list' as const), operation: plain }) },
  { weight: 8, arbitrary: fc.record({ to: fc.constant('table' as const), operation: keyed }) },
  { weight: 8, arbitrary: fc.record({ to: fc.constant('log' as const), row }) },
  { weight: 1, arbitrary: fc.constant({ to: 'session' as const, reset: true as const }) },
);
const changes = fc.array(change, { maxLength: 12 });

function newSession(): Session {
  const session = new Session();
  for (const slice of [List, Table, Log, ShortLog]) session.install(slice);
  return session;
}

function act(session: Session, done: readonly Change[]): void {
  for (const each of done) {
    if (each.to === 'list') session.dispatch(ListChanged, each.operation);
    else if (each.to === 'table') session.dispatch(TableChanged, each.operation);
    else if (each.to === 'log') session.dispatch(Logged, each.row);
    else session.reset();
  }
}

function itemsOf(session: Session): Readonly<Record<string, readonly Row[]>> {
  return Object.fromEntries(
    [List, Table, Log, ShortLog].map((slice) => [slice.name, session.slice(slice).all()]),
  );
}

/** Applies a difference as a reader does that knows the slices by their declarations only. */
function applyTo(
  items: Readonly<Record<string, readonly Row[]>>,
  { writes, log }: StateDifference,
): Readonly<Record<string, readonly Row[]>> {
  const next: Record<string, readonly Row[]> = { ...items };
  for (const write of writes) next[write.slice] = applyStep(next[write.slice] ?? [], write);
  for (const { slice, items: added } of log) {
    const all = [...(next[slice] ?? []), ...(added as readonly Row[])];
    next[slice] = slice === 'short-log' ? all.slice(-3) : all;
  }
  return next;
}

function applyStep(items: readonly Row[], write: SliceWrite): readonly Row[] {
  switch (write.op) {
    case 'append':
      return [...items, ...(write.items as readonly Row[])];
    case 'put': {
      const item = write.item as Row;
      const at = items.findIndex(({ key }) => key === write.key);
      if (at < 0) return [...items, item];
      return write.toEnd === true ? [...items.toSpliced(at, 1), item] : items.with(at, item);
    }
    case 'remove':
      return items.filter(({ key }) => !write.keys.includes(key));
    case 'clear':
      return [];
  }
}

describe('the difference between two states', () => {
  it('makes the earlier one into the later one', () => {
    fc.assert(
      fc.property(changes, changes, (before, after) => {
        const session = newSession();
        act(session, before);
        const earlier = itemsOf(session);
        const mark = session.mark();
        act(session, after);
        expect(applyTo(earlier, session.changesSince(mark))).toEqual(itemsOf(session));
      }),
      { numRuns: draws(3_000) },
    );
  });

  it('is the whole state for a reader that knows nothing', () => {
    fc.assert(
      fc.property(changes, (before) => {
        const session = newSession();
        act(session, before);
        const nothing = { list: [], table: [], log: [], 'short-log': [] };
        expect(applyTo(nothing, session.observe(0))).toEqual(itemsOf(session));
      }),
    );
  });

  it('of a long list is what was appended', () => {
    const session = newSession();
    const many = Array.from({ length: 5_000 }, (_, index) => ({ key: 'a', value: index }));
    session.dispatch(ListChanged, { op: 'extend', items: many });
    const mark = session.mark();
    session.dispatch(ListChanged, { op: 'append', item: { key: 'z', value: 1 } });
    expect(session.changesSince(mark)).toEqual({
      writes: [{ slice: 'list', op: 'append', items: [{ key: 'z', value: 1 }] }],
      log: [],
    });
  });

  it('of one key among many is that key', () => {
    const session = newSession();
    const many = Array.from({ length: 1_000 }, (_, index) => ({ key: `k${index}`, value: index }));
    session.dispatch(TableChanged, { op: 'extend', items: many });
    const mark = session.mark();
    session.dispatch(TableChanged, { op: 'append', item: { key: 'k7', value: 0 } });
    session.dispatch(TableChanged, { op: 'remove', keys: ['k8'] });
    expect(session.changesSince(mark).writes).toEqual([
      { slice: 'table', op: 'remove', keys: ['k8'] },
      { slice: 'table', op: 'put', key: 'k7', item: { key: 'k7', value: 0 } },
    ]);
  });

  it('of a fork is what it wrote, and looking at it is no read', () => {
    const session = newSession();
    const fork = session.fork();
    fork.view.dispatch(ListChanged, { op: 'append', item: { key: 'a', value: 1 } });
    expect(fork.view.slice(Table).get('first')).toEqual({ key: 'first', value: 0 });
    const { reads, writes } = fork.observe();
    expect(writes).toEqual([{ slice: 'list', op: 'append', items: [{ key: 'a', value: 1 }] }]);
    expect(reads).toEqual([{ kind: 'key', what: 'key first of slice table', slice: 'table', key: 'first' }]);
    session.dispatch(ListChanged, { op: 'append', item: { key: 'b', value: 1 } });
    expect(fork.conflicts()).toEqual([]);
  });
});
