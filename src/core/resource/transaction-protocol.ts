import { ResourceError } from '../error/index.ts';

/** What is known of the call that a resource's transaction is begun for. */
export interface TransactionBeginOptions {
  /**
   * True for a tool with effects `'read'`: a write should throw. Whatever the view lets through is rolled back, also when
   * the call succeeds.
   */
  readonly readOnly: boolean;
}

/** @internal The row of a journal that decides about a call. What a resource commits with it takes effect when the row is appended. */
export interface DecidingRow {
  readonly runId: string;
  /** The owner of the lease that the row is appended under. */
  readonly owner: string;
  /** Number of the row within the run; undefined until it is made. */
  readonly seq: number | undefined;
}

/**
 * One resource's part in the transaction of one attempt at a call.
 *
 * The runtime calls `revoke` when the handler's part has ended, then `conflicts` at the call's turn in the order, then one
 * of `commit` and `rollback`. Nothing is called twice, except `conflicts`.
 */
export interface ResourceTransaction<out T> {
  /**
   * What the call gets instead of the resource: reads through, writes privately. It throws a `TransactionClosedError` once
   * it was closed; `revocableView` makes such a one.
   */
  readonly view: T;
  /**
   * What the call read or wrote and another call has changed in a commit since: one short name each
   * (`account 7`). Empty: the call would come out the same if it ran now. A conflict makes the call run again. May throw:
   * the call fails and is rolled back.
   */
  conflicts?(): readonly string[] | Promise<readonly string[]>;
  /**
   * Puts what was written in place. When it throws, nothing may have been put in place; `rollback` is called then. Only
   * a resource that was bound with `mayFail` may throw.
   */
  commit(): void | Promise<void>;
  /**
   * @internal In the place of `commit`, where the row of a journal on the same database decides: the append of this row commits both. When the
   * row is refused, or its lease ends before, what was written is dropped.
   */
  '~commitWith'?(row: DecidingRow): void;
  /**
   * Drops what was written, so that the resource is as if the call had never run. Is always waited for. When it throws,
   * the failed call names the resource among its residual effects.
   */
  rollback(): void | Promise<void>;
  /**
   * Takes the view from the handler, which has returned, or may still be running after a time-out. From here on every access through
   * the view must throw. Must not throw itself.
   */
  revoke?(): void;
}

/** The {@link ResourceTransaction} of a resource whose calls may run at the same time. */
export interface ParallelResourceTransaction<out T> extends ResourceTransaction<T> {
  conflicts(): readonly string[] | Promise<readonly string[]>;
}

interface CommitBehaviour {
  /**
   * True when `commit` can still fail after `conflicts` has found nothing: a database, a service. It is committed before
   * everything else, and a prompt can have only one. Default: false.
   */
  readonly mayFail?: boolean;
  /**
   * @internal The database whose transaction `~commitWith` leaves open, for the row of the call in a journal on the same database.
   */
  readonly '~sharesTransactionWith'?: object;
}

/** Joins transactions one at a time: a prompt that binds one runs its calls one by one. */
export interface SerialProtocol<T> extends CommitBehaviour {
  readonly parallel?: false;
  /**
   * Begins the part of one call, on its first look-up of the resource. May throw: the look-up fails with
   * `resource-begin-failed`. A call that was aborted meanwhile waits for it, so it should not take long.
   *
   * @param resource the instance of the binding; within an inner evaluation the view of the outer call.
   */
  begin(
    resource: T,
    options: TransactionBeginOptions,
  ): ResourceTransaction<NoInfer<T>> | Promise<ResourceTransaction<NoInfer<T>>>;
}

/**
 * Joins many transactions at the same time: each view keeps its writes to itself, and `conflicts` reports whether what was
 * read through it still holds.
 */
export interface ParallelProtocol<T> extends CommitBehaviour {
  readonly parallel: true;
  /** As {@link SerialProtocol.begin}, but not awaited when the call is aborted. The transaction must have `conflicts`. */
  begin(
    resource: T,
    options: TransactionBeginOptions,
  ): ParallelResourceTransaction<NoInfer<T>> | Promise<ParallelResourceTransaction<NoInfer<T>>>;
}

/** How a resource joins the transaction of each tool call: the option `transactional` of `bind`. */
export type TransactionProtocol<T> = SerialProtocol<T> | ParallelProtocol<T>;

/** Why a protocol cannot be used; undefined when it can. For callers without types. */
export function findProtocolFault(protocol: unknown): string | undefined {
  if (typeof protocol !== 'object' || protocol === null) {
    return `the option transactional is ${protocol === null ? 'null' : typeof protocol}; pass an object with begin(), or snapshotProtocol({ snapshot, restore })`;
  }
  if (typeof Reflect.get(protocol, 'begin') === 'function') return undefined;
  return 'the option transactional has no function "begin"';
}

/** @throws {ResourceError} `resource-begin-failed` when `begin` did not return a transaction. */
export function assertTransaction(
  name: string,
  transaction: unknown,
  needsConflicts: boolean,
): asserts transaction is ResourceTransaction<unknown> {
  const isObject = typeof transaction === 'object' && transaction !== null;
  const needed = ['commit', 'rollback', ...(needsConflicts ? ['conflicts'] : [])];
  const missing = isObject
    ? needed.filter((method) => typeof Reflect.get(transaction, method) !== 'function')
    : needed;
  if (!isObject || !('view' in transaction)) missing.unshift('view');
  if (missing.length === 0) return;
  throw new ResourceError(
    'resource-begin-failed',
    `Beginning a transaction on "${name}" failed: what begin() returned has no ${missing.join(', ')}.`,
    { details: { token: name, missing } },
  );
}
