import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import {
  type AnyResourceBinding,
  binding,
  type ResourceBindingOptions,
  ResourceRegistry,
  type ResourceResolver,
  type ResourceScope,
  resourceToken,
} from 'weakincentives';
import { ResourceContainer } from '../../../../src/core/resource/index.ts';
import { coded, deferred, Host, Journal, type Named, open } from './host.ts';

const A = resourceToken<Named>('A');
const B = resourceToken<Named>('B');
const C = resourceToken<Named>('C');

describe('the hook afterCreate', () => {
  it('prepares each instance once, before anyone gets it, and may ask for others', async () => {
    const seen: string[] = [];
    const { container } = open([
      binding(A, {
        create: () => ({ name: 'a' }),
        afterCreate: async (instance, { get }) => {
          seen.push(`${instance.name} with ${(await get(B)).name}`);
        },
      }),
      binding(B, { create: () => ({ name: 'b' }) }),
    ]);
    const [first, second] = await Promise.all([container.resolver.get(A), container.resolver.get(A)]);
    expect(first).toBe(second);
    expect(seen).toEqual(['a with b']);
  });

  it.each<Pick<ResourceBindingOptions, 'scope'> & { readonly scope: ResourceScope }>([
    { scope: 'singleton' },
    { scope: 'tool-call' },
    { scope: 'prototype' },
  ])('that fails disposes the instance, says which, and is tried again: %o', async (options) => {
    const journal = new Journal();
    const cause = new Error('no connection');
    let attempts = 0;
    const { host, container } = open([
      binding(A, {
        create: () => journal.made(`a${++attempts}`),
        ...options,
        afterCreate: () => {
          if (attempts === 1) throw cause;
        },
      }),
    ]);
    const { resolver, dispose: close } = container.openCallScope([]);
    await expect(resolver.get(A)).rejects.toMatchObject({
      code: 'resource-after-create-failed',
      message: 'The afterCreate hook of "A" failed: no connection',
      cause,
    });
    expect(journal.lines).toEqual(['build a1', 'dispose a1']);
    expect(await resolver.get(A)).toHaveProperty('name', 'a2');
    await close();
    await host.dispose();
    expect(journal.lines.slice(0, 3)).toEqual(['build a1', 'dispose a1', 'build a2']);
    expect(journal.lines.filter((line) => line === 'dispose a1')).toHaveLength(1);
  });

  it('hides nothing when the disposal fails as well', async () => {
    const [broken, stuck] = [new Error('broken'), new Error('stuck')];
    const { container } = open([
      binding(resourceToken<object>('X'), {
        create: () => ({ close: () => Promise.reject(stuck) }),
        eager: true,
        afterCreate: () => Promise.reject(broken),
      }),
    ]);
    await expect(container.start()).rejects.toMatchObject({
      code: 'resource-after-create-failed',
      message: expect.stringMatching(/hook of "X" failed: broken.*Disposing "X" failed: stuck/) as string,
      cause: { errors: [{ cause: broken }, { code: 'resource-dispose-failed', cause: stuck }] },
    });
  });

  it('that fails leaves alone what the factory got from another', async () => {
    const journal = new Journal();
    const { container } = open([
      binding(A, {
        create: ({ get }) => get(B),
        afterCreate: () => {
          throw new Error('no');
        },
      }),
      binding(B, { create: () => journal.made('b') }),
    ]);
    await expect(container.resolver.get(A)).rejects.toEqual(coded('resource-after-create-failed'));
    expect(journal.lines).toEqual(['build b']);
  });

  it('is part of a circle that it closes', async () => {
    const { container } = open([
      binding(A, {
        create: () => ({ name: 'a' }),
        afterCreate: async (_instance, { get }) => void (await get(B)),
      }),
      binding(B, { create: ({ get }) => get(A) }),
    ]);
    await expect(container.resolver.get(A)).rejects.toEqual(coded('resource-cyclic', /A -> B -> A/));
  });
});

describe('whatever is thrown', () => {
  const fails = (thrown: unknown, kind: string) => (): Promise<never> => {
    if (kind === 'rejects') return Promise.reject(thrown);
    throw thrown;
  };
  const thrown = [new Error('kaboom'), 'just text', undefined, null, { code: 7 }];
  const cases = ['throws', 'rejects'].flatMap((kind) => thrown.map((what) => [kind, what] as const));

  it.each(cases)('by a factory that %s is kept as the cause: %s', async (kind, what) => {
    const { container } = open([binding(A, { create: fails(what, kind) })]);
    const error: unknown = await container.resolver.get(A).catch((failure: unknown) => failure);
    expect(error).toEqual(coded('resource-factory-failed', /Building "A" failed: ./));
    expect((error as Error).cause).toBe(what);
  });

  it.each(cases)('by a disposer that %s is kept as the cause: %s', async (kind, what) => {
    const { host, container } = open([
      binding(resourceToken<object>('X'), { create: () => ({ close: fails(what, kind) }), eager: true }),
    ]);
    await container.start();
    const error: unknown = await host.dispose().catch((failure: unknown) => failure);
    expect(error).toEqual(coded('resource-dispose-failed', /Disposing "X" failed: ./));
    expect((error as Error).cause).toBe(what);
  });
});

describe('what is not wanted any more before it is built', () => {
  it('is told by its signal, refused to those who wait, and disposed when it is finished', async () => {
    const journal = new Journal();
    const gate = deferred<void>();
    let signal: AbortSignal | undefined;
    const { host, container } = open([
      binding(A, {
        create: async (context) => {
          ({ signal } = context);
          await gate.promise;
          return journal.made('a');
        },
      }),
    ]);
    const waiting = container.resolver.get(A);
    await Promise.resolve();
    const disposed = host.dispose();
    await expect(waiting).rejects.toEqual(coded('resource-disposed', /session/));
    expect(signal?.aborted).toBe(true);
    expect(signal?.reason).toEqual(coded('resource-disposed'));
    gate.resolve();
    await disposed;
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });

  it('cannot ask for others, and its hook does not run', async () => {
    const gate = deferred<void>();
    const lines: string[] = [];
    let refused: unknown;
    const { host, container } = open([
      binding(A, {
        create: async ({ get }) => {
          await gate.promise;
          refused = await get(B).catch((error: unknown) => error);
          return { name: 'a' };
        },
        afterCreate: () => void lines.push('hook'),
      }),
      binding(B, { create: () => ({ name: 'b' }) }),
    ]);
    const waiting = container.resolver.get(A);
    await Promise.resolve();
    ResourceContainer.cancelBuilds(host, () => undefined);
    gate.resolve();
    await expect(waiting).rejects.toEqual(coded('resource-disposed', /run that looked up "A" ended/));
    await host.dispose();
    await nextTurn();
    expect(refused).toEqual(coded('resource-disposed'));
    expect(lines).toEqual([]);
  });

  it('does not hold up the end of the session when its run was stopped; the next run builds anew', async () => {
    const late: unknown[] = [];
    const gate = deferred<object>();
    let builds = 0;
    const X = resourceToken<object>('X');
    const { host, container } = open([
      binding(X, { create: () => ((builds += 1), builds === 1 ? gate.promise : {}) }),
    ]);
    container.resolver.get(X).catch(() => undefined);
    await Promise.resolve();
    ResourceContainer.cancelBuilds(host, (failure) => late.push(failure));
    await container.resolver.get(X);
    await host.dispose();
    gate.resolve({ close: () => Promise.reject(new Error('stuck')) });
    await nextTurn();
    expect(late).toEqual([coded('resource-dispose-failed', /"X" failed: stuck/)]);
    expect(builds).toBe(2);
  });

  it('is a prototype, too: nobody gets it, so the library disposes it', async () => {
    const journal = new Journal();
    const gate = deferred<void>();
    const { container } = open([
      binding(A, { create: async () => (await gate.promise, journal.made('a')), scope: 'prototype' }),
    ]);
    const call = container.openCallScope([]);
    const waiting = call.resolver.get(A);
    await Promise.resolve();
    await call.dispose();
    await expect(waiting).rejects.toEqual(coded('transaction-closed'));
    gate.resolve();
    await nextTurn();
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });

  it('tells the listener of the container when a call has ended and the disposal fails', async () => {
    const late: unknown[] = [];
    const gate = deferred<object>();
    const X = resourceToken<object>('X');
    const container = ResourceContainer.for(
      new Host(),
      ResourceRegistry.of([binding(X, { create: () => gate.promise, scope: 'tool-call' })]),
      { onLateFailure: (failure) => late.push(failure) },
    );
    const call = container.openCallScope([]);
    call.resolver.get(X).catch(() => undefined);
    await Promise.resolve();
    expect(await call.dispose()).toEqual([]);
    gate.resolve({
      [Symbol.dispose]: () => {
        throw new Error('stuck');
      },
    });
    await nextTurn();
    expect(late).toEqual([coded('resource-dispose-failed', /"X" failed: stuck/)]);
  });
});

describe('a start that is given up', () => {
  const stopped = new Error('stopped');
  const eager = { eager: true };

  it('disposes what it built in reverse, and what was in the making when it is finished', async () => {
    const journal = new Journal();
    const gate = deferred<void>();
    const { host, container } = open([
      binding(A, { create: () => journal.made('a'), ...eager }),
      binding(B, { create: () => journal.made('b'), ...eager }),
      binding(C, { create: async () => (await gate.promise, journal.made('c')), ...eager }),
    ]);
    let builds = 0;
    const awaitWork = async (work: Promise<unknown>): Promise<unknown> => {
      work.catch(() => undefined);
      builds += 1;
      if (builds > 2) throw stopped;
      return work;
    };
    await expect(container.start(awaitWork)).rejects.toBe(stopped);
    expect(journal.lines).toEqual(['build a', 'build b', 'dispose b', 'dispose a']);
    gate.resolve();
    await nextTurn();
    expect(journal.lines.slice(4)).toEqual(['build c', 'dispose c']);
    await host.dispose();
    expect(journal.lines).toHaveLength(6);
  });

  it('within a call leaves its singletons to the session: another call may use them', async () => {
    const journal = new Journal();
    const host = new Host();
    const registry = ResourceRegistry.of([
      binding(A, { create: () => journal.made('a'), ...eager }),
      binding(B, { create: () => Promise.reject(stopped), ...eager }),
    ]);
    const inner = ResourceContainer.for(host, registry, { isInner: true });
    await expect(inner.start()).rejects.toEqual(coded('resource-factory-failed'));
    expect(journal.lines).toEqual(['build a']);
    await host.dispose();
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });
});

describe('a resolver that a resource keeps', () => {
  interface Keeper extends Named {
    ask(): Promise<Named>;
  }
  const Keeper = resourceToken<Keeper>('keeper');
  const keeping = (resolver: ResourceResolver, token: typeof A): Keeper => ({
    name: 'keeper',
    ask: () => resolver.get(token),
  });

  it('may be asked later for what depends on the resource: that is no circle', async () => {
    const { container } = open([
      binding(Keeper, { create: (context) => keeping(context, A) }),
      binding(A, { create: async ({ get }) => ({ name: `a of ${(await get(Keeper)).name}` }) }),
    ]);
    const keeper = await container.resolver.get(Keeper);
    expect(await keeper.ask()).toEqual({ name: 'a of keeper' });
  });

  it('makes more of its own kind, when it is a prototype', async () => {
    const Spawn = resourceToken<{ spawn(): Promise<object> }>('spawn');
    const { container } = open([
      binding(Spawn, { create: ({ get }) => ({ spawn: () => get(Spawn) }), scope: 'prototype' }),
    ]);
    const first = await container.resolver.get(Spawn);
    expect(await first.spawn()).not.toBe(first);
  });

  it('is held to the scope of the resource, and to its end', async () => {
    const { host, container } = open([
      binding(Keeper, { create: (context) => keeping(context, A) }),
      binding(A, { create: () => ({ name: 'a' }), scope: 'tool-call' }),
    ]);
    const keeper = await container.openCallScope([]).resolver.get(Keeper);
    await expect(keeper.ask()).rejects.toEqual(
      coded('resource-scope-invalid', /by the singleton "keeper" \(keeper -> A\)/),
    );
    await host.dispose();
    await expect(keeper.ask()).rejects.toEqual(coded('resource-disposed'));
  });
});

describe('what one factory hands on from another', () => {
  it('is disposed once, also through a prototype and across scopes', async () => {
    const journal = new Journal();
    const { host, container } = open([
      binding(A, { create: () => journal.made('a') }),
      binding(B, { create: ({ get }) => get(A), scope: 'prototype' }),
      binding(C, { create: ({ get }) => get(B), scope: 'tool-call' }),
    ]);
    const call = container.openCallScope([]);
    expect(await call.resolver.get(C)).toBe(await call.resolver.get(A));
    await call.dispose();
    expect(journal.lines).toEqual(['build a']);
    await host.dispose();
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });

  it('is its own to dispose when it is a fresh prototype', async () => {
    const journal = new Journal();
    const { host, container } = open([
      binding(A, { create: ({ get }) => get(B) }),
      binding(B, { create: () => journal.made('b'), scope: 'prototype' }),
    ]);
    await container.resolver.get(A);
    await host.dispose();
    expect(journal.lines).toEqual(['build b', 'dispose b']);
  });

  it('is disposed once when two factories return one object', async () => {
    const journal = new Journal();
    const one = journal.made('one');
    const { host, container } = open([binding(A, { create: () => one }), binding(B, { create: () => one })]);
    await container.resolver.get(A);
    await container.resolver.get(B);
    await host.dispose();
    expect(journal.lines).toEqual(['build one', 'dispose one']);
  });
});

describe('an instance bound as owned', () => {
  const owned = { owned: true };
  const ends = (bound: AnyResourceBinding, host: Host): ResourceContainer =>
    ResourceContainer.for(host, ResourceRegistry.of([bound]));

  it('is disposed once with its session, whichever bindings name it', async () => {
    const journal = new Journal();
    const host = new Host();
    const instance = journal.made('a');
    ends(binding(A, { instance, ...owned }), host);
    expect(await ends(binding(A, { instance, ...owned }), host).resolver.get(A)).toBe(instance);
    await host.dispose();
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });

  it('is refused to another session, while its own lives and afterwards', async () => {
    const host = new Host();
    const bound = binding(A, { instance: { name: 'a' }, ...owned });
    ends(bound, host);
    expect(() => ends(bound, new Host())).toThrow(coded('resource-owned', /"A".*another session/));
    await host.dispose();
    expect(() => ends(bound, new Host())).toThrow(coded('resource-disposed', /"A" was disposed/));
  });

  it('is not served once it is disposed, also where it is bound without owned', async () => {
    const host = new Host();
    const value = { name: 'a' };
    ends(binding(A, { instance: value, ...owned }), host);
    const { resolver } = ends(binding(A, { instance: value }), new Host());
    expect(await resolver.get(A)).toBe(value);
    await host.dispose();
    await expect(resolver.get(A)).rejects.toEqual(coded('resource-disposed', /"A" was disposed/));
  });

  it('survives a start that fails', async () => {
    const journal = new Journal();
    const { host, container } = open([
      binding(A, { instance: journal.made('a'), ...owned }),
      binding(B, { create: () => Promise.reject(new Error('no')), eager: true }),
    ]);
    await expect(container.start()).rejects.toEqual(coded('resource-factory-failed'));
    expect(await container.resolver.get(A)).toHaveProperty('name', 'a');
    expect(journal.lines).toEqual(['build a']);
    await host.dispose();
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });
});
