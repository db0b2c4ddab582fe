import { describe, expect, it } from 'vitest';
import { binding, type NamedResourceToken, ResourceRegistry, resourceToken } from 'weakincentives';
import { ResourceContainer, transactionalResource } from '../../../../src/core/resource/index.ts';
import { coded, deferred, Journal, type Named, open } from './host.ts';

const A = resourceToken<Named>('A');
const B = resourceToken<Named>('B');
const C = resourceToken<Named>('C');

describe('singletons', () => {
  it('are built at first use, once, and shared by all containers over one session', async () => {
    const journal = new Journal();
    const bound = binding(A, { create: () => journal.made('a') });
    const { host, container } = open([bound]);
    const other = ResourceContainer.for(host, ResourceRegistry.of([bound]));
    expect(journal.lines).toEqual([]);
    const [first, second, third] = await Promise.all([
      container.resolver.get(A),
      container.resolver.get(A),
      other.resolver.get(A),
    ]);
    expect(first).toBe(second);
    expect(first).toBe(third);
    expect(journal.lines).toEqual(['build a']);
  });

  it('are another instance for another session or another binding', async () => {
    const bound = binding(A, { create: () => ({ name: 'a' }) });
    const { host, container } = open([bound]);
    const instance = await container.resolver.get(A);
    expect(await open([bound]).container.resolver.get(A)).not.toBe(instance);
    expect(
      await open([binding(A, { create: () => ({ name: 'a' }) })], host).container.resolver.get(A),
    ).not.toBe(instance);
  });

  it('are built once also when asked for while an asynchronous factory runs', async () => {
    const gate = deferred<Named>();
    let builds = 0;
    const { container } = open([
      binding(A, {
        create: () => {
          builds += 1;
          return gate.promise;
        },
      }),
    ]);
    const pending = [container.resolver.get(A), container.openCallScope([]).resolver.get(A)];
    gate.resolve({ name: 'a' });
    const [first, second] = await Promise.all(pending);
    expect(first).toBe(second);
    expect(builds).toBe(1);
  });

  it('that fail are not remembered, and everyone who waited hears of it', async () => {
    let attempts = 0;
    const boom = new Error('no connection');
    const { container } = open([
      binding(A, {
        create: async () => {
          attempts += 1;
          if (attempts === 1) throw boom;
          return { name: 'a' };
        },
      }),
    ]);
    const outcomes = await Promise.allSettled([container.resolver.get(A), container.resolver.get(A)]);
    const failure = coded('resource-factory-failed', /Building "A" failed: no connection/);
    expect(outcomes).toEqual([
      { status: 'rejected', reason: failure },
      { status: 'rejected', reason: failure },
    ]);
    expect(outcomes[0]).toHaveProperty('reason.cause', boom);
    expect(await container.resolver.get(A)).toEqual({ name: 'a' });
    expect(attempts).toBe(2);
  });

  it('pass errors about resources on as they are', async () => {
    const { container } = open([binding(A, { create: ({ get }) => get(B) })]);
    await expect(container.resolver.get(A)).rejects.toEqual(
      coded('resource-unbound', /"B".*along A -> B.*Bound are: A/),
    );
  });

  it('by class are looked up by the class', async () => {
    class Base {
      readonly kind: string = 'base';
    }
    class Derived extends Base {}
    const { container } = open([binding(Base, { create: () => new Derived() })]);
    const found: Base = await container.resolver.get(Base);
    expect(found).toBeInstanceOf(Derived);
    expect(container.resolver.has(Base)).toBe(true);
    expect(container.resolver.has(Derived)).toBe(false);
  });
});

describe('disposal with the session', () => {
  it('goes in reverse order of construction, dependents first', async () => {
    const journal = new Journal();
    const { host, container } = open([
      binding(A, {
        create: async ({ get }) => {
          await get(B);
          return journal.made('a');
        },
      }),
      binding(B, { create: () => journal.made('b') }),
      binding(C, { create: () => journal.made('c') }),
    ]);
    await container.resolver.get(C);
    await container.resolver.get(A);
    await host.dispose();
    expect(journal.lines).toEqual(['build c', 'build b', 'build a', 'dispose a', 'dispose b', 'dispose c']);
  });

  it('uses asyncDispose, else dispose, else close', async () => {
    const lines: string[] = [];
    const note = (line: string) => (): void => {
      lines.push(line);
    };
    const X = resourceToken<object>('X');
    const Y = resourceToken<object>('Y');
    const Z = resourceToken<object>('Z');
    const { host, container } = open([
      binding(X, {
        create: () => ({
          [Symbol.asyncDispose]: note('async'),
          [Symbol.dispose]: note('wrong'),
          close: note('wrong'),
        }),
      }),
      binding(Y, { create: () => ({ [Symbol.dispose]: note('sync'), close: note('wrong') }) }),
      binding(Z, { create: () => ({ close: note('close') }) }),
    ]);
    for (const token of [X, Y, Z]) await container.resolver.get(token);
    await host.dispose();
    expect(lines).toEqual(['close', 'sync', 'async']);
  });

  it('disposes the rest when one fails, and tells of all failures', async () => {
    const journal = new Journal();
    const failing = (text: string): object => ({
      close: () => {
        throw new Error(text);
      },
    });
    const X = resourceToken<object>('X');
    const Y = resourceToken<object>('Y');
    const { host, container } = open([
      binding(A, { create: () => journal.made('a') }),
      binding(X, { create: () => failing('x broke') }),
      binding(Y, { create: () => failing('y broke') }),
    ]);
    for (const token of [A, X, Y]) await container.resolver.get<unknown>(token);
    await expect(host.dispose()).rejects.toEqual(
      coded('resource-dispose-failed', /"Y" failed: y broke; .*"X" failed: x broke/),
    );
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });

  it('waits for what is still being built and disposes it, too', async () => {
    const journal = new Journal();
    const gate = deferred<void>();
    const { host, container } = open([
      binding(A, {
        create: async () => {
          await gate.promise;
          return journal.made('a');
        },
      }),
    ]);
    const pending = container.resolver.get(A);
    const refused = expect(pending).rejects.toEqual(coded('resource-disposed'));
    const disposed = host.dispose();
    gate.resolve();
    await disposed;
    await refused;
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });

  it('ends look-ups', async () => {
    const { host, container } = open([binding(A, { create: () => ({ name: 'a' }) })]);
    await host.dispose();
    await expect(container.resolver.get(A)).rejects.toEqual(coded('resource-disposed', /session/));
  });

  it('does not dispose twice what one factory hands on from another', async () => {
    const journal = new Journal();
    const { host, container } = open([
      binding(A, { create: () => journal.made('a') }),
      binding(B, { create: ({ get }) => get(A) }),
    ]);
    expect(await container.resolver.get(B)).toBe(await container.resolver.get(A));
    await host.dispose();
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });
});

describe('ready instances', () => {
  it('are left alone unless they are owned', async () => {
    const journal = new Journal();
    const kept = journal.made('kept');
    const owned = journal.made('owned');
    const { host, container } = open([
      binding(A, { instance: kept }),
      binding(B, { instance: owned, owned: true }),
      binding(C, { create: ({ get }) => get(A) }),
    ]);
    expect(await container.resolver.get(A)).toBe(kept);
    expect(await container.resolver.get(C)).toBe(kept);
    await host.dispose();
    expect(journal.lines).toEqual(['build kept', 'build owned', 'dispose owned']);
  });

  it('that are owned are disposed once, however often they are asked for', async () => {
    const journal = new Journal();
    const bound = binding(A, { instance: journal.made('a'), owned: true });
    const { host, container } = open([bound]);
    open([bound], host);
    await container.resolver.get(A);
    await container.resolver.get(A);
    await host.dispose();
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });
});

describe('circles', () => {
  const ask =
    (token: NamedResourceToken<Named>) =>
    ({ get }: { get: (token: NamedResourceToken<Named>) => Promise<Named> }) =>
      get(token);

  it('are reported with their real path', async () => {
    const { container } = open([
      binding(A, { create: ask(B) }),
      binding(B, { create: ask(C) }),
      binding(C, { create: ask(B) }),
    ]);
    await expect(container.resolver.get(A)).rejects.toEqual(
      coded('resource-cyclic', /circle: B -> C -> B\./),
    );
  });

  it('of one are reported', async () => {
    await expect(open([binding(A, { create: ask(A) })]).container.resolver.get(A)).rejects.toEqual(
      coded('resource-cyclic', /A -> A/),
    );
  });

  it('entered from two sides at once do not wait for each other for ever', async () => {
    const { container } = open([binding(A, { create: ask(B) }), binding(B, { create: ask(A) })]);
    const outcomes = await Promise.allSettled([container.resolver.get(A), container.resolver.get(B)]);
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(outcomes).toContainEqual({ status: 'rejected', reason: coded('resource-cyclic') });
  });

  it.each([['prototype'], ['tool-call']] as const)('of %s resources are reported', async (scope) => {
    const { container } = open([
      binding(A, { create: ask(B), scope }),
      binding(B, { create: ask(A), scope }),
    ]);
    await expect(container.openCallScope([]).resolver.get(A)).rejects.toEqual(
      coded('resource-cyclic', /A -> B -> A/),
    );
  });

  it('through a prototype and a singleton are reported', async () => {
    const { container } = open([
      binding(A, { create: ask(B) }),
      binding(B, { create: ask(A), scope: 'prototype' }),
    ]);
    await expect(container.resolver.get(A)).rejects.toEqual(coded('resource-cyclic'));
    await expect(container.resolver.get(B)).rejects.toEqual(coded('resource-cyclic'));
  });

  it('are none where two depend on a third', async () => {
    const { container } = open([
      binding(A, {
        create: async ({ get }) => {
          const [b, c] = await Promise.all([get(B), get(C)]);
          return { name: b.name + c.name };
        },
      }),
      binding(B, { create: ask(C) }),
      binding(C, { create: () => ({ name: 'c' }) }),
    ]);
    expect(await container.resolver.get(A)).toEqual({ name: 'cc' });
  });
});

describe('start', () => {
  it('builds eager singletons in the order of their bindings', async () => {
    const journal = new Journal();
    const { container } = open([
      binding(C, { create: () => journal.made('c'), eager: true }),
      binding(B, { create: () => journal.made('b') }),
      binding(A, { create: () => journal.made('a'), eager: true }),
    ]);
    await container.start();
    await container.start();
    expect(journal.lines).toEqual(['build c', 'build a']);
  });

  it('disposes what it built when one fails, keeps what was there before, and can be tried again', async () => {
    const journal = new Journal();
    let isBroken = true;
    const before = binding(resourceToken<Named>('before'), {
      create: () => journal.made('before'),
      eager: true,
    });
    const { host, container } = open([
      before,
      binding(A, {
        create: async ({ get }) => {
          await get(B);
          return journal.made('a');
        },
        eager: true,
      }),
      binding(B, { create: () => journal.made('b') }),
      binding(C, {
        create: () => {
          if (isBroken) throw new Error('broken');
          return journal.made('c');
        },
        eager: true,
      }),
    ]);
    await container.resolver.get(before.token);
    await expect(container.start()).rejects.toEqual(coded('resource-factory-failed', /"C" failed: broken/));
    expect(journal.lines).toEqual(['build before', 'build b', 'build a', 'dispose a', 'dispose b']);
    isBroken = false;
    await container.start();
    expect(journal.lines.slice(5)).toEqual(['build b', 'build a', 'build c']);
    await host.dispose();
    expect(journal.lines.slice(8)).toEqual(['dispose c', 'dispose a', 'dispose b', 'dispose before']);
  });

  it('tells of disposals that fail on the way back', async () => {
    const X = resourceToken<object>('X');
    const { container } = open([
      binding(X, {
        create: () => ({
          close: () => {
            throw new Error('stuck');
          },
        }),
        eager: true,
      }),
      binding(A, {
        create: () => {
          throw new Error('broken');
        },
        eager: true,
      }),
    ]);
    await expect(container.start()).rejects.toEqual(coded('resource-factory-failed', /broken.*stuck/));
  });
});

describe('tool-call resources', () => {
  it('are one per scope, disposed at its close in reverse order', async () => {
    const journal = new Journal();
    let count = 0;
    const { host, container } = open([
      binding(A, { create: () => journal.made(`a${++count}`), scope: 'tool-call' }),
      binding(B, {
        create: async ({ get }) => journal.made(`b of ${(await get(A)).name}`),
        scope: 'tool-call',
      }),
    ]);
    const first = container.openCallScope([]);
    const second = container.openCallScope([]);
    expect(await first.resolver.get(A)).toBe(await first.resolver.get(A));
    await first.resolver.get(B);
    expect(await second.resolver.get(A)).not.toBe(await first.resolver.get(A));
    expect(await first.dispose()).toEqual([]);
    expect(await first.dispose()).toEqual([]);
    expect(await second.dispose()).toEqual([]);
    await host.dispose();
    expect(journal.lines).toEqual([
      'build a1',
      'build b of a1',
      'build a2',
      'dispose b of a1',
      'dispose a1',
      'dispose a2',
    ]);
  });

  it('are refused outside calls and in singletons', async () => {
    const { container } = open([
      binding(A, { create: () => ({ name: 'a' }), scope: 'tool-call' }),
      binding(B, { create: ({ get }) => get(A) }),
    ]);
    await expect(container.resolver.get(A)).rejects.toEqual(
      coded('resource-scope-invalid', /outside a tool call/),
    );
    await expect(container.openCallScope([]).resolver.get(B)).rejects.toEqual(
      coded('resource-scope-invalid', /by the singleton "B"/),
    );
  });

  it('that fail to be disposed are returned as errors, the others are disposed', async () => {
    const journal = new Journal();
    const X = resourceToken<object>('X');
    const boom = new Error('stuck');
    const { container } = open([
      binding(A, { create: () => journal.made('a'), scope: 'tool-call' }),
      binding(X, {
        create: () => ({
          close: () => {
            throw boom;
          },
        }),
        scope: 'tool-call',
      }),
    ]);
    const scope = container.openCallScope([]);
    await scope.resolver.get(A);
    await scope.resolver.get(X);
    expect(await scope.dispose()).toEqual([coded('resource-dispose-failed', /"X" failed: stuck/)]);
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });

  it('cannot be reached after the close, nor can anything else', async () => {
    const { container } = open([
      binding(A, { create: () => ({ name: 'a' }), scope: 'tool-call' }),
      binding(B, { create: () => ({ name: 'b' }) }),
    ]);
    const scope = container.openCallScope([[C, () => ({ name: 'view' })]]);
    await scope.dispose();
    for (const token of [A, B, C]) {
      await expect(scope.resolver.get(token)).rejects.toEqual(coded('transaction-closed'));
    }
    expect(await container.resolver.get(B)).toEqual({ name: 'b' });
  });

  it('still being built at the close are disposed once they are there, without being waited for', async () => {
    const journal = new Journal();
    const gate = deferred<void>();
    const { container } = open([
      binding(A, {
        create: async () => {
          await gate.promise;
          return journal.made('a');
        },
        scope: 'tool-call',
      }),
    ]);
    const scope = container.openCallScope([]);
    const pending = scope.resolver.get(A);
    expect(await scope.dispose()).toEqual([]);
    gate.resolve();
    await expect(pending).rejects.toEqual(coded('transaction-closed'));
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });

  it('that hand on a singleton do not take it with them', async () => {
    const journal = new Journal();
    const { host, container } = open([
      binding(A, { create: () => journal.made('a') }),
      binding(B, { create: ({ get }) => get(A), scope: 'tool-call' }),
    ]);
    const scope = container.openCallScope([]);
    await scope.resolver.get(B);
    await scope.dispose();
    expect(journal.lines).toEqual(['build a']);
    await host.dispose();
    expect(journal.lines).toEqual(['build a', 'dispose a']);
  });
});

describe('overrides', () => {
  it('stand in for what is bound, for handlers and tool-call resources, not for singletons', async () => {
    const root = { name: 'root' };
    const view = { name: 'view' };
    const { container } = open([
      binding(A, { instance: root }),
      binding(B, {
        create: async ({ get }) => ({ name: `b on ${(await get(A)).name}` }),
        scope: 'tool-call',
      }),
      binding(C, { create: async ({ get }) => ({ name: `c on ${(await get(A)).name}` }) }),
    ]);
    const scope = container.openCallScope([[A, () => view]]);
    expect(await scope.resolver.get(A)).toBe(view);
    expect(await scope.resolver.get(B)).toEqual({ name: 'b on view' });
    expect(await scope.resolver.get(C)).toEqual({ name: 'c on root' });
    expect(await container.resolver.get(A)).toBe(root);
  });

  it('may be for tokens that nothing is bound to, and are never disposed', async () => {
    const journal = new Journal();
    const { container } = open([binding(B, { create: ({ get }) => get(A), scope: 'tool-call' })]);
    const view = journal.made('view');
    const scope = container.openCallScope([[A, () => view]]);
    expect(scope.resolver.has(A)).toBe(true);
    expect(container.resolver.has(A)).toBe(false);
    await scope.resolver.get(B);
    await scope.dispose();
    expect(journal.lines).toEqual(['build view']);
  });
});

describe('plain singletons and transactional resources', () => {
  const Forked = transactionalResource<Named>('forked');

  it('do not mix, directly or through a prototype', async () => {
    const { container } = open([
      binding(Forked, { create: () => ({ name: 'a' }) }),
      binding(B, { create: ({ get }) => get(Forked) }),
      binding(C, { create: ({ get }) => get(Forked), scope: 'prototype' }),
      binding(resourceToken<Named>('D'), { create: ({ get }) => get(C) }),
    ]);
    const refused = coded('resource-dependency-invalid', /"B" depends on "forked"/);
    await expect(container.resolver.get(B)).rejects.toEqual(refused);
    await expect(
      container.openCallScope([[Forked, () => ({ name: 'view' })]]).resolver.get(B),
    ).rejects.toEqual(refused);
    expect(await container.resolver.get(C)).toEqual({ name: 'a' });
  });

  it('through a prototype are refused as well', async () => {
    const D = resourceToken<Named>('D');
    const { container } = open([
      binding(Forked, { create: () => ({ name: 'a' }) }),
      binding(C, { create: ({ get }) => get(Forked), scope: 'prototype' }),
      binding(D, { create: ({ get }) => get(C) }),
    ]);
    await expect(container.resolver.get(D)).rejects.toEqual(
      coded('resource-dependency-invalid', /"D" depends on "forked"/),
    );
  });
});

describe('prototypes', () => {
  it('are built for every look-up and never disposed', async () => {
    const journal = new Journal();
    let count = 0;
    const { host, container } = open([
      binding(A, { create: () => journal.made(`a${++count}`), scope: 'prototype' }),
    ]);
    const scope = container.openCallScope([]);
    expect(await container.resolver.get(A)).not.toBe(await container.resolver.get(A));
    await scope.resolver.get(A);
    await scope.dispose();
    await host.dispose();
    expect(journal.lines).toEqual(['build a1', 'build a2', 'build a3']);
  });
});
