import { describe, expectTypeOf, test } from 'vitest';
import {
  type AnyResourceBinding,
  binding,
  type NamedResourceToken,
  type ResourceBinding,
  type ResourceContext,
  ResourceRegistry,
  type ResourceResolver,
  type ResourceToken,
  resourceToken,
  snapshotProtocol,
} from 'weakincentives';

interface Tracer {
  trace(text: string): void;
}
const Tracer: NamedResourceToken<Tracer> = resourceToken<Tracer>('tracer');

abstract class Store {
  abstract read(): string;
}
class MemoryStore extends Store {
  readonly size: number = 0;
  read(): string {
    return '';
  }
}
declare const resolver: ResourceResolver;

test('look-ups yield the type of the token', () => {
  expectTypeOf(resolver.get(Tracer)).resolves.toEqualTypeOf<Tracer>();
  expectTypeOf(resolver.get(Store)).resolves.toEqualTypeOf<Store>();
  expectTypeOf(resolver.get(MemoryStore)).resolves.toEqualTypeOf<MemoryStore>();
});

test('bindings hold their factory to the type of the token', () => {
  expectTypeOf(binding(Tracer, { create: () => ({ trace: () => undefined }) })).toEqualTypeOf<
    ResourceBinding<Tracer>
  >();
  expectTypeOf(binding(Store, { create: async ({ get }) => get(MemoryStore) })).toEqualTypeOf<
    ResourceBinding<Store>
  >();
  // @ts-expect-error -- not a tracer
  binding(Tracer, { create: () => ({ trade: () => undefined }) });
  // @ts-expect-error -- not a store
  binding(Store, { instance: { write: () => '' } });
  // @ts-expect-error -- the other way round is not safe
  binding(MemoryStore, { create: ({ get }) => get(Store) });
  // @ts-expect-error -- no such scope
  binding(Tracer, { create: () => ({ trace: () => undefined }), scope: 'request' });
});

test('factories and hooks get look-ups, a signal, and instances of the type of the token', () => {
  binding(Tracer, {
    create: async (context) => {
      expectTypeOf(context).toEqualTypeOf<ResourceContext>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      return { trace: () => undefined };
    },

    afterCreate: async (tracer, { get }) => {
      expectTypeOf(tracer).toEqualTypeOf<Tracer>();
      tracer.trace((await get(Store)).read());
    },
  });
  binding(Store, {
    create: () => new MemoryStore(),
    // @ts-expect-error -- the token promises a store, not a memory store
    afterCreate: (store: MemoryStore) => void store.size,
  });
  // @ts-expect-error -- a ready value has no hook
  binding(Store, { instance: new MemoryStore(), afterCreate: () => undefined });
});

test('a token by class takes what has the shape of its instances', () => {
  expectTypeOf(binding(Store, { instance: { read: () => 'fake' } })).toEqualTypeOf<ResourceBinding<Store>>();
});

test('conflicts of registries are tokens', () => {
  expectTypeOf(ResourceRegistry.empty.conflicts(ResourceRegistry.empty)).toEqualTypeOf<
    readonly ResourceToken<unknown>[]
  >();
});

test('the option transactional is held to the type of the token', () => {
  const Tags: NamedResourceToken<Set<string>> = resourceToken<Set<string>>('tags');
  binding(Tags, {
    create: () => new Set<string>(),
    transactional: snapshotProtocol({
      snapshot: (tags) => {
        expectTypeOf(tags).toEqualTypeOf<Set<string>>();
        return [...tags];
      },
      restore: (tags, items) => {
        expectTypeOf(items).toEqualTypeOf<string[]>();
        for (const item of items) tags.add(item);
      },
    }),
  });
  const ends = { commit: () => undefined, rollback: () => undefined };
  binding(Tags, { instance: new Set<string>(), transactional: { begin: (view) => ({ view, ...ends }) } });
  // @ts-expect-error -- a view of something else
  binding(Tags, { instance: new Set<string>(), transactional: { begin: () => ({ view: [1], ...ends }) } });
  const unaware = { parallel: true as const, begin: (view: Set<string>) => ({ view, ...ends }) };
  // @ts-expect-error -- calls at the same time need conflicts
  binding(Tags, { instance: new Set<string>(), transactional: unaware });
});

test('different bindings and tokens go into one list', () => {
  const bindings: readonly AnyResourceBinding[] = [
    binding(Tracer, { create: () => ({ trace: () => undefined }) }),
    binding(Store, { instance: new MemoryStore() }),
  ];
  const tokens: readonly ResourceToken<unknown>[] = [Tracer, Store, MemoryStore];
  void [bindings, tokens];
  // @ts-expect-error -- a token of one thing is no token of another
  const wrong: ResourceToken<Store> = Tracer;
  void wrong;
});

describe('options of a binding', () => {
  interface Mail {
    send(to: string): void;
  }
  const Mail = resourceToken<Mail>('mail');
  const mail: Mail = { send: () => {} };

  test('are those of what creates instances, or those of an instance', () => {
    binding(Mail, { create: () => mail, scope: 'tool-call', afterCreate: (made) => made.send('a') });
    binding(Mail, { instance: mail, owned: true });
    // @ts-expect-error An instance that does not fit its token.
    binding(Mail, { instance: { send: 1 } });
    // @ts-expect-error A function that creates something else.
    binding(Mail, { create: () => ({ post: () => {} }) });
    // @ts-expect-error The instance exists: there is no scope to choose.
    binding(Mail, { instance: mail, scope: 'tool-call' });
    // @ts-expect-error Both.
    binding(Mail, { instance: mail, create: () => mail });
    // @ts-expect-error What is created belongs to the library anyway.
    binding(Mail, { create: () => mail, owned: true });
    // @ts-expect-error Neither.
    binding(Mail, {});
  });
});
