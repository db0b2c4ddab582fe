type Disposer = () => unknown;

/**
 * Disposes a value by `Symbol.asyncDispose`, else `Symbol.dispose`, else `close()`; does nothing for a value without any
 * of them. Rejects with what the value's own method throws.
 */
export async function disposeValue(value: unknown): Promise<void> {
  await disposerOf(value)?.();
}

/** How a value is disposed, or undefined when it needs no disposal. */
export function disposerOf(value: unknown): Disposer | undefined {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined;
  for (const key of [Symbol.asyncDispose, Symbol.dispose, 'close']) {
    const method: unknown = Reflect.get(value, key);
    if (typeof method === 'function') return () => Reflect.apply(method, value, []);
  }
  return undefined;
}

/** Disposes values in reverse order, one after the other; returns what failed. Never rejects. */
export async function disposeAll(values: readonly unknown[]): Promise<readonly unknown[]> {
  const errors: unknown[] = [];
  for (const value of [...values].reverse()) {
    try {
      await disposeValue(value);
    } catch (error) {
      errors.push(error);
    }
  }
  return errors;
}
