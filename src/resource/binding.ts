import { assertOptions, type RefuseArgument, ResourceError } from '../error/index.ts';
import { isTransactional, type ResourceToken, tokenName } from './token.ts';
import { findProtocolFault, type TransactionProtocol } from './transaction-protocol.ts';

/**
 * How long an instance lives.
 *
 * - `singleton`: one per session and binding, disposed with the session.
 * - `tool-call`: one per attempt of a tool call, disposed before its commit or after its discard.
 * - `prototype`: a fresh one for every look-up, which is for whoever asked to dispose. Only one that nobody gets is disposed by the
 *   library: because its hook failed, or what it was for ended while it was being built.
 */
export type ResourceScope = 'singleton' | 'tool-call' | 'prototype';

/** Looks resources up. */
export interface ResourceResolver {
  /**
   * The instance bound to `token`, built when it is first asked for. Those who ask while it is being built wait for the same
   * one; when that fails, all of them hear of it, and the next look-up builds anew. The instance is what was bound, whatever
   * its class: a token by class is held to its type by the compiler alone.
   *
   * @throws {ResourceError} `resource-unbound`, `resource-cyclic`, `resource-factory-failed`, `resource-after-create-failed`,
   * `resource-scope-invalid`, `resource-dependency-invalid` or `resource-disposed`; a {@link TransactionClosedError} after the
   * call ended.
   */
  get<T>(token: ResourceToken<T>): Promise<T>;
  /** True when {@link get} would find a binding for `token`. */
  has(token: ResourceToken<unknown>): boolean;
}

/** What a factory and a post-construct hook get. Its look-ups are those of the instance: a resource may keep it. */
export interface ResourceContext extends ResourceResolver {
  /**
   * Aborted when the instance is not wanted any more before it is built: the session is disposed, the tool call has ended,
   * or the run was aborted. What the factory still returns is disposed. Says nothing after the build.
   */
  readonly signal: AbortSignal;
}

/**
 * Builds an instance. May be asynchronous and may throw: the look-up fails with `resource-factory-failed`, which has what
 * was thrown as its `cause`; nothing is kept, and the next look-up tries again.
 */
export type ResourceFactory<T> = (context: ResourceContext) => T | Promise<T>;

/**
 * Prepares an instance before anyone gets it. May be asynchronous and may throw: the instance is disposed, the look-up
 * fails with `resource-after-create-failed`, nothing is kept, and the next look-up builds anew.
 */
export type PostConstruct<T> = (instance: T, context: ResourceContext) => void | Promise<void>;

/** An instance that is made. */
export interface FactorySource<T> {
  readonly kind: 'factory';
  readonly factory: ResourceFactory<T>;
  // A method, so that a binding of something special goes into a list of bindings of anything.
  postConstruct?(instance: T, context: ResourceContext): void | Promise<void>;
}

/** An instance that is there already. */
export interface InstanceSource<T> {
  readonly kind: 'instance';
  readonly value: T;
  /** Belongs to the first session that it is used in, and is disposed with it. */
  readonly owned: boolean;
}

/** Where the instance of a binding comes from. */
export type ResourceSource<T> = FactorySource<T> | InstanceSource<T>;

/** A token tied to the way its instance is made. Its identity is that of its singleton within a session. */
export interface ResourceBinding<out T> {
  readonly kind: 'binding';
  readonly token: ResourceToken<T>;
  readonly source: ResourceSource<T>;
  readonly scope: ResourceScope;
  /** Built when the evaluation starts instead of at first use. */
  readonly eager: boolean;
  /** Takes part in the transaction of each tool call: the token says so, or there is a protocol. */
  readonly transactional: boolean;
  /** How it takes part; absent for a token such as `Filesystem`, whose instances can be forked. */
  readonly protocol?: TransactionProtocol<T>;
}

/** Any binding, for lists. */
export type AnyResourceBinding = ResourceBinding<unknown>;

/** Options of {@link bind}. */
export interface ResourceBindingOptions<T = unknown> {
  /** Default: `'singleton'`. */
  readonly scope?: ResourceScope;
  /**
   * Build it when the evaluation starts. Eager ones are built one after the other in the order of their bindings; when one fails, those
   * that this start has built are disposed in reverse order. Only with scope `'singleton'`. Default: false.
   */
  readonly eager?: boolean;
  /** Runs once for each instance, right after the factory. May throw, see {@link PostConstruct}. Default: nothing. */
  readonly postConstruct?: PostConstruct<T>;
}

/** What {@link bind} takes to let the resource join the transaction of each tool call. */
export interface TransactionalBindOptions<T> {
  /**
   * Only with scope `'singleton'`. The instance is built when the evaluation starts, outside of transactions; a call gets
   * its view of it. Default: what calls change of the resource stays, also when they fail.
   */
  readonly transactional?: TransactionProtocol<T>;
}

const refuse: RefuseArgument = (message, details) =>
  new ResourceError('resource-binding-invalid', message, details);

const scopes: readonly unknown[] = ['singleton', 'tool-call', 'prototype'] satisfies readonly ResourceScope[];

/**
 * Binds `token` to a factory.
 *
 * @throws {ResourceError} `resource-binding-invalid` for a factory that is no function, an unknown scope, `eager` with a scope other
 * than `'singleton'`, a transactional resource with another scope, a hook that is no function, no token (two modules that import
 * each other), or the option `transactional` for a token such as `Filesystem`, whose instance is forked for each call anyway.
 */
export function bind<T>(
  token: ResourceToken<T>,
  factory: ResourceFactory<NoInfer<T>>,
  options: ResourceBindingOptions<NoInfer<T>> & TransactionalBindOptions<NoInfer<T>> = {},
): ResourceBinding<T> {
  assertOptions('bind()', options, { scope: 'string' }, refuse);
  const { scope = 'singleton', eager = false, postConstruct } = options;
  assertToken(token);
  const name = tokenName(token);
  const joining = joinTransaction(token, options);
  const { transactional } = joining;
  if (typeof factory !== 'function') {
    throw invalid(
      name,
      `the factory is ${typeof factory}; pass a function, or use bindInstance for a ready value`,
    );
  }
  if (!scopes.includes(scope))
    throw invalid(name, `unknown scope "${scope}"; use one of ${scopes.join(', ')}`);
  if (eager && scope !== 'singleton')
    throw invalid(name, `only a singleton can be eager, not a ${scope} resource`);
  if (transactional && scope !== 'singleton') {
    throw invalid(name, `only a singleton can be transactional, not a ${scope} resource`);
  }
  if (postConstruct !== undefined && typeof postConstruct !== 'function') {
    throw invalid(name, `the option postConstruct is ${typeof postConstruct}; pass a function`);
  }
  const source: ResourceSource<T> = {
    kind: 'factory',
    factory,
    ...(postConstruct === undefined ? {} : { postConstruct }),
  };
  return Object.freeze({
    kind: 'binding',
    token,
    source: Object.freeze(source),
    scope,
    eager,
    ...joining,
  });
}

/**
 * Binds `token` to a value that exists already.
 *
 * @param options.owned default false: the value stays yours to dispose. True: it belongs to the first session that it is used
 * in and is disposed with it; another session is refused, with `resource-owned` while the first one lives and with `resource-disposed`
 * afterwards. To have one for each session use {@link bind}.
 * @throws {ResourceError} `resource-binding-invalid` for an option `transactional` that {@link bind} would refuse as well.
 */
export function bindInstance<T>(
  token: ResourceToken<T>,
  value: NoInfer<T>,
  options: { readonly owned?: boolean } & TransactionalBindOptions<NoInfer<T>> = {},
): ResourceBinding<T> {
  assertOptions('bindInstance()', options, {}, refuse);
  const { owned = false } = options;
  assertToken(token);
  const source: ResourceSource<T> = { kind: 'instance', value, owned };
  return Object.freeze({
    kind: 'binding',
    token,
    source: Object.freeze(source),
    scope: 'singleton',
    eager: false,
    ...joinTransaction(token, options),
  });
}

/** How what is bound takes part in transactions. */
function joinTransaction<T>(
  token: ResourceToken<T>,
  { transactional: protocol }: TransactionalBindOptions<T>,
): Pick<ResourceBinding<T>, 'transactional' | 'protocol'> {
  if (protocol === undefined) return { transactional: isTransactional(token) };
  const name = tokenName(token);
  if (isTransactional(token)) {
    throw invalid(name, 'it takes part in transactions already; leave out the option transactional');
  }
  const fault = findProtocolFault(protocol);
  if (fault !== undefined) throw invalid(name, fault);
  return { transactional: true, protocol };
}

/** For callers without types, and for modules that import each other: there the token may not be made yet. */
function assertToken(token: unknown): void {
  if (typeof token === 'function') return;
  if (typeof token === 'object' && token !== null && Reflect.get(token, 'kind') === 'resource-token') return;
  throw invalid(
    String(token),
    'it is no token; pass a class, or what resource() returned. One that is undefined may stand in a module that imports this one',
  );
}

function invalid(name: string, problem: string): ResourceError {
  return new ResourceError('resource-binding-invalid', `Resource "${name}" cannot be bound: ${problem}.`, {
    details: { token: name },
  });
}
