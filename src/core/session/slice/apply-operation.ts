import { SessionError } from '../../error/index.ts';
import { none } from '../../internal/index.ts';
import type { SliceOperation } from './operation.ts';
import type { StoredSlice } from './slice.ts';
import { admitItem } from './slice-internals.ts';
import { KeyedState, type SliceState } from './slice-state.ts';

/** A slice after an operation, and the items it took in, frozen. */
export interface AppliedOperation {
  readonly next: SliceState;
  readonly added: readonly unknown[];
}

/**
 * Applies an operation to a slice. `returned` is what a reducer returned.
 * @throws {SessionError} code `reducer-failed` when it is not an operation, `slice-append-only`, `slice-not-keyed`,
 * `slice-key-invalid`; {@link SchemaError} code `value-not-json`.
 */
export function applyOperation(slice: StoredSlice, before: SliceState, returned: unknown): AppliedOperation {
  if (typeof returned !== 'object' || returned === null) throw notAnOperation(slice, returned);
  // Operations are made by the methods of SliceItems; the tag says which.
  const operation = returned as SliceOperation<unknown>;
  switch (operation.op) {
    case 'append': {
      const item = admitItem(slice.name, operation.item);
      return { next: before.append(item, operation.moveToEnd), added: [item] };
    }
    case 'extend':
      return addItems(slice, before, operation.items);
    case 'replace':
      if (slice.policy === 'log') throw appendOnly(slice, operation.op);
      return addItems(slice, before.cleared(), operation.items);
    case 'clear':
      if (slice.policy === 'log') throw appendOnly(slice, operation.op);
      return { next: before.cleared(), added: none };
    case 'remove':
      if (slice.policy === 'log') throw appendOnly(slice, operation.op);
      if (!(before instanceof KeyedState)) throw notKeyed(slice);
      return { next: before.removed(operation.keys), added: none };
    case 'keep':
      return { next: before, added: none };
    default:
      throw notAnOperation(slice, returned);
  }
}

export function appendOnly(slice: StoredSlice, attempted: string): SessionError {
  return new SessionError(
    'slice-append-only',
    `Slice ${slice.name} is LOG and only grows; ${attempted} cannot be done to it.`,
    {
      details: { slice: slice.name },
    },
  );
}

/** For an operation or a look that needs keys. */
export function notKeyed(slice: StoredSlice): SessionError {
  return new SessionError(
    'slice-not-keyed',
    `Slice ${slice.name} has no keys. Declare it with a key function, or look its items up with where().`,
    {
      details: { slice: slice.name },
    },
  );
}

function addItems(slice: StoredSlice, before: SliceState, items: readonly unknown[]): AppliedOperation {
  const added: unknown[] = [];
  let next = before;
  for (const given of items) {
    const item = admitItem(slice.name, given);
    added.push(item);
    next = next.append(item);
  }
  return { next, added };
}

function notAnOperation(slice: StoredSlice, returned: unknown): SessionError {
  const what = returned === undefined ? 'nothing' : 'something that is not a slice operation';
  return new SessionError(
    'reducer-failed',
    `A reducer of slice ${slice.name} returned ${what}. Return what append, extend, replace, remove, clear or keep of its first parameter returns, not a promise.`,
    { details: { slice: slice.name } },
  );
}
