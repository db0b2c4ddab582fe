/** True for any object with a `then` method, including proxies that answer for it. */
export function isPromiseLike<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'then') === 'function';
}
