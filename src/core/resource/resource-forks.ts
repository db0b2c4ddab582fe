import { describeError, ResourceError, TransactionClosedError, WinkError } from '../error/index.ts';
import type { AnyResourceBinding } from './binding.ts';
import { type ResourceToken, tokenName } from './token.ts';
import { assertTransaction, type DecidingRow, type ResourceTransaction } from './transaction-protocol.ts';

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

/**
 * The resources' side of the transaction of one attempt at a call: begins a resource's part on its first look-up, closes the
 * views when the handler's part has ended, and commits or rolls back all of them at the call's turn.
 */
export class ResourceForks {
  readonly #root: (token: ResourceToken<unknown>) => Promise<unknown>;
  readonly #readOnly: boolean;
  readonly #views = new Map<AnyResourceBinding, Promise<unknown>>();
  readonly #parts: Part[] = [];
  readonly #beginning = new Set<Promise<unknown>>();
  readonly #faults: unknown[] = [];
  #isSealed = false;
  #rollback: Promise<readonly ResourceFailure[]> | undefined;

  constructor(
    root: (token: ResourceToken<unknown>) => Promise<unknown>,
    options: { readonly readOnly: boolean },
  ) {
    this.#root = root;
    this.#readOnly = options.readOnly;
  }

  /**
   * The view of the bound resource, begun on its first look-up.
   *
   * @throws {TransactionClosedError} once the handler's part has ended.
   * @throws {ResourceError} `resource-begin-failed`, or what building the resource threw.
   */
  view(binding: AnyResourceBinding): Promise<unknown> {
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
  async commit(row?: DecidingRow): Promise<ResourceFailure | undefined> {
    const open = this.#parts.filter(({ state }) => state === 'open');
    for (const part of open.sort((left, right) => Number(right.mayFail) - Number(left.mayFail))) {
      try {
        await commitWith(part.transaction, row);
        part.state = 'committed';
      } catch (error) {
        return { name: part.name, error };
      }
    }
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
    return failures;
  }

  async #begin(binding: AnyResourceBinding): Promise<unknown> {
    const { protocol, token } = binding;
    const name = tokenName(token);
    const resource = await this.#root(token);
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
      return transaction.view;
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

function closed(name: string): TransactionClosedError {
  return new TransactionClosedError(
    `The handler's part of this tool call has ended; "${name}" can be reached through the call only until then.`,
    { details: { token: name } },
  );
}
