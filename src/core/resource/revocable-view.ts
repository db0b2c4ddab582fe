import { TransactionClosedError } from '../error/index.ts';

/** A revocable stand-in for an object. */
export interface RevocableView<out T> {
  /** Behaves as the object does, until it is revoked. */
  readonly view: T;
  /** From here on every access through the view throws a `TransactionClosedError`. Revoking again does nothing. */
  revoke(): void;
}

/**
 * A stand-in for `target` that can be revoked: the `view` and `revoke` of a
 * `ResourceTransaction`.
 *
 * Methods run on the object itself, so private members work; a method that returns the object returns the stand-in. It is
 * not a copy: writes through it take effect at once. Revoking does not reach what was returned before:
 * objects that methods returned, and asynchronous methods that are still at work.
 *
 * @param what names the object in the error.
 */
export function revocableView<T extends object>(target: T, what = 'the resource'): RevocableView<T> {
  let isClosed = false;
  const view = guardedView(target, () => {
    if (!isClosed) return;
    throw new TransactionClosedError(
      `This tool call has ended, so ${what} can no longer be used through it. Nothing that is written now would land anywhere.`,
    );
  });
  return {
    view,
    revoke: () => {
      isClosed = true;
    },
  };
}

/**
 * A stand-in for `target`, as {@link revocableView} makes it.
 *
 * @param assertOpen called before each access; what it throws, who uses the stand-in gets.
 */
export function guardedView<T extends object>(target: T, assertOpen: () => void): T {
  const methods = new WeakMap<object, object>();
  const methodOf = (method: (...args: never[]) => unknown): object => {
    let wrapped = methods.get(method);
    if (wrapped === undefined) {
      wrapped = new Proxy(method, {
        apply: (_method, self, args) => {
          assertOpen();
          const returned: unknown = Reflect.apply(method, self === view ? target : self, args);
          return returned === target ? view : returned;
        },
      });
      methods.set(method, wrapped);
    }
    return wrapped;
  };
  const isMethod = (value: unknown): value is (...args: never[]) => unknown => typeof value === 'function';
  // The proxy has a target of its own, so that a frozen object does not restrict what it may return.
  const shadow = isMethod(target) ? () => undefined : {};
  const whileOpen =
    <Args extends readonly unknown[], Result>(act: (...args: Args) => Result) =>
    (...args: Args): Result => {
      assertOpen();
      return act(...args);
    };
  const handler: ProxyHandler<object> = {
    get: whileOpen((_shadow: object, key: PropertyKey) => {
      const value: unknown = Reflect.get(target, key, target);
      return isMethod(value) && key !== 'constructor' ? methodOf(value) : value;
    }),
    set: whileOpen((_shadow: object, key: PropertyKey, value: unknown) =>
      Reflect.set(target, key, value, target),
    ),
    has: whileOpen((_shadow: object, key: PropertyKey) => Reflect.has(target, key)),
    deleteProperty: whileOpen((_shadow: object, key: PropertyKey) => Reflect.deleteProperty(target, key)),
    defineProperty: whileOpen((_shadow: object, key: PropertyKey, descriptor: PropertyDescriptor) =>
      Reflect.defineProperty(target, key, { ...descriptor, configurable: true }),
    ),
    getOwnPropertyDescriptor: whileOpen((_shadow: object, key: PropertyKey) => {
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
      return descriptor && { ...descriptor, configurable: true };
    }),
    ownKeys: whileOpen(() => Reflect.ownKeys(target)),
    getPrototypeOf: whileOpen(() => Reflect.getPrototypeOf(target)),
    setPrototypeOf: () => false,
    preventExtensions: () => false,
    // Only called when the target is a function.
    apply: whileOpen((_shadow: object, self: unknown, args: unknown[]) =>
      Reflect.apply(target as (...args: unknown[]) => unknown, self, args),
    ),
  };
  // Every access is answered by the target, so the proxy is what the target is.
  const view = new Proxy(shadow, handler) as T;
  return view;
}
