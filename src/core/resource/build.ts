import { describeError, ResourceError, WinkError } from '../error/index.ts';
import type { AnyResourceBinding, FactorySource, ResourceContext } from './binding.ts';
import { disposeAll } from './dispose.ts';
import { cycle, withDisposalFailures } from './resource-failure.ts';
import { tokenName } from './token.ts';

/** Called with an instance that could not be disposed when no caller waits any more. Must not throw. */
export type LateFailureListener = (failure: ResourceError) => void;

/** Why a build is cancelled, and the listener for an instance that cannot be disposed. */
export interface Cancellation {
  /** The reason of the factory's signal, and the error of waiting callers. */
  readonly error: Error;
  readonly report: LateFailureListener;
}

/** One instance being made. Knows what it waits for, so that circles are found instead of waited on for ever. */
export class Build {
  readonly binding: AnyResourceBinding;
  readonly name: string;
  /** The build whose factory looked this one up; undefined for a look-up from outside. */
  readonly parent: Build | undefined;
  /** Objects its factory got that are not its own: handing one on makes no new instance to dispose. */
  readonly borrowed: Set<unknown> = new Set();
  readonly #waitsFor = new Set<Build>();
  #isFinished = false;
  #cancellation: Cancellation | undefined;
  #controller: AbortController | undefined;

  constructor(binding: AnyResourceBinding, parent: Build | undefined) {
    this.binding = binding;
    this.name = tokenName(binding.token);
    this.parent = parent;
  }

  /** The nearest build of a singleton that this one is or is made for. */
  get singleton(): Build | undefined {
    if (this.binding.scope === 'singleton') return this;
    return this.parent?.singleton;
  }

  /** Names along the look-ups, from the first one to this one. */
  get path(): readonly string[] {
    return [...(this.parent?.path ?? []), this.name];
  }

  /** Set once the build was cancelled before its end. */
  get cancellation(): Cancellation | undefined {
    return this.#cancellation;
  }

  /** Aborted when the build is cancelled; made on first use. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#cancellation !== undefined) this.#controller.abort(this.#cancellation.error);
    }
    return this.#controller.signal;
  }

  /** Gives the build up. Its factory may continue; what it makes is to be disposed. Does nothing after its end. */
  cancel(cancellation: Cancellation): void {
    if (this.#isFinished || this.#cancellation !== undefined) return;
    this.#cancellation = cancellation;
    this.#controller?.abort(cancellation.error);
  }

  /** Marks the end: nothing waits for this build any more, and it cannot be cancelled. */
  settle(): void {
    this.#isFinished = true;
  }

  /**
   * Runs the factory, then the hook.
   * @throws {ResourceError} `resource-factory-failed`, or `resource-after-create-failed` once the instance is disposed;
   * errors of this library about resources and closed transactions pass through.
   */
  async run({ factory, afterCreate }: FactorySource<unknown>, context: ResourceContext): Promise<unknown> {
    let value: unknown;
    try {
      value = await factory(context);
    } catch (cause) {
      throw this.#failure('resource-factory-failed', 'Building', cause);
    }
    if (afterCreate === undefined || this.#cancellation !== undefined) return value;
    try {
      await afterCreate(value, context);
    } catch (cause) {
      const failure = this.#failure('resource-after-create-failed', 'The afterCreate hook of', cause);
      const own = this.borrowed.has(value) ? [] : [{ name: this.name, value }];
      throw withDisposalFailures(failure, await disposeAll(own));
    }
    return value;
  }

  /** Waits for another build. @throws {ResourceError} `resource-cyclic` when that one waits for this one. */
  async waitFor<T>(other: Build, outcome: Promise<T>): Promise<T> {
    // A factory may keep its resolver: look-ups after its end delay nothing that waits for it.
    if (this.#isFinished || other.#isFinished) return outcome;
    const circle = routeTo(this, other, new Set());
    if (circle !== undefined) throw cycleOf([...circle, other]);
    this.#waitsFor.add(other);
    try {
      return await outcome;
    } finally {
      this.#waitsFor.delete(other);
    }
  }

  /** @throws {ResourceError} `resource-cyclic` when this build is part of one of the same binding (prototypes). */
  assertNoAncestor(): void {
    const path: Build[] = [this];
    for (let build = this.parent; build !== undefined && !build.#isFinished; build = build.parent) {
      path.unshift(build);
      if (build.binding === this.binding) throw cycleOf(path);
    }
  }

  /** The builds this one waits for at the moment. */
  get pending(): Iterable<Build> {
    return this.#isFinished ? [] : this.#waitsFor;
  }

  #failure(
    code: 'resource-factory-failed' | 'resource-after-create-failed',
    what: string,
    cause: unknown,
  ): WinkError {
    if (ResourceError.isInstance(cause) || isClosed(cause)) return cause;
    const { name, path } = this;
    const needed = path.length === 1 ? '' : ` (looked up along ${path.join(' -> ')})`;
    return new ResourceError(code, `${what} "${name}" failed${needed}: ${describeError(cause)}`, {
      cause,
      details: { token: name, path },
    });
  }
}

/** The way from `from` to `target` along what waits for what, both included. */
function routeTo(target: Build, from: Build, seen: Set<Build>): readonly Build[] | undefined {
  if (from === target) return [from];
  seen.add(from);
  for (const next of from.pending) {
    if (seen.has(next)) continue;
    const rest = routeTo(target, next, seen);
    if (rest !== undefined) return [from, ...rest];
  }
  return undefined;
}

/** @param way ends where it began. Prototypes may occur on it more than once; only the part between those two is reported. */
function cycleOf(way: readonly Build[]): ResourceError {
  const seen = new Map<AnyResourceBinding, number>();
  for (const [index, { binding }] of way.entries()) {
    const first = seen.get(binding);
    if (first !== undefined) return cycle(way.slice(first, index + 1).map(({ name }) => name));
    seen.set(binding, index);
  }
  return cycle(way.map(({ name }) => name));
}

function isClosed(thrown: unknown): thrown is WinkError {
  return WinkError.isInstance(thrown) && thrown.code === 'transaction-closed';
}
