import { describe, expect, it } from 'vitest';
import { bind, bindInstance, ResourceRegistry, resourceToken } from 'weakincentives';
import { tokenName, transactionalResource } from '../../../src/resource/index.ts';

const A = resourceToken<string>('A');
const B = resourceToken<string>('B');

describe('bind', () => {
  it('defaults to a lazy, plain singleton and is frozen', () => {
    const binding = bind(A, () => 'a');
    expect(binding).toMatchObject({
      kind: 'binding',
      token: A,
      scope: 'singleton',
      eager: false,
      transactional: false,
    });
    expect(Object.isFrozen(binding)).toBe(true);
  });

  it('refuses what makes no sense, naming the token', () => {
    const refused = expect.objectContaining({
      code: 'resource-binding-invalid',
      message: expect.stringContaining('"A"'),
    });
    // @ts-expect-error -- a value is no factory
    expect(() => bind(A, 'a')).toThrow(refused);
    // @ts-expect-error -- no such scope
    expect(() => bind(A, () => 'a', { scope: 'request' })).toThrow(refused);
    expect(() => bind(A, () => 'a', { scope: 'tool-call', eager: true })).toThrow(refused);
    const forked = transactionalResource<string>('A');
    expect(() => bind(forked, () => 'a', { scope: 'prototype' })).toThrow(refused);
    expect(bind(forked, () => 'a')).toMatchObject({ transactional: true });
    expect(bindInstance(forked, 'a')).toMatchObject({ transactional: true });
  });
});

describe('tokens', () => {
  it('are told apart by identity, not by name', () => {
    const registry = ResourceRegistry.of([
      bindInstance(resourceToken<string>('same'), 'a'),
      bindInstance(resourceToken<string>('same'), 'b'),
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
  const a = bindInstance(A, 'a');
  const b = bindInstance(B, 'b');
  const otherA = bindInstance(A, 'other');

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
        message: expect.stringContaining(
          '"A" is bound twice: it stands in one list of bindings at 0 and at 1',
        ),
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
