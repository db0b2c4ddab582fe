import { SessionError } from '../error/index.ts';
import type { SliceOperation } from './operation.ts';
import type { StoredSlice } from './slice.ts';
import { internalsOf } from './slice-internals.ts';
import { notKeyed } from './slice-reader.ts';
import { KeyedState, type SliceState } from './slice-state.ts';

/** A slice after an operation, and the items it took in, frozen. */
export interface AppliedOperation {
  readonly next: SliceState;
  readonly added: readonly unknown[];
}

/**
 * Does an operation to a slice. `returned` is whatever a reducer returned; undefined leaves the slice as it is.
 * @throws {SessionError} code `reducer-failed` when it is no operation, `log-append-only`, `slice-not-keyed`,
 * `item-key-invalid`; {@link SchemaError} code `value-not-json`.
 */
export function applyOperation(slice: StoredSlice, before: SliceState, returned: unknown): AppliedOperation {
  if (returned === undefined) return { next: before, added: [] };
  const operation = toOperation(slice, returned);
  if (slice.policy === 'log' && operation.op !== 'append' && operation.op !== 'extend')
    throw appendOnly(slice, operation.op);
  switch (operation.op) {
    case 'append':
      return addItems(slice, before, [operation.item], operation.moveToEnd);
    case 'extend':
      return addItems(slice, before, operation.items);
    case 'replace':
      return addItems(slice, before.cleared(), operation.items);
    case 'clear':
      return { next: before.cleared(), added: [] };
    case 'remove':
      if (!(before instanceof KeyedState)) throw notKeyed(slice);
      return { next: before.removed(operation.keys), added: [] };
  }
}

export function appendOnly(slice: StoredSlice, attempted: string): SessionError {
  return new SessionError(
    'log-append-only',
    `Slice ${slice.name} is LOG and only grows; ${attempted} cannot be done to it.`,
    {
      details: { slice: slice.name },
    },
  );
}

function addItems(
  slice: StoredSlice,
  before: SliceState,
  items: readonly unknown[],
  moveToEnd = false,
): AppliedOperation {
  const { admit } = internalsOf(slice);
  const added = items.map((item) => admit(item));
  let next = before;
  for (const item of added) next = next.append(item, moveToEnd);
  return { next, added };
}

const operationNames: ReadonlySet<unknown> = new Set(['append', 'extend', 'replace', 'clear', 'remove']);

function toOperation(slice: StoredSlice, returned: unknown): SliceOperation<unknown> {
  if (
    typeof returned === 'object' &&
    returned !== null &&
    'op' in returned &&
    operationNames.has(returned.op)
  ) {
    // Operations are made by append, extend, replace, clear and remove; the tag says which.
    return returned as SliceOperation<unknown>;
  }
  throw new SessionError(
    'reducer-failed',
    `A reducer of slice ${slice.name} returned something that is no slice operation. Return append, extend, replace, clear, remove or undefined, and no promise.`,
    { details: { slice: slice.name } },
  );
}
