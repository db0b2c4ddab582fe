import { expectTypeOf, test } from 'vitest';
import {
  type AnyResourceBinding,
  bind,
  bindInstance,
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
  expectTypeOf(bind(Tracer, () => ({ trace: () => undefined }))).toEqualTypeOf<ResourceBinding<Tracer>>();
  expectTypeOf(bind(Store, async ({ get }) => get(MemoryStore))).toEqualTypeOf<ResourceBinding<Store>>();
  // @ts-expect-error -- not a tracer
  bind(Tracer, () => ({ trade: () => undefined }));
  // @ts-expect-error -- not a store
  bindInstance(Store, { write: () => '' });
  // @ts-expect-error -- the other way round is not safe
  bind(MemoryStore, ({ get }) => get(Store));
  // @ts-expect-error -- no such scope
  bind(Tracer, () => ({ trace: () => undefined }), { scope: 'request' });
});

test('factories and hooks get look-ups, a signal, and instances of the type of the token', () => {
  bind(
    Tracer,
    async (context) => {
      expectTypeOf(context).toEqualTypeOf<ResourceContext>();
      expectTypeOf(context.signal).toEqualTypeOf<AbortSignal>();
      return { trace: () => undefined };
    },
    {
      postConstruct: async (tracer, { get }) => {
        expectTypeOf(tracer).toEqualTypeOf<Tracer>();
        tracer.trace((await get(Store)).read());
      },
    },
  );
  bind(Store, () => new MemoryStore(), {
    // @ts-expect-error -- the token promises a store, not a memory store
    postConstruct: (store: MemoryStore) => void store.size,
  });
  // @ts-expect-error -- a ready value has no hook
  bindInstance(Store, new MemoryStore(), { postConstruct: () => undefined });
});

test('a token by class takes what has the shape of its instances', () => {
  expectTypeOf(bindInstance(Store, { read: () => 'fake' })).toEqualTypeOf<ResourceBinding<Store>>();
});

test('conflicts of registries are tokens', () => {
  expectTypeOf(ResourceRegistry.empty.conflicts(ResourceRegistry.empty)).toEqualTypeOf<
    readonly ResourceToken<unknown>[]
  >();
});

test('the option transactional is held to the type of the token', () => {
  const Tags: NamedResourceToken<Set<string>> = resourceToken<Set<string>>('tags');
  bind(Tags, () => new Set<string>(), {
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
  bindInstance(Tags, new Set<string>(), { transactional: { begin: (view) => ({ view, ...ends }) } });
  // @ts-expect-error -- a view of something else
  bindInstance(Tags, new Set<string>(), { transactional: { begin: () => ({ view: [1], ...ends }) } });
  const unaware = { parallel: true as const, begin: (view: Set<string>) => ({ view, ...ends }) };
  // @ts-expect-error -- calls at the same time need conflicts
  bindInstance(Tags, new Set<string>(), { transactional: unaware });
});

test('different bindings and tokens go into one list', () => {
  const bindings: readonly AnyResourceBinding[] = [
    bind(Tracer, () => ({ trace: () => undefined })),
    bindInstance(Store, new MemoryStore()),
  ];
  const tokens: readonly ResourceToken<unknown>[] = [Tracer, Store, MemoryStore];
  void [bindings, tokens];
  // @ts-expect-error -- a token of one thing is no token of another
  const wrong: ResourceToken<Store> = Tracer;
  void wrong;
});
