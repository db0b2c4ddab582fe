import type { ResourceError } from '../error/index.ts';
import { disposeFailed } from './resource-failure.ts';

/** An instance and the name of its token. */
export interface NamedInstance {
  readonly name: string;
  readonly value: unknown;
}

/** Disposes instances in reverse order, one after the other; returns what failed, by name. Never rejects. */
export async function disposeAll(instances: readonly NamedInstance[]): Promise<readonly ResourceError[]> {
  const failures: ResourceError[] = [];
  for (const { name, value } of [...instances].reverse()) {
    try {
      await disposeValue(value);
    } catch (error) {
      failures.push(disposeFailed(name, error));
    }
  }
  return failures;
}

/** By `Symbol.asyncDispose`, else `Symbol.dispose`, else `close()`; does nothing for a value without any of them. */
async function disposeValue(value: unknown): Promise<void> {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return;
  for (const key of [Symbol.asyncDispose, Symbol.dispose, 'close']) {
    const method: unknown = Reflect.get(value, key);
    if (typeof method !== 'function') continue;
    await Reflect.apply(method, value, []);
    return;
  }
}
