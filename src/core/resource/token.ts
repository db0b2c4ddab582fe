declare const resourceType: unique symbol;

/** A token made by {@link resourceToken}: a name that represents a value of type `T`. Compared by identity, not by name. */
export interface NamedResourceToken<out T> {
  readonly kind: 'resource-token';
  /** Shown in messages; two tokens may share it. */
  readonly name: string;
  /** True when the resource bound to it takes part in the transaction of each tool call. Default: false. */
  readonly isTransactional: boolean;
  /** True when calls change nothing of the resource, so that a failed call that used it leaves nothing of it. Default: false. */
  readonly isStateless: boolean;
  /** Carries the type only; never there at run time. */
  readonly [resourceType]?: T;
}

/** The key under which a resource is bound and looked up: a class, or a token made by {@link resourceToken}. */
export type ResourceToken<T> = NamedResourceToken<T> | (abstract new (...args: never[]) => T);

/**
 * Makes a token for something that has no class, such as an interface. Make it once and import it everywhere: another one with
 * the same name is another token.
 *
 * @param name for messages.
 * @example `const Tracer = resource<Tracer>('tracer');`
 */
export function resourceToken<T>(name: string): NamedResourceToken<T> {
  return Object.freeze({ kind: 'resource-token', name, isTransactional: false, isStateless: false });
}

/**
 * Makes a token whose instance the runtime forks for each tool call and commits with it.
 * @internal
 */
export function transactionalResource<T>(name: string): NamedResourceToken<T> {
  return Object.freeze({ kind: 'resource-token', name, isTransactional: true, isStateless: false });
}

/**
 * Makes a token for what calls use and do not change, such as what starts sandboxes.
 * @internal
 */
export function statelessResource<T>(name: string): NamedResourceToken<T> {
  return Object.freeze({ kind: 'resource-token', name, isTransactional: false, isStateless: true });
}

/** True when calls change nothing of the resource bound to the token. */
export function isStateless(token: ResourceToken<unknown>): boolean {
  return 'isStateless' in token && token.isStateless;
}

/** True when the resource bound to the token takes part in the transaction of each tool call. */
export function isTransactional(token: ResourceToken<unknown>): boolean {
  return 'isTransactional' in token && token.isTransactional;
}

/** The name of a token for messages: that of {@link resourceToken}, or the class name. */
export function tokenName(token: ResourceToken<unknown>): string {
  return token.name === '' ? 'an unnamed class' : token.name;
}
