import { ResourceError, WinkError } from '../error/index.ts';
import { none } from '../internal/index.ts';
import type { AnyResourceBinding, ResourceResolver } from './binding.ts';
import type { LateFailureListener } from './build.ts';
import { InstanceStore } from './instance-store.ts';
import type { ResourceRegistry } from './registry.ts';
import { createResolver, type Lifetimes, type OuterResources, type ResourceViews } from './resolution.ts';
import { allDisposeFailures, buildCancelledError, withDisposalFailures } from './resource-failure.ts';
import { type Awaiter, ResourceForks } from './resource-forks.ts';
import { type ResourceToken, tokenName } from './token.ts';

const storeSlot: unique symbol = Symbol('resources');

/** What resources need of a session: notice of its end, and storage for its singletons. */
export interface ResourceHost {
  onDispose(callback: () => void | Promise<void>): void;
  /**
   * The singletons of the session, which live as long as it does, whichever container looks them up. The first container adds it,
   * not enumerable.
   */
  readonly [storeSlot]?: InstanceStore;
}

/** Keeps resources from calls. */
export interface ResourceRefusal {
  refuses(token: ResourceToken<unknown>): boolean;
  /** A call looks the resource up. Returns what it rejects with. */
  refused(token: ResourceToken<unknown>): ResourceError;
}

/** Replaces the resource of a token, evaluated at each look-up. */
type ResourceOverride = readonly [token: ResourceToken<unknown>, find: () => unknown];

/** The resources of one attempt at a tool call. */
export interface CallScope {
  /** Singletons, prototypes, overrides, and the tool-call resources of this attempt. */
  readonly resolver: ResourceResolver;
  /** Names of the looked-up singletons that do not take part in the transaction: changes to them remain. */
  readonly reached: ReadonlySet<string>;
  /**
   * Disposes the tool-call resources of this attempt in reverse order of construction; later look-ups throw a
   * `TransactionClosedError`. One that is still being built is cancelled, and disposed when it is finished, which is not awaited.
   * Never rejects; returns what failed, at once when there is nothing to dispose. Closing again does nothing.
   */
  dispose(): readonly ResourceError[] | Promise<readonly ResourceError[]>;
}

/** The surroundings of a container. */
export interface ContainerOptions {
  /**
   * The call whose handler looks up the resources, of a container over the outer prompt: what both bind is looked up as the
   * outer call's view.
   */
  readonly outer?: OuterResources | undefined;
  /** True within a call's handler: other calls use the singletons of the session at the same time. Default: false. */
  readonly isInner?: boolean;
  /** What calls do not get. It is not built when the evaluation starts, and takes part in no transaction. Default: calls get all. */
  readonly refusal?: ResourceRefusal | undefined;
  /** Called with what could not be disposed after its callers stopped waiting. Must not throw. Default: it is dropped. */
  readonly onLateFailure?: LateFailureListener;
}

/**
 * The resources of one registry over one session. Singletons belong to the session and the binding: another container
 * over the same session finds the same instances, and they are disposed with the session.
 *
 * @see docs/spec/resources.md §2
 */
export class ResourceContainer {
  readonly #registry: ResourceRegistry;
  readonly #store: InstanceStore;
  readonly #lifetimes: Lifetimes;
  readonly #isInner: boolean;
  readonly #onLateFailure: LateFailureListener;
  /** Singletons and prototypes; asking for a tool-call resource throws `resource-scope-invalid`. */
  readonly resolver: ResourceResolver;
  /** Names of the resources that join one transaction at a time: calls have to run one by one. */
  readonly serialResources: readonly string[];
  /** For the scopes of calls: a look-up of what they do not get throws. */
  readonly refusals: readonly ResourceOverride[];
  readonly #refused: ReadonlySet<ResourceToken<unknown>>;
  readonly #joining: ReadonlySet<AnyResourceBinding>;

  private constructor(registry: ResourceRegistry, store: InstanceStore, options: ContainerOptions) {
    this.#registry = registry;
    this.#store = store;
    this.#isInner = options.isInner ?? false;
    this.#onLateFailure = options.onLateFailure ?? (() => undefined);
    this.#lifetimes = { registry, session: store, call: undefined, outer: options.outer };
    this.resolver = createResolver(this.#lifetimes);
    const { refusal } = options;
    this.refusals = refusal === undefined ? none : refusalsOf(registry, refusal);
    this.#refused = new Set(this.refusals.map(([token]) => token));
    const joining = registry.bindings.filter(
      ({ protocol, token }) => protocol !== undefined && !this.#refused.has(token),
    );
    this.#joining = new Set(joining);
    this.serialResources = joining
      .filter(({ protocol }) => protocol?.parallel !== true)
      .map(({ token }) => tokenName(token));
  }

  /**
   * Opens the resources of `registry` for `session`. Instances bound as owned become the session's to dispose.
   *
   * @throws {ResourceError} `resource-fallible-exceeded` when two transactional resources may fail at their commit: one could
   * fail after the other is in place; `resource-owned` or `resource-disposed` for an owned instance of another session.
   */
  static for(
    session: ResourceHost,
    registry: ResourceRegistry,
    options: ContainerOptions = {},
  ): ResourceContainer {
    assertOneFallible(registry);
    const store = storeOf(session);
    for (const binding of registry.bindings) {
      if (binding.source.kind === 'instance' && binding.source.owned)
        store.adopt(binding, binding.source.value);
    }
    return new ResourceContainer(registry, store, options);
  }

  /**
   * Cancels what is still being built for `session`: after a stopped run, no caller waits for it. A finished instance is
   * disposed, which is not waited for, neither here nor when the session is disposed.
   */
  static cancelBuilds(session: ResourceHost, report: LateFailureListener): void {
    void session[storeSlot]?.cancelBuilds(buildCancelledError, report);
  }

  /**
   * Builds the eager singletons in binding order, and those that take part in transactions: what they find when they are built must not
   * depend on the calls that are running. When one fails, those built by this call are disposed again, latest first, and
   * those still being built are cancelled. A nested container leaves them to the session, since other calls may use them by then.
   *
   * @param awaitWork awaits a build for as long as that makes sense. Default: to its end.
   * @throws {ResourceError} what the failing one threw; when disposing failed too, with all of it as cause.
   */
  async start(awaitWork: Awaiter = (work) => work): Promise<void> {
    const before = new Set(
      this.#registry.bindings.filter((binding) => this.#store.find(binding) !== undefined),
    );
    for (const { eager, token, transactional } of this.#registry.bindings) {
      if ((!eager && !transactional) || this.#refused.has(token)) continue;
      try {
        await awaitWork(this.resolver.get(token));
      } catch (error) {
        throw this.#isInner ? error : await this.#undoStart(before, error, awaitWork);
      }
    }
  }

  async #undoStart(
    before: ReadonlySet<AnyResourceBinding>,
    error: unknown,
    awaitWork: Awaiter,
  ): Promise<unknown> {
    const built = this.#registry.bindings.filter(
      (binding) => binding.source.kind === 'factory' && !before.has(binding),
    );
    await awaitWork(this.#store.cancelBuilds(buildCancelledError, this.#onLateFailure)).catch(
      () => undefined,
    );
    const failures = await this.#store.disposeBindings(new Set(built));
    if (WinkError.isInstance(error)) return withDisposalFailures(error, failures);
    for (const failure of failures) this.#onLateFailure(failure);
    return error;
  }

  /** What a container for an inner evaluation needs to know of a call that got `forks` here. */
  outerCall(forks: ResourceForks | undefined): OuterResources | undefined {
    return forks === undefined ? undefined : { forks, bindings: this.#joining };
  }

  /** Opens the resources' side of the transaction of one attempt; undefined when nothing bound takes part. */
  openForks(options: { readonly readOnly: boolean }): ResourceForks | undefined {
    if (this.#joining.size === 0) return undefined;
    return new ResourceForks((token) => this.resolver.get(token), {
      ...options,
      outer: this.#lifetimes.outer?.forks,
    });
  }

  /**
   * Opens the scope of one attempt. `overrides` and `forks` replace bound resources: the attempt's transactional views.
   * An override is evaluated at each look-up.
   */
  openCallScope(overrides: readonly ResourceOverride[], forks?: ResourceViews): CallScope {
    const store = new InstanceStore('call');
    const reached = new Set<string>();
    const { registry, session, outer } = this.#lifetimes;
    const call = { store, overrides: new Map(overrides), forks, reached };
    return Object.freeze({
      resolver: createResolver({ registry, session, call, outer }),
      reached,
      dispose: () => store.dispose(this.#onLateFailure),
    });
  }
}

function refusalsOf(registry: ResourceRegistry, refusal: ResourceRefusal): readonly ResourceOverride[] {
  const tokens = registry.bindings.map(({ token }) => token).filter((token) => refusal.refuses(token));
  return tokens.map((token) => [
    token,
    () => {
      throw refusal.refused(token);
    },
  ]);
}

function storeOf(session: ResourceHost): InstanceStore {
  const present = session[storeSlot];
  if (present !== undefined) return present;
  const store = new InstanceStore('session');
  // Not enumerable: listings and comparisons of sessions do not include it.
  Object.defineProperty(session, storeSlot, { value: store });
  session.onDispose(async () => {
    const failures = await store.dispose();
    if (failures.length > 0) throw allDisposeFailures(failures);
  });
  return store;
}

function assertOneFallible(registry: ResourceRegistry): void {
  const names = registry.bindings
    .filter(({ protocol }) => protocol?.mayFail === true)
    .map(({ token }) => tokenName(token));
  if (names.length < 2) return;
  throw new ResourceError(
    'resource-fallible-exceeded',
    `Only one resource of a prompt may fail at its commit, but these may: ${names.join(', ')}. If the second fails, the ` +
      'first is in place already. Leave one of them out, or let one object join for both.',
    { details: { tokens: names } },
  );
}
