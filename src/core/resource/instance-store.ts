import { ResourceError } from '../error/index.ts';
import { none, processWide } from '../internal/index.ts';
import type { AnyResourceBinding } from './binding.ts';
import type { Build, LateFailureListener } from './build.ts';
import { disposeAll } from './dispose.ts';
import { ended } from './resource-failure.ts';
import { tokenName } from './token.ts';

interface Entry {
  readonly build: Build;
  readonly instance: Promise<unknown>;
}

interface Unfinished {
  /** Settles when factory, hook and, where no caller gets the instance, its disposal have ended. */
  readonly work: Promise<unknown>;
  /** Rejects for the callers that wait for the instance. */
  readonly refuse: (error: Error) => void;
}

/**
 * The store that each value bound as owned belongs to, also after its end. The values are the user's own objects, frozen ones among
 * them, and several bindings may name one: this can be held neither in the value nor in a binding. Shared by all copies of the package: a
 * value would be disposed twice.
 */
function owners(): WeakMap<object, Pick<InstanceStore, 'isClosed'>> {
  return processWide('resource-owners.1', () => new WeakMap());
}

/** Instances of one lifetime: each binding built once, in the order in which they were finished. */
export class InstanceStore {
  readonly #lifetime: 'session' | 'call';
  readonly #entries = new Map<AnyResourceBinding, Entry>();
  /** Everything that is being built, prototypes too. */
  readonly #unfinished = new Map<Build, Unfinished>();
  /** Finished instances that are this store's to dispose, each once however many bindings made it. */
  readonly #owned = new Map<unknown, AnyResourceBinding>();
  #isClosed = false;

  constructor(lifetime: 'session' | 'call') {
    this.#lifetime = lifetime;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** @throws once the lifetime has ended. */
  assertOpen(name: string): void {
    if (this.#isClosed) throw ended(this.#lifetime, name);
  }

  /** The entry of a binding, finished or in the making. */
  find(binding: AnyResourceBinding): Entry | undefined {
    return this.#entries.get(binding);
  }

  /** Starts the one build of a binding. A failed one is forgotten, so the next look-up tries again. */
  share(build: Build, make: () => Promise<unknown>): Entry {
    const { binding } = build;
    const instance = this.#follow(build, make, (value) => {
      if (!build.borrowed.has(value) && !this.#owned.has(value)) this.#owned.set(value, binding);
    });
    const entry = { build, instance };
    this.#entries.set(binding, entry);
    return entry;
  }

  /** Starts a build whose instance belongs to the caller, to use and to dispose. */
  make(build: Build, make: () => Promise<unknown>): Promise<unknown> {
    return this.#follow(build, make, () => undefined);
  }

  /**
   * Takes over a value that exists already, once.
   * @throws {ResourceError} `resource-owned` when it is another store's; `resource-disposed` when that one has ended.
   */
  adopt(binding: AnyResourceBinding, value: unknown): void {
    if (typeof value !== 'object' && typeof value !== 'function') return;
    if (value === null) return;
    assertNotDisposed(binding, value);
    const owner = owners().get(value) ?? this;
    if (owner !== this) {
      const name = tokenName(binding.token);
      throw new ResourceError(
        'resource-owned',
        `The instance bound to "${name}" as owned belongs to another session. Bind a factory, so that each session has its own, or leave out owned and dispose it yourself.`,
        { details: { token: name } },
      );
    }
    owners().set(value, this);
    if (!this.#owned.has(value)) this.#owned.set(value, binding);
  }

  /** Disposes the instances of these bindings, latest first, and forgets them. Returns what failed; never rejects. */
  async disposeBindings(bindings: ReadonlySet<AnyResourceBinding>): Promise<readonly ResourceError[]> {
    const released = [...this.#owned].filter(([, binding]) => bindings.has(binding));
    for (const [value] of released) this.#owned.delete(value);
    for (const binding of bindings) this.#entries.delete(binding);
    return disposeAll(released.map(toNamed));
  }

  /**
   * Cancels the builds in progress: their signals are aborted, waiting callers get `refuse(name)`, and an instance that is still
   * finished is disposed. Resolves when all have ended, which may be never; `report` gets what could not be disposed.
   */
  async cancelBuilds(refuse: (name: string) => Error, report: LateFailureListener): Promise<void> {
    const unfinished = [...this.#unfinished];
    this.#unfinished.clear();
    for (const [build, waiting] of unfinished) {
      this.#discard(build);
      const error = refuse(build.name);
      build.cancel({ error, report });
      waiting.refuse(error);
    }
    await Promise.allSettled(unfinished.map(([, { work }]) => work));
  }

  /**
   * Ends the lifetime: cancels the builds in progress, then disposes every finished instance, latest first. Returns what failed, at
   * once when there is nothing to dispose; never rejects.
   *
   * @param report gets failures of instances that are finished later; without it they are awaited.
   */
  dispose(report?: LateFailureListener): readonly ResourceError[] | Promise<readonly ResourceError[]> {
    if (this.#isClosed) return none;
    this.#isClosed = true;
    if (this.#unfinished.size > 0 || this.#owned.size > 0) return this.#disposeEverything(report);
    this.#entries.clear();
    return none;
  }

  async #disposeEverything(report: LateFailureListener | undefined): Promise<readonly ResourceError[]> {
    const failures: ResourceError[] = [];
    const cancelled = this.cancelBuilds(
      (name) => ended(this.#lifetime, name),
      report ?? ((failure) => failures.push(failure)),
    );
    this.#entries.clear();
    if (report === undefined) await cancelled;
    const owned = [...this.#owned];
    this.#owned.clear();
    return [...failures, ...(await disposeAll(owned.map(toNamed)))];
  }

  #follow(build: Build, make: () => Promise<unknown>, keep: (value: unknown) => void): Promise<unknown> {
    // Started a microtask later, so that its waiters are known when its factory looks up something that needs it in turn.
    const work = Promise.resolve()
      .then(make)
      .then(
        async (value) => {
          if (build.cancellation !== undefined) return this.#dispose(build, value);
          this.#end(build);
          keep(value);
          return value;
        },
        (error: unknown) => {
          // An error because the factory was aborted is not reported; an instance that may be leaked is.
          if (isAfterCreateFailure(error)) build.cancellation?.report(error);
          this.#end(build);
          this.#discard(build);
          throw error;
        },
      );
    const outcome = new Promise<unknown>((resolve, refuse) => {
      work.then(resolve, refuse);
      this.#unfinished.set(build, { work, refuse });
    });
    // The caller may no longer wait; the failure is the caller's, not an unhandled rejection.
    outcome.catch(() => undefined);
    return outcome;
  }

  /** An instance that was built although its build had been cancelled. */
  async #dispose({ cancellation, borrowed, name }: Build, value: unknown): Promise<void> {
    if (borrowed.has(value)) return;
    for (const failure of await disposeAll([{ name, value }])) cancellation?.report(failure);
  }

  #end(build: Build): void {
    build.settle();
    this.#unfinished.delete(build);
  }

  #discard(build: Build): void {
    if (this.#entries.get(build.binding)?.build === build) this.#entries.delete(build.binding);
  }
}

function isAfterCreateFailure(error: unknown): error is ResourceError {
  return ResourceError.isInstance(error) && error.code === 'resource-after-create-failed';
}

/** @throws {ResourceError} `resource-disposed` when `value` was bound as owned and disposed with the session that owned it. */
export function assertNotDisposed(binding: AnyResourceBinding, value: unknown): void {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
  if (owners().get(value)?.isClosed !== true) return;
  const name = tokenName(binding.token);
  throw new ResourceError(
    'resource-disposed',
    `The instance bound to "${name}" was disposed with the session that owned it. Bind a factory, so that each session has its own, or leave out owned and dispose it yourself.`,
    { details: { token: name } },
  );
}

function toNamed([value, { token }]: readonly [unknown, AnyResourceBinding]): {
  readonly name: string;
  readonly value: unknown;
} {
  return { name: tokenName(token), value };
}
