import { assertOptions, type OptionsOf, oneOf, type RefuseArgument, ResourceError } from '../error/index.ts';
import { present } from '../internal/index.ts';
import { isTransactional, type ResourceToken, tokenName } from './token.ts';
import { findProtocolFault, type TransactionProtocol } from './transaction-protocol.ts';

/**
 * How long an instance lives.
 *
 * - `singleton`: one per session and binding, disposed with the session.
 * - `tool-call`: one per attempt of a tool call, disposed before its commit or after its discard.
 * - `prototype`: a fresh one for every look-up, which its caller disposes. Only one that no caller gets is disposed by the
 *   library: because its hook failed, or what it was for ended while it was being built.
 */
export type ResourceScope = 'singleton' | 'tool-call' | 'prototype';

/** Looks resources up. */
export interface ResourceResolver {
  /**
   * The instance bound to `token`, built on the first look-up. Look-ups during the build wait for the same
   * instance; when the build fails, all of them reject, and the next look-up builds again. The instance is what was bound, whatever
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

/** What `create` and `afterCreate` of a binding get. Its look-ups are those of the instance: a resource may keep it. */
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

/** An instance that is made. */
export interface FactorySource<T> {
  readonly kind: 'factory';
  readonly factory: ResourceFactory<T>;
  // A method, so that a binding of something special goes into a list of bindings of anything.
  afterCreate?(instance: T, context: ResourceContext): void | Promise<void>;
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

interface TransactionalBindingOptions<T> {
  /**
   * Lets the resource join the transaction of each tool call. Only with scope `'singleton'`. The instance is created when the
   * evaluation starts, outside of transactions; a call gets its view of it. Default: what calls change of the resource stays, also when they fail.
   */
  readonly transactional?: TransactionProtocol<T>;
}

/** Options of a binding whose instances are created. */
interface CreatedBindingOptions<T> extends TransactionalBindingOptions<T> {
  /** Creates an instance. */
  readonly create: ResourceFactory<T>;
  /** Default: `'singleton'`. */
  readonly scope?: ResourceScope;
  /**
   * Create it when the evaluation starts. Eager ones are created one after the other in the order of their bindings; when one fails, those
   * that this start has created are disposed in reverse order. Only with scope `'singleton'`. Default: false.
   */
  readonly eager?: boolean;
  /**
   * Prepares an instance before a caller gets it: runs once for each instance, right after `create`. May be asynchronous and may throw: the
   * instance is disposed, the look-up fails with `resource-after-create-failed`, nothing is kept, and the next look-up creates a new one. Default: nothing.
   */
  readonly afterCreate?: (instance: T, context: ResourceContext) => void | Promise<void>;
  readonly instance?: undefined;
  readonly owned?: undefined;
}

/** Options of a binding to a value that exists already. */
interface InstanceBindingOptions<T> extends TransactionalBindingOptions<T> {
  /** The value. */
  readonly instance: T;
  /**
   * Default false: the caller disposes the value. True: it belongs to the first session that it is used in and is disposed with it;
   * another session is refused, with `resource-owned` while the first one lives and with `resource-disposed` afterwards. For a value
   * for each session use `create`.
   */
  readonly owned?: boolean;
  readonly create?: undefined;
  readonly scope?: undefined;
  readonly eager?: undefined;
  readonly afterCreate?: undefined;
}

/** Options of {@link binding}: either `create` or `instance`, and what goes with it. */
export type ResourceBindingOptions<T = unknown> = CreatedBindingOptions<T> | InstanceBindingOptions<T>;

/** Refuses a value that is not a binding. */
export const refuseBinding: RefuseArgument = (message, details) =>
  new ResourceError('resource-binding-invalid', message, details);

const bindingChecks = {
  create: 'function',
  scope: oneOf(['singleton', 'tool-call', 'prototype']),
  eager: 'any',
  afterCreate: 'function',
  instance: 'unknown',
  owned: 'any',
  transactional: 'any',
} satisfies OptionsOf<ResourceBindingOptions>;
/** Options that only one of the two forms has. */
const forCreated: readonly string[] = ['scope', 'eager', 'afterCreate'];
const forInstances: readonly string[] = ['instance', 'owned'];

/**
 * Binds `token` to what creates its instances, or to an instance.
 *
 * ```ts
 * import { binding, promptTemplate, resourceToken } from 'weakincentives';
 *
 * const Clock = resourceToken<{ now(): number }>('clock');
 * const resources = [binding(Clock, { create: () => ({ now: () => Date.now() }) })];
 * const template = promptTemplate({ ns: 'docs', key: 'clock', sections: [], resources });
 * // In a test, the run gets another one.
 * export const prompt = template.bind({}, { resources: [binding(Clock, { instance: { now: () => 0 } })] });
 * ```
 *
 * @throws {ResourceError} `resource-binding-invalid` for options with neither or both of `create` and `instance`, a `create` or
 * `afterCreate` that is not a function, an unknown scope, `eager` with a scope other than `'singleton'`, a transactional resource with another
 * scope, `scope`, `eager` or `afterCreate` beside `instance`, `owned` beside `create`, a token that is not one (two modules that import
 * each other), or the option `transactional` for a token such as `Filesystem`, whose instance is forked for each call anyway.
 */
export function binding<T>(
  token: ResourceToken<T>,
  options: ResourceBindingOptions<NoInfer<T>>,
): ResourceBinding<T> {
  assertToken(token);
  const name = tokenName(token);
  assertOptions(`binding() of "${name}"`, options, bindingChecks, refuseBinding);
  const isInstance = 'instance' in options && options.create === undefined;
  for (const other of isInstance ? forCreated : forInstances) {
    if (Reflect.get(options, other) === undefined) continue;
    const given = isInstance ? 'instance' : 'create';
    throw invalid(name, `the options ${given} and ${other} do not go together; leave one of them out`);
  }
  const joining = joinTransaction(token, options);
  if (isInstance) {
    const { instance, owned = false } = options;
    const source: ResourceSource<T> = { kind: 'instance', value: instance, owned };
    return Object.freeze({
      kind: 'binding',
      token,
      source: Object.freeze(source),
      scope: 'singleton',
      eager: false,
      ...joining,
    });
  }
  const { create, scope = 'singleton', eager = false, afterCreate } = options;
  const { transactional } = joining;
  if (create === undefined)
    throw invalid(name, 'pass the option create, or the option instance for a value that exists');
  if (eager && scope !== 'singleton')
    throw invalid(name, `only a singleton can be eager, not a ${scope} resource`);
  if (transactional && scope !== 'singleton') {
    throw invalid(name, `only a singleton can be transactional, not a ${scope} resource`);
  }
  const source: ResourceSource<T> = {
    kind: 'factory',
    factory: create,
    ...present({ afterCreate }),
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

/** How the bound resource takes part in transactions. */
function joinTransaction<T>(
  token: ResourceToken<T>,
  { transactional: protocol }: TransactionalBindingOptions<T>,
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
    'it is not a token; pass a class, or a token made by resourceToken(). An undefined one may come from a module that imports this one',
  );
}

function invalid(name: string, problem: string): ResourceError {
  return new ResourceError('resource-binding-invalid', `Resource "${name}" cannot be bound: ${problem}.`, {
    details: { token: name },
  });
}
