import { describe, expect, it } from 'vitest';
import { binding, ResourceRegistry, resourceToken } from 'weakincentives';
import { tokenName, transactionalResource } from '../../../../src/core/resource/index.ts';

const A = resourceToken<string>('A');
const B = resourceToken<string>('B');

describe('bind', () => {
  it('defaults to a lazy, plain singleton and is frozen', () => {
    const bound = binding(A, { create: () => 'a' });
    expect(bound).toMatchObject({
      kind: 'binding',
      token: A,
      scope: 'singleton',
      eager: false,
      transactional: false,
    });
    expect(Object.isFrozen(bound)).toBe(true);
  });

  it('refuses what makes no sense, naming the token', () => {
    const refused = expect.objectContaining({
      code: 'resource-binding-invalid',
      message: expect.stringContaining('"A"'),
    });
    // @ts-expect-error -- a value is no factory
    expect(() => binding(A, { create: 'a' })).toThrow(refused);
    // @ts-expect-error -- no such scope
    expect(() => binding(A, { create: () => 'a', scope: 'request' })).toThrow(refused);
    expect(() => binding(A, { create: () => 'a', scope: 'tool-call', eager: true })).toThrow(refused);
    const forked = transactionalResource<string>('A');
    expect(() => binding(forked, { create: () => 'a', scope: 'prototype' })).toThrow(refused);
    expect(binding(forked, { create: () => 'a' })).toMatchObject({ transactional: true });
    expect(binding(forked, { instance: 'a' })).toMatchObject({ transactional: true });
  });
});

describe('tokens', () => {
  it('are told apart by identity, not by name', () => {
    const registry = ResourceRegistry.of([
      binding(resourceToken<string>('same'), { instance: 'a' }),
      binding(resourceToken<string>('same'), { instance: 'b' }),
    ]);
    expect(registry.bindings).toHaveLength(2);
    expect(registry.has(resourceToken('same'))).toBe(false);
  });

  it('have names for messages', () => {
    class Client {
      readonly url: string = '';
    }
    expect(tokenName(A)).toBe('A');
    expect(tokenName(Client)).toBe('Client');
    expect(
      tokenName(
        class {
          readonly url: string = '';
        },
      ),
    ).toBe('an unnamed class');
  });
});

describe('ResourceRegistry', () => {
  const a = binding(A, { instance: 'a' });
  const b = binding(B, { instance: 'b' });
  const otherA = binding(A, { instance: 'other' });

  it('finds bindings by token and keeps their order', () => {
    const registry = ResourceRegistry.of([b, a]);
    expect(registry.get(A)).toBe(a);
    expect(registry.get(resourceToken('C'))).toBeUndefined();
    expect(registry.bindings).toEqual([b, a]);
  });

  it('refuses two bindings of one token', () => {
    expect(() => ResourceRegistry.of([a, otherA])).toThrow(
      expect.objectContaining({
        code: 'resource-duplicate',
        message: expect.stringContaining('"A" is bound twice: one list of bindings holds it at 0 and at 1'),
        details: { token: 'A', tokens: ['A'] },
      }),
    );
  });

  it('merges strictly by default; the very same binding is no clash', () => {
    const left = ResourceRegistry.of([a]);
    expect(left.merge(ResourceRegistry.of([b])).bindings).toEqual([a, b]);
    expect(left.merge(ResourceRegistry.of([a, b])).bindings).toEqual([a, b]);
    expect(() => left.merge(ResourceRegistry.of([otherA]))).toThrow(
      expect.objectContaining({ code: 'resource-duplicate' }),
    );
    expect(left.bindings).toEqual([a]);
  });

  it("merges loosely with the right side winning in the left one's place", () => {
    const merged = ResourceRegistry.of([a, b]).merge(ResourceRegistry.of([otherA]), { strict: false });
    expect(merged.bindings).toEqual([otherA, b]);
  });

  it('is not copied for nothing', () => {
    const registry = ResourceRegistry.of([a]);
    expect(registry.merge(ResourceRegistry.empty)).toBe(registry);
    expect(ResourceRegistry.empty.merge(registry)).toBe(registry);
    expect(ResourceRegistry.of([])).toBe(ResourceRegistry.empty);
  });
});
