import { describeError, ResourceError, TransactionClosedError, WinkError } from '../error/index.ts';
import { none } from '../internal/index.ts';
import type { AnyResourceBinding } from './binding.ts';
import { guardedView } from './revocable-view.ts';
import { type ResourceToken, tokenName } from './token.ts';
import { assertTransaction, type DecidingRow, type ResourceTransaction } from './transaction-protocol.ts';

/** What there is of a resource in a call. */
interface CallViews {
  /** What its handler and its policies get. */
  readonly guarded: unknown;
  /** What inner evaluations get, and the policies that are asked about their calls. */
  readonly shared: unknown;
}

interface Part {
  readonly name: string;
  readonly mayFail: boolean;
  readonly transaction: ResourceTransaction<unknown>;
  state: 'open' | 'committed' | 'rolled-back' | 'stuck';
}

/** A resource whose `commit` or `rollback` threw. */
export interface ResourceFailure {
  /** Name of its token. */
  readonly name: string;
  readonly error: unknown;
}

/** Awaits `work`, or rejects once its result is no longer awaited. */
export type Awaiter = (work: Promise<unknown>) => Promise<unknown>;

/** What {@link ResourceForks} belong to. */
export interface ResourceForksOptions {
  /** Whether the tool has the effects `'read'`. */
  readonly readOnly: boolean;
  /** Those of the call that the evaluation of this call runs in; undefined in an evaluation that runs in none. */
  readonly outer?: ResourceForks | undefined;
}

/**
 * The resources' side of the transaction of one attempt at a call: begins a resource's part on its first look-up, closes the
 * views when the handler's part has ended, and commits or rolls back all of them at the call's turn.
 *
 * What calls of inner evaluations have of it is part of it: while they have a resource, the handler cannot use it, and what they have not
 * committed when the handler's part ends is rolled back before it.
 */
export class ResourceForks {
  readonly #root: (token: ResourceToken<unknown>) => Promise<unknown>;
  readonly #readOnly: boolean;
  readonly #outer: ResourceForks | undefined;
  /** Of calls of inner evaluations that have begun something and are not settled. */
  readonly #inner = new Set<ResourceForks>();
  readonly #views = new Map<AnyResourceBinding, Promise<CallViews>>();
  readonly #parts: Part[] = [];
  readonly #beginning = new Set<Promise<unknown>>();
  readonly #faults: unknown[] = [];
  #isSealed = false;
  #commit: Promise<ResourceFailure | undefined> | undefined;
  #rollback: Promise<readonly ResourceFailure[]> | undefined;

  constructor(root: (token: ResourceToken<unknown>) => Promise<unknown>, options: ResourceForksOptions) {
    this.#root = root;
    this.#readOnly = options.readOnly;
    this.#outer = options.outer;
  }

  /**
   * The view of the bound resource, begun on its first look-up. While a call of an inner evaluation has the resource, every access through
   * the view throws `resource-busy`, unless this call cannot write, or the protocol keeps the views of calls apart.
   *
   * @throws {TransactionClosedError} once the handler's part has ended.
   * @throws {ResourceError} `resource-begin-failed`, or what building the resource threw.
   */
  async view(binding: AnyResourceBinding): Promise<unknown> {
    return (await this.#viewsOf(binding)).guarded;
  }

  /** As {@link view}, for inner evaluations: it can be used at any time until the handler's part has ended. */
  async sharedView(binding: AnyResourceBinding): Promise<unknown> {
    return (await this.#viewsOf(binding)).shared;
  }

  #viewsOf(binding: AnyResourceBinding): Promise<CallViews> {
    if (this.#isSealed) return Promise.reject(closed(tokenName(binding.token)));
    const known = this.#views.get(binding);
    if (known !== undefined) return known;
    const view = this.#begin(binding);
    this.#views.set(binding, view);
    // Many may begin at a time: one that finishes too late rolls itself back, and is not awaited.
    if (binding.protocol?.parallel !== true) this.#beginning.add(view);
    const ended = (): boolean => this.#beginning.delete(view);
    view.then(ended, () => {
      // Nothing was begun, so the next look-up may try again.
      this.#views.delete(binding);
      ended();
    });
    return view;
  }

  /** True when the handler's part has ended. */
  get isSealed(): boolean {
    return this.#isSealed;
  }

  /** True when nothing was begun, so that there is nothing to commit or to roll back. */
  get isEmpty(): boolean {
    return this.#parts.length === 0 && this.#beginning.size === 0;
  }

  /** What all resources that were asked for share their transaction with; undefined when one does not. */
  get sharedTransaction(): object | undefined {
    const [first, ...others] = [...this.#views.keys()].map(
      ({ protocol }) => protocol?.['~sharesTransactionWith'],
    );
    return others.every((other) => other === first) ? first : undefined;
  }

  /** The resources whose commit is in place. */
  get committed(): readonly string[] {
    return this.#parts.filter(({ state }) => state === 'committed').map(({ name }) => name);
  }

  /** The resources that could not be rolled back. */
  get stuck(): readonly string[] {
    return this.#parts.filter(({ state }) => state === 'stuck').map(({ name }) => name);
  }

  /** Takes the views from the handler. */
  seal(): void {
    if (this.#isSealed) return;
    this.#isSealed = true;
    for (const inner of this.#inner) inner.seal();
    for (const { transaction } of this.#parts) this.#revokeView(transaction);
  }

  /** Faults that do not change the outcome of the call; cleared when taken. */
  takeFaults(): readonly unknown[] {
    return this.#faults.splice(0);
  }

  /**
   * What was read or written and has been changed by someone else, by name; of the resources that are neither committed nor rolled back.
   * @throws {ResourceError} `resource-conflicts-failed`
   */
  async conflicts(): Promise<readonly string[]> {
    const open = this.#parts.filter(({ state }) => state === 'open');
    return (await Promise.all(open.map(conflictsOf))).flat();
  }

  /**
   * Commits what was begun, the one that may fail first. Stops at the first that throws; it and those after it are left to `rollback`.
   *
   * @param row decides about what shares its transaction with a journal. Default: the commit is final.
   */
  commit(row?: DecidingRow): Promise<ResourceFailure | undefined> {
    this.#commit = this.#commitAll(row);
    return this.#commit;
  }

  async #commitAll(row: DecidingRow | undefined): Promise<ResourceFailure | undefined> {
    const [stuck] = this.#inner.size === 0 ? none : await this.#rollBackInner((work) => work);
    if (stuck !== undefined) return stuck;
    const [first] = this.#parts;
    // What it has done is rolled back with the handler that it was done for.
    if (first !== undefined && this.#outer?.isSealed === true)
      return { name: first.name, error: closed(first.name) };
    const open = this.#parts.filter(({ state }) => state === 'open');
    for (const part of open.sort((left, right) => Number(right.mayFail) - Number(left.mayFail))) {
      try {
        await commitWith(part.transaction, row);
        part.state = 'committed';
      } catch (error) {
        return { name: part.name, error };
      }
    }
    this.#outer?.leave(this);
    return undefined;
  }

  /**
   * Rolls back what was begun and not committed, latest first, and answers with what could not be. Never rejects.
   *
   * @param awaitWork awaits a resource that is just being begun, for as long as that makes sense.
   */
  async rollback(awaitWork: Awaiter): Promise<readonly ResourceFailure[]> {
    if (this.isEmpty) return [];
    this.#rollback ??= this.#rollBackAll(awaitWork);
    return this.#rollback;
  }

  async #rollBackAll(awaitWork: Awaiter): Promise<readonly ResourceFailure[]> {
    this.seal();
    await this.#commit;
    if (this.#inner.size > 0) await this.#rollBackInner(awaitWork);
    // One that is just being begun is rolled back by its beginning.
    if (this.#beginning.size > 0) await awaitWork(Promise.allSettled(this.#beginning)).catch(() => undefined);
    const failures: ResourceFailure[] = [];
    for (const part of [...this.#parts].reverse()) {
      if (part.state !== 'open') continue;
      try {
        await part.transaction.rollback();
        part.state = 'rolled-back';
      } catch (error) {
        part.state = 'stuck';
        failures.push({ name: part.name, error });
      }
    }
    this.#outer?.leave(this);
    return failures;
  }

  /** A call of an inner evaluation begins something. */
  enter(inner: ResourceForks): void {
    this.#inner.add(inner);
    if (this.#isSealed) inner.seal();
  }

  /** A call of an inner evaluation is settled. */
  leave(inner: ResourceForks): void {
    this.#inner.delete(inner);
  }

  async #rollBackInner(awaitWork: Awaiter): Promise<readonly ResourceFailure[]> {
    return (await Promise.all([...this.#inner].map((inner) => inner.rollback(awaitWork)))).flat();
  }

  #callViews(binding: AnyResourceBinding, shared: unknown): CallViews {
    const isObject = (typeof shared === 'object' && shared !== null) || typeof shared === 'function';
    if (!isObject || this.#readOnly || binding.protocol?.parallel === true)
      return { guarded: shared, shared };
    const name = tokenName(binding.token);
    const assertUsable = (): void => {
      if (this.#isSealed) throw closed(name);
      for (const inner of this.#inner) if (inner.#views.has(binding)) throw inUse(name);
    };
    return { guarded: guardedView(shared, assertUsable), shared };
  }

  async #begin(binding: AnyResourceBinding): Promise<CallViews> {
    const { protocol, token } = binding;
    const name = tokenName(token);
    const resource = await this.#root(token);
    this.#outer?.enter(this);
    if (this.#isSealed) throw closed(name);
    let transaction: unknown;
    try {
      transaction = await protocol?.begin(resource, { readOnly: this.#readOnly });
    } catch (cause) {
      if (WinkError.isInstance(cause) && cause.code === 'transaction-closed') throw cause;
      throw new ResourceError(
        'resource-begin-failed',
        `Beginning a transaction on "${name}" failed: ${describeError(cause)}`,
        { cause, details: { token: name } },
      );
    }
    assertTransaction(name, transaction, protocol?.parallel === true);
    const part: Part = { name, mayFail: protocol?.mayFail === true, transaction, state: 'open' };
    if (!this.#isSealed) {
      this.#parts.push(part);
      return this.#callViews(binding, transaction.view);
    }
    this.#revokeView(transaction);
    try {
      await transaction.rollback();
    } catch (error) {
      this.#faults.push(error);
    }
    throw closed(name);
  }

  #revokeView(transaction: ResourceTransaction<unknown>): void {
    try {
      transaction.revoke?.();
    } catch (error) {
      this.#faults.push(error);
    }
  }
}

function commitWith(
  transaction: ResourceTransaction<unknown>,
  row: DecidingRow | undefined,
): void | Promise<void> {
  if (row === undefined || transaction['~commitWith'] === undefined) return transaction.commit();
  transaction['~commitWith'](row);
}

async function conflictsOf({ name, transaction }: Part): Promise<readonly string[]> {
  try {
    const names = (await transaction.conflicts?.()) ?? [];
    return names.map((what) => `${what} of resource ${name}`);
  } catch (cause) {
    throw new ResourceError(
      'resource-conflicts-failed',
      `Whether what was read of "${name}" still holds could not be found out: ${describeError(cause)}`,
      { cause, details: { token: name } },
    );
  }
}

function inUse(name: string): ResourceError {
  return new ResourceError(
    'resource-busy',
    `"${name}" cannot be used here while a call of an evaluation within this tool call has it: what is written now would be rolled back with that one. Await the evaluation first; the tools of its prompt look the resource up themselves.`,
    { details: { token: name } },
  );
}

function closed(name: string): TransactionClosedError {
  return new TransactionClosedError(
    `The handler's part of this tool call has ended; "${name}" can be reached through the call only until then.`,
    { details: { token: name } },
  );
}
