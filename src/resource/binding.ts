import { ResourceError } from '../error/index.ts';
import { isTransactional, type Token, tokenName } from './token.ts';
import { findProtocolFault, type TransactionalResource } from './transactional.ts';

/**
 * How long an instance lives.
 *
 * - `singleton`: one per session and binding, disposed with the session.
 * - `tool-call`: one per attempt of a tool call, disposed before its commit or after its discard.
 * - `prototype`: a fresh one for every look-up, never disposed by the library.
 */
export type Scope = 'singleton' | 'tool-call' | 'prototype';

/** Looks resources up. */
export interface ResourceResolver {
  /**
   * The instance bound to `token`, built when it is first asked for.
   * @throws {ResourceError} `resource-unbound`, `resource-cycle`, `resource-factory-failed`, `resource-scope`,
   * `resource-transactional-dependency` or `resource-disposed`; a {@link TransactionClosedError} after the call ended.
   */
  get<T>(token: Token<T>): Promise<T>;
  /** True when {@link get} would find a binding for `token`. */
  has(token: Token<unknown>): boolean;
}

/**
 * Builds an instance. May be asynchronous and may throw: the look-up fails with `resource-factory-failed`, nothing is
 * kept, and the next look-up tries again.
 */
export type ResourceFactory<T> = (resolver: ResourceResolver) => T | Promise<T>;

/** Where the instance of a binding comes from. */
export type ResourceSource<T> =
  | { readonly kind: 'factory'; readonly factory: ResourceFactory<T> }
  | { readonly kind: 'instance'; readonly value: T; readonly owned: boolean };

/** A token tied to the way its instance is made. Its identity is that of its singleton within a session. */
export interface Binding<out T> {
  readonly kind: 'binding';
  readonly token: Token<T>;
  readonly source: ResourceSource<T>;
  readonly scope: Scope;
  /** Built when the evaluation starts instead of at first use. */
  readonly eager: boolean;
  /** Takes part in the transaction of each tool call: the token says so, or there is a protocol. */
  readonly transactional: boolean;
  /** How it takes part; absent for a token such as `Filesystem`, whose instances can be forked. */
  readonly protocol?: TransactionalResource<T>;
}

/** Any binding, for lists. */
export type AnyBinding = Binding<unknown>;

/** Options of {@link bind}. */
export interface BindOptions {
  /** Default: `'singleton'`. */
  readonly scope?: Scope;
  /** Only with scope `'singleton'`. Default: false. */
  readonly eager?: boolean;
}

/** What {@link bind} takes to let the resource join the transaction of each tool call. */
export interface TransactionalBindOptions<T> {
  /**
   * Only with scope `'singleton'`. The instance is built when the evaluation starts, outside of transactions; a call gets
   * its view of it. Default: what calls change of the resource stays, also when they fail.
   */
  readonly transactional?: TransactionalResource<T>;
}

const scopes: readonly unknown[] = ['singleton', 'tool-call', 'prototype'] satisfies readonly Scope[];

/**
 * Binds `token` to a factory.
 *
 * @throws {ResourceError} `resource-binding-invalid` for a factory that is no function, an unknown scope, `eager` with a scope other
 * than `'singleton'`, a transactional resource with another scope, or the option `transactional` for a token such as `Filesystem`,
 * whose instance is forked for each call anyway.
 */
export function bind<T>(
  token: Token<T>,
  factory: ResourceFactory<NoInfer<T>>,
  options: BindOptions & TransactionalBindOptions<NoInfer<T>> = {},
): Binding<T> {
  const { scope = 'singleton', eager = false } = options;
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
  const source: ResourceSource<T> = { kind: 'factory', factory };
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
 * Binds `token` to a value that exists already. It stays the caller's to dispose unless `owned` is true; an owned one belongs
 * to one session and is disposed with it.
 *
 * @throws {ResourceError} `resource-binding-invalid` for an option `transactional` that {@link bind} would refuse as well.
 */
export function bindInstance<T>(
  token: Token<T>,
  value: NoInfer<T>,
  options: { readonly owned?: boolean } & TransactionalBindOptions<NoInfer<T>> = {},
): Binding<T> {
  const { owned = false } = options;
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
  token: Token<T>,
  { transactional: protocol }: TransactionalBindOptions<T>,
): Pick<Binding<T>, 'transactional' | 'protocol'> {
  if (protocol === undefined) return { transactional: isTransactional(token) };
  const name = tokenName(token);
  if (isTransactional(token)) {
    throw invalid(name, 'it takes part in transactions already; leave out the option transactional');
  }
  const fault = findProtocolFault(protocol);
  if (fault !== undefined) throw invalid(name, fault);
  return { transactional: true, protocol };
}

function invalid(name: string, problem: string): ResourceError {
  return new ResourceError('resource-binding-invalid', `Resource "${name}" cannot be bound: ${problem}.`, {
    details: { token: name },
  });
}
