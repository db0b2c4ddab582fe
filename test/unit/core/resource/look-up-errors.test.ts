import { describe, expect, it } from 'vitest';
import { binding, type ResourceBinding, ResourceRegistry, resourceToken } from 'weakincentives';
import { transactionalResource } from '../../../../src/core/resource/index.ts';
import { coded, type Named, open } from './host.ts';

const A = resourceToken<Named>('A');
const B = resourceToken<Named>('B');
const C = resourceToken<Named>('C');

describe('a token that nothing is bound to', () => {
  const ask = async (name: string, bound: readonly string[]): Promise<unknown> => {
    const { container } = open(bound.map((known) => binding(resourceToken<number>(known), { instance: 1 })));
    return container.resolver.get(resourceToken(name)).catch((error: unknown) => error);
  };

  it.each([
    ['HttpClient', ['Database', 'HttpClients', 'httpclient', 'Clock'], '"httpclient" or "HttpClients"'],
    ['Trcer', ['Tracer', 'Trader', 'Store'], '"Tracer"'],
    ['clock', ['CLOCK'], '"CLOCK"'],
  ])('is answered with the nearest names: %s', async (name, bound, nearest) => {
    expect(await ask(name, bound)).toMatchObject({
      code: 'resource-unbound',
      message: `Nothing is bound to "${name}". Did you mean ${nearest}?`,
    });
  });

  it('is answered with what there is when nothing is near, and not with all of it', async () => {
    const bound = Array.from({ length: 12 }, (_, index) => `resource ${index}`);
    expect(await ask('Q', ['A', 'B'])).toHaveProperty('message', 'Nothing is bound to "Q". Bound are: A, B.');
    expect(await ask('Q', [])).toHaveProperty('message', 'Nothing is bound to "Q". Nothing is bound at all.');
    expect(await ask('Q', bound)).toEqual(coded('resource-unbound', /resource 9 and 2 more\.$/));
  });

  it('is told apart from one of the same name', async () => {
    expect(await ask('twin', ['twin'])).toEqual(coded('resource-unbound', /Another token with this name/));
  });

  it('names who needs it', async () => {
    const { container } = open([
      binding(A, { create: ({ get }) => get(B) }),
      binding(B, { create: ({ get }) => get(C), scope: 'prototype' }),
    ]);
    await expect(container.resolver.get(A)).rejects.toMatchObject({
      message: expect.stringContaining('along A -> B -> C') as string,
      details: { token: 'C', path: ['A', 'B', 'C'] },
    });
  });
});

describe('what a singleton may not depend on', () => {
  it('is named with the way to it: a tool-call resource', async () => {
    const { container } = open([
      binding(A, { create: ({ get }) => get(B) }),
      binding(B, { create: ({ get }) => get(C), scope: 'prototype' }),
      binding(C, { create: () => ({ name: 'c' }), scope: 'tool-call' }),
    ]);
    const { resolver } = container.openCallScope([]);
    await expect(resolver.get(A)).rejects.toMatchObject({
      code: 'resource-scope-invalid',
      message: expect.stringContaining('by the singleton "A" (A -> B -> C)') as string,
      details: { token: 'C', dependent: 'A', path: ['A', 'B', 'C'] },
    });
    expect(await resolver.get(B)).toEqual({ name: 'c' });
  });

  it('is named with the way to it: a transactional resource', async () => {
    const Files = transactionalResource<Named>('files');
    const { container } = open([
      binding(Files, { create: () => ({ name: 'files' }) }),
      binding(A, { create: ({ get }) => get(B) }),
      binding(B, { create: ({ get }) => get(Files), scope: 'prototype' }),
    ]);
    await expect(container.resolver.get(A)).rejects.toMatchObject({
      code: 'resource-dependency-invalid',
      message: expect.stringContaining('(A -> B -> files)') as string,
      details: { token: 'files', dependent: 'A', path: ['A', 'B', 'files'] },
    });
  });
});

describe('a factory that fails below another', () => {
  it('is named with the way to it, with its own cause', async () => {
    const cause = new Error('no connection');
    const { container } = open([
      binding(A, { create: ({ get }) => get(B) }),
      binding(B, { create: () => Promise.reject(cause) }),
    ]);
    await expect(container.resolver.get(A)).rejects.toMatchObject({
      code: 'resource-factory-failed',
      message: 'Building "B" failed (looked up along A -> B): no connection',
      details: { token: 'B', path: ['A', 'B'] },
      cause,
    });
  });
});

describe('a circle', () => {
  it('is the shortest one on the way, in order', async () => {
    const D = resourceToken<Named>('D');
    const { container } = open([
      binding(A, { create: ({ get }) => get(B) }),
      binding(B, { create: ({ get }) => get(C), scope: 'prototype' }),
      binding(C, { create: ({ get }) => get(D) }),
      binding(D, { create: ({ get }) => get(B), scope: 'prototype' }),
    ]);
    await expect(container.resolver.get(A)).rejects.toMatchObject({
      code: 'resource-cyclic',
      details: { path: ['B', 'C', 'D', 'B'] },
    });
  });
});

describe('a token by class', () => {
  it('takes whatever has the shape: the class of the instance is not looked at', async () => {
    class Clock {
      now(): number {
        return 1;
      }
    }
    const fake = { now: () => 7 };
    const { container } = open([binding(Clock, { instance: fake })]);
    const clock = await container.resolver.get(Clock);
    expect(clock).toBe(fake);
    expect(clock).not.toBeInstanceOf(Clock);
  });
});

describe('a binding put together wrongly', () => {
  // As without types, or from a module that is not yet evaluated.
  const missing = undefined as unknown as typeof A;

  it.each<[string, () => ResourceBinding<Named>]>([
    ['undefined', () => binding(missing, { create: () => ({ name: 'a' }) })],
    ['undefined', () => binding(missing, { instance: { name: 'a' } })],
    ['name', () => binding('name' as unknown as typeof A, { create: () => ({ name: 'a' }) })],
    ['A', () => binding(A, { create: () => ({ name: 'a' }), afterCreate: 'start' as unknown as () => void })],
  ])('is refused at once: %s', (name, attempt) => {
    expect(attempt).toThrow(coded('resource-binding-invalid', new RegExp(`"${name}"`)));
  });
});

describe('conflicts of registries', () => {
  const a = binding(A, { instance: { name: 'a' } });
  const b = binding(B, { instance: { name: 'b' } });
  const left = ResourceRegistry.of([a, b]);
  const right = ResourceRegistry.of([
    binding(B, { instance: { name: 'other b' } }),
    binding(A, { instance: { name: 'other a' } }),
  ]);

  it('are the tokens that both bind differently', () => {
    expect(left.conflicts(right)).toEqual([B, A]);
    expect(left.conflicts(ResourceRegistry.of([b, binding(C, { instance: { name: 'c' } })]))).toEqual([]);
    expect(left.conflicts(ResourceRegistry.empty)).toEqual([]);
  });

  it('are all named by a strict merge', () => {
    expect(() => left.merge(right)).toThrow(coded('resource-duplicate', /Resource "B", "A" is bound twice/));
  });
});
