import { describeError, ResourceError } from '../error/index.ts';
import type { AnyBinding, ResourceResolver } from './binding.ts';
import { InstanceStore } from './instance-store.ts';
import type { ResourceRegistry } from './registry.ts';
import { createResolver, type Lifetimes, type OuterCall } from './resolution.ts';
import { ResourceForks } from './resource-forks.ts';
import { type Token, tokenName } from './token.ts';

/** What resources need of a session: to be told when it ends. */
export interface ResourceHost {
  onDispose(callback: () => void | Promise<void>): void;
}

/** The resources of one attempt at a tool call. */
export interface CallScope {
  /** Singletons, prototypes, overrides, and the tool-call resources of this attempt. */
  readonly resolver: ResourceResolver;
  /** Names of the singletons asked for that take no part in the transaction: what was done to them stands. */
  readonly reached: ReadonlySet<string>;
  /**
   * Disposes the tool-call resources of this attempt in reverse order of construction; later look-ups throw a
   * `TransactionClosedError`. One that is still being built is disposed when it is finished, which is not waited for.
   * Never rejects; returns what failed. Closing again does nothing.
   */
  close(): Promise<readonly unknown[]>;
}

/** Singletons live as long as their session, whichever container asks for them. */
const sessionStores = new WeakMap<ResourceHost, InstanceStore>();

/**
 * The resources of one registry over one session. Singletons belong to the session and the binding: another container
 * over the same session finds the same instances, and they are disposed with the session. Disposing the container ends
 * look-ups through it and leaves them alone.
 *
 * @see spec TOOLS "Resource Access"
 */
export class ResourceContainer implements AsyncDisposable {
  readonly #registry: ResourceRegistry;
  readonly #store: InstanceStore;
  readonly #lifetimes: Lifetimes;
  /** Singletons and prototypes; asking for a tool-call resource throws `resource-scope`. */
  readonly resolver: ResourceResolver;
  /** Names of the resources that join one transaction at a time: calls have to run one by one. */
  readonly serialResources: readonly string[];
  readonly #joining: ReadonlySet<AnyBinding>;
  #isEnded = false;

  private constructor(registry: ResourceRegistry, store: InstanceStore, outer: OuterCall | undefined) {
    this.#registry = registry;
    this.#store = store;
    this.#lifetimes = { registry, session: store, call: undefined, outer, isEnded: () => this.#isEnded };
    this.resolver = createResolver(this.#lifetimes);
    const joining = registry.bindings.filter(({ protocol }) => protocol !== undefined);
    this.#joining = new Set(joining);
    this.serialResources = joining
      .filter(({ protocol }) => protocol?.parallel !== true)
      .map(({ token }) => tokenName(token));
  }

  /**
   * Opens the resources of `registry` for `session`. Instances bound as owned become the session's to dispose.
   *
   * @param outer the call whose handler asks for them, of a container over the outer prompt: what both bind is looked up
   * as the outer call's view.
   * @throws {ResourceError} `resource-too-many-fallible` when two transactional resources may fail at their commit: one could
   * fail after the other is in place.
   */
  static for(session: ResourceHost, registry: ResourceRegistry, outer?: OuterCall): ResourceContainer {
    assertOneFallible(registry);
    const store = storeOf(session);
    for (const binding of registry.bindings) {
      if (binding.source.kind === 'instance' && binding.source.owned)
        store.adopt(binding, binding.source.value);
    }
    return new ResourceContainer(registry, store, outer);
  }

  /**
   * Builds the eager singletons in binding order, and those that take part in transactions: what they find when they are built must not
   * depend on the calls that are running. When one fails, those built by this call are disposed again.
   *
   * @throws {ResourceError} what the failing one threw; when disposing failed too, with all of it as cause.
   */
  async start(): Promise<void> {
    const before = new Set(
      this.#registry.bindings.filter((binding) => this.#store.find(binding) !== undefined),
    );
    for (const { eager, token, transactional } of this.#registry.bindings) {
      if (!eager && !transactional) continue;
      try {
        await this.resolver.get(token);
      } catch (error) {
        const built = this.#registry.bindings.filter((binding) => !before.has(binding) && isBuilt(binding));
        const errors = await this.#store.release(new Set(built));
        throw errors.length === 0 ? error : startFailed(token, error, errors);
      }
    }
  }

  /** What a container for a nested evaluation needs to know of a call that got `forks` here. */
  outerCall(forks: ResourceForks | undefined): OuterCall | undefined {
    return forks === undefined ? undefined : { forks, bindings: this.#joining };
  }

  /** Opens the resources' side of the transaction of one attempt; undefined when nothing bound takes part. */
  openForks(options: { readonly readOnly: boolean }): ResourceForks | undefined {
    if (this.#joining.size === 0) return undefined;
    return new ResourceForks((token) => this.resolver.get(token), options);
  }

  /** Opens the scope of one attempt. `overrides` and `forks` stand in for what is bound: the attempt's transactional views. */
  openCallScope(
    overrides: readonly (readonly [Token<unknown>, unknown])[],
    forks?: ResourceForks,
  ): CallScope {
    const store = new InstanceStore();
    const reached = new Set<string>();
    const call = { store, overrides: new Map(overrides), forks, reached };
    return Object.freeze({
      resolver: createResolver({ ...this.#lifetimes, call }),
      reached,
      close: () => store.close({ wait: false }),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
  }
}

function storeOf(session: ResourceHost): InstanceStore {
  let store = sessionStores.get(session);
  if (store === undefined) {
    const made = new InstanceStore();
    store = made;
    sessionStores.set(session, made);
    session.onDispose(async () => {
      const errors = await made.close({ wait: true });
      if (errors.length > 0) throw disposeFailed(errors);
    });
  }
  return store;
}

function assertOneFallible(registry: ResourceRegistry): void {
  const names = registry.bindings
    .filter(({ protocol }) => protocol?.mayFail === true)
    .map(({ token }) => tokenName(token));
  if (names.length < 2) return;
  throw new ResourceError(
    'resource-too-many-fallible',
    `Only one resource of a prompt may fail at its commit, but these may: ${names.join(', ')}. If the second fails, the ` +
      'first is in place already. Leave one of them out, or let one object join for both.',
    { details: { tokens: names } },
  );
}

function isBuilt(binding: AnyBinding): boolean {
  return binding.source.kind === 'factory' && binding.scope === 'singleton';
}

function disposeFailed(errors: readonly unknown[]): ResourceError {
  const texts = errors.map(describeError);
  return new ResourceError('resource-dispose-failed', `Disposing resources failed: ${texts.join('; ')}`, {
    cause: errors.length === 1 ? errors[0] : new AggregateError(errors, 'Disposing resources failed.'),
    details: { failures: texts },
  });
}

function startFailed(token: Token<unknown>, error: unknown, errors: readonly unknown[]): ResourceError {
  const code = ResourceError.isInstance(error) ? error.code : 'resource-factory-failed';
  const texts = errors.map(describeError);
  return new ResourceError(
    code,
    `${describeError(error)} Disposing what had been built failed too: ${texts.join('; ')}`,
    {
      cause: new AggregateError([error, ...errors], 'Starting resources failed.'),
      details: { token: tokenName(token), failures: texts },
    },
  );
}
