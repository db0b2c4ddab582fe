import { SessionError } from '../error/index.ts';
import { none } from '../internal/index.ts';
import { appendOnly, applyOperation } from './apply-operation.ts';
import type { DerivedSlice } from './derived-slice.ts';
import type { SliceOperation } from './operation.ts';
import { sliceStateIn, withSliceState } from './session-state.ts';
import type { StoredSlice } from './slice.ts';
import { internalsOf } from './slice-internals.ts';
import type { Access } from './state-cell.ts';
import type { ReadonlySliceAccessor } from './view.ts';

export function readOnlyRefusal(what: string): SessionError {
  return new SessionError(
    'session-read-only',
    `${what} cannot be changed here: the tool is declared effects 'read'. Declare it 'state' or 'external', or write to a LOG slice.`,
  );
}

/** The same slice when it is stored; derived ones are refused, for callers whose compiler does not. */
export function writable(slice: StoredSlice | DerivedSlice<unknown>): StoredSlice {
  if (slice.kind === 'slice') return slice;
  const { name, source } = slice;
  throw new SessionError(
    'session-read-only',
    `Slice ${name} is derived from ${source.name}. Write to that.`,
    { details: { slice: name } },
  );
}

export function appendItems(access: Access, slice: StoredSlice, items: readonly unknown[]): void {
  assertWritable(access, slice, 'append');
  if (items.length > 0) write(access, slice, { op: 'extend', items: parseItems(slice, items) });
}

export function seedItems(access: Access, slice: StoredSlice, items: readonly unknown[]): void {
  assertWritable(access, slice, 'seed');
  write(access, slice, { op: 'replace', items: parseItems(slice, items) });
}

export function clearItems(
  access: Access,
  slice: StoredSlice,
  predicate: ((item: unknown) => boolean) | undefined,
  reader: ReadonlySliceAccessor<unknown>,
): void {
  assertWritable(access, slice, 'clear');
  if (predicate === undefined) {
    write(access, slice, { op: 'clear' });
    return;
  }
  const items = reader.all();
  const kept = items.filter((item) => !predicate(item));
  if (kept.length < items.length) write(access, slice, { op: 'replace', items: kept });
}

function assertWritable({ cell, part, isReadOnly }: Access, slice: StoredSlice, attempted: string): void {
  cell.assertUsable('write', part);
  if (slice.policy === 'log') {
    if (attempted !== 'append') throw appendOnly(slice, attempted);
  } else if (isReadOnly) {
    throw readOnlyRefusal(`Slice ${slice.name}`);
  }
}

function parseItems(slice: StoredSlice, items: readonly unknown[]): readonly unknown[] {
  const { parse } = internalsOf(slice);
  const parsed: unknown[] = [];
  for (const item of items) parsed.push(parse(item));
  return Object.freeze(parsed);
}

function write({ cell }: Access, slice: StoredSlice, operation: SliceOperation<unknown>): void {
  const applied = applyOperation(slice, sliceStateIn(cell.current, slice), operation);
  const next = withSliceState(cell.current, slice, applied.next);
  if (slice.policy === 'log')
    cell.commit(next, undefined, [{ slice: slice.name, items: applied.added }], undefined);
  else cell.commit(next, { op: 'write', slice: slice.name, operation }, none, undefined);
}
