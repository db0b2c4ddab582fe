import { revocableView } from './revocable-view.ts';
import type { SerialProtocol } from './transaction-protocol.ts';

/** How a resource is copied and put back. Both may be asynchronous. */
export interface SnapshotProtocolOptions<T, Snapshot> {
  /**
   * The whole state of the resource, unaffected by later changes to it. May throw: the call that requested
   * the resource cannot have it.
   */
  snapshot(resource: T): Snapshot | Promise<Snapshot>;
  /** Restores exactly that state. When it throws, the failed call names the resource among its residual effects. */
  restore(resource: T, snapshot: NoInfer<Snapshot>): void | Promise<void>;
}

/**
 * Lets a resource whose state can be copied and restored join the transaction of each call: a copy is taken on the first look-up in a call,
 * and restored when the call fails. The call works on the resource itself, through a `revocableView`. Since no other call may
 * see it meanwhile, a prompt that binds one runs its calls one by one.
 *
 * @example
 * ```ts
 * import { binding, resourceToken, snapshotProtocol } from 'weakincentives';
 *
 * const Tags = resourceToken<Set<string>>('tags');
 * export const tags = binding(Tags, {
 *   create: () => new Set<string>(),
 *   transactional: snapshotProtocol({
 *     snapshot: (set) => [...set],
 *     restore: (set, items) => {
 *       set.clear();
 *       for (const item of items) set.add(item);
 *     },
 *   }),
 * });
 * ```
 */
export function snapshotProtocol<T, Snapshot>(
  methods: SnapshotProtocolOptions<T, Snapshot>,
): SerialProtocol<T> {
  /** What the views of calls represent: a call inside is rolled back after the view of the call around it is revoked. */
  const targets = new WeakMap<object, T & object>();
  return Object.freeze({
    begin: async (given: T) => {
      const resource = isObject(given) ? (targets.get(given) ?? given) : given;
      const snapshot = await methods.snapshot(resource);
      const ends = { commit: () => undefined, rollback: () => methods.restore(resource, snapshot) };
      if (!isObject(resource)) return { view: resource, ...ends };
      const guarded = revocableView(resource);
      targets.set(guarded.view, resource);
      return { ...guarded, ...ends };
    },
  });
}

function isObject<T>(value: T): value is T & object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
