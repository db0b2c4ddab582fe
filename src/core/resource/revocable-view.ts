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
  const assertOpen = (): void => {
    if (!isClosed) return;
    throw new TransactionClosedError(
      `This tool call has ended, so ${what} can no longer be used through it. Nothing that is written now would land anywhere.`,
    );
  };
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
  const handler: ProxyHandler<object> = {
    get: (_shadow, key) => {
      assertOpen();
      const value: unknown = Reflect.get(target, key, target);
      return isMethod(value) && key !== 'constructor' ? methodOf(value) : value;
    },
    set: (_shadow, key, value) => {
      assertOpen();
      return Reflect.set(target, key, value, target);
    },
    has: (_shadow, key) => {
      assertOpen();
      return Reflect.has(target, key);
    },
    deleteProperty: (_shadow, key) => {
      assertOpen();
      return Reflect.deleteProperty(target, key);
    },
    defineProperty: (_shadow, key, descriptor) => {
      assertOpen();
      return Reflect.defineProperty(target, key, { ...descriptor, configurable: true });
    },
    getOwnPropertyDescriptor: (_shadow, key) => {
      assertOpen();
      const descriptor = Reflect.getOwnPropertyDescriptor(target, key);
      return descriptor === undefined ? undefined : { ...descriptor, configurable: true };
    },
    ownKeys: () => {
      assertOpen();
      return Reflect.ownKeys(target);
    },
    getPrototypeOf: () => {
      assertOpen();
      return Reflect.getPrototypeOf(target);
    },
    setPrototypeOf: () => false,
    preventExtensions: () => false,
    apply: (_shadow, self, args) => {
      assertOpen();
      // Only called when the target is a function.
      return Reflect.apply(target as (...args: unknown[]) => unknown, self, args);
    },
  };
  // Every access is answered by the target, so the proxy is what the target is.
  const view = new Proxy(shadow, handler) as T;
  return {
    view,
    revoke: () => {
      isClosed = true;
    },
  };
}
