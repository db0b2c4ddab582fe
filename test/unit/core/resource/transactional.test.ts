import { describe, expect, test } from 'vitest';
import {
  binding,
  ResourceError,
  ResourceRegistry,
  resourceToken,
  snapshotProtocol,
  type TransactionProtocol,
} from 'weakincentives';
import { ResourceContainer, transactionalResource } from '../../../../src/core/resource/index.ts';
import { Host } from './host.ts';

interface Box {
  value: number;
}
const Box = resourceToken<Box>('box');
const copying = snapshotProtocol<Box, number>({
  snapshot: ({ value }) => value,
  restore: (box, value) => {
    box.value = value;
  },
});

const refused = (bindIt: () => unknown): string => {
  try {
    bindIt();
  } catch (error) {
    if (ResourceError.isInstance(error)) return `${error.code}: ${error.message}`;
  }
  return 'not refused';
};

describe('the option transactional', () => {
  test('makes a binding one that takes part in transactions', () => {
    expect(binding(Box, { create: () => ({ value: 0 }) }).transactional).toBe(false);
    expect(binding(Box, { create: () => ({ value: 0 }), transactional: copying })).toMatchObject({
      transactional: true,
      protocol: copying,
    });
    expect(binding(Box, { instance: { value: 0 }, transactional: copying }).transactional).toBe(true);
  });

  test('is refused with another scope, on a token that takes part already, and without begin()', () => {
    const make = (): Box => ({ value: 0 });
    const Forked = transactionalResource<Box>('forked');
    expect(refused(() => binding(Box, { create: make, scope: 'tool-call', transactional: copying }))).toMatch(
      /^resource-binding-invalid: .*only a singleton/,
    );
    expect(refused(() => binding(Forked, { create: make, transactional: copying }))).toMatch(
      /takes part in transactions already/,
    );
    // What callers without types may pass.
    const wrong = (value: unknown): TransactionProtocol<Box> => value as TransactionProtocol<Box>;
    expect(refused(() => binding(Box, { create: make, transactional: wrong({}) }))).toMatch(
      /has no function "begin"/,
    );
    expect(refused(() => binding(Box, { instance: make(), transactional: wrong(true) }))).toMatch(
      /is boolean/,
    );
  });

  test('keeps a plain singleton from depending on the resource', async () => {
    const Shelf = resourceToken<{ readonly box: Box }>('shelf');
    const container = ResourceContainer.for(
      new Host(),
      ResourceRegistry.of([
        binding(Box, { create: () => ({ value: 0 }), transactional: copying }),
        binding(Shelf, { create: async ({ get }) => ({ box: await get(Box) }) }),
      ]),
    );
    await expect(container.resolver.get(Shelf)).rejects.toMatchObject({
      code: 'resource-dependency-invalid',
    });
  });
});

describe('a transaction that is put together wrongly', () => {
  const nothing = (): undefined => undefined;
  const rows: readonly (readonly [what: string, transaction: unknown, missing: string])[] = [
    ['nothing', undefined, 'view, commit, rollback, conflicts'],
    ['no rollback', { view: { value: 0 }, commit: nothing, conflicts: () => [] }, 'has no rollback'],
    ['no conflicts', { view: { value: 0 }, commit: nothing, rollback: nothing }, 'has no conflicts'],
  ];
  test.each(rows)('fails the look-up: %s', async (_what, transaction, missing) => {
    // What callers without types may return.
    const protocol = { parallel: true, begin: () => transaction } as unknown as TransactionProtocol<Box>;
    const container = ResourceContainer.for(
      new Host(),
      ResourceRegistry.of([binding(Box, { instance: { value: 0 }, transactional: protocol })]),
    );
    const forks = container.openForks({ readOnly: false });
    const scope = container.openCallScope([], forks);
    const failure = scope.resolver.get(Box);
    await expect(failure).rejects.toMatchObject({ code: 'resource-begin-failed' });
    await expect(failure).rejects.toThrow(missing);
  });
});

describe('a transaction that has ended', () => {
  test('is asked for no conflicts, and answers a second rollback as the first', async () => {
    const Other = resourceToken<Box>('other');
    const ofKind = (conflict: string, rollback: () => void): TransactionProtocol<Box> => ({
      parallel: true,
      begin: (box) => ({ view: box, commit: () => undefined, rollback, conflicts: () => [conflict] }),
    });
    let rollbacks = 0;
    const failing = ofKind('b', () => {
      rollbacks += 1;
      throw new Error('stuck');
    });
    const container = ResourceContainer.for(
      new Host(),
      ResourceRegistry.of([
        binding(Box, { instance: { value: 0 }, transactional: ofKind('a', () => undefined) }),
        binding(Other, { instance: { value: 0 }, transactional: failing }),
      ]),
    );
    const committed = container.openForks({ readOnly: false });
    await container.openCallScope([], committed).resolver.get(Box);
    expect(await committed?.conflicts()).toEqual(['a of resource box']);
    await committed?.commit();
    expect(await committed?.conflicts()).toEqual([]);

    const stuck = container.openForks({ readOnly: false });
    await container.openCallScope([], stuck).resolver.get(Other);
    const failures = await stuck?.rollback((work) => work);
    expect(failures).toMatchObject([{ name: 'other' }]);
    expect(await stuck?.rollback((work) => work)).toEqual(failures);
    expect(rollbacks).toBe(1);
  });
});

describe('within a nested evaluation', () => {
  test('what both prompts bind is the view of the outer call, and inner commits land there', async () => {
    const box: Box = { value: 1 };
    const host = new Host();
    const registry = ResourceRegistry.of([binding(Box, { instance: box, transactional: copying })]);
    const outer = ResourceContainer.for(host, registry);
    const forks = outer.openForks({ readOnly: false });
    const inner = ResourceContainer.for(host, registry, { outer: outer.outerCall(forks), isInner: true });
    const innerForks = inner.openForks({ readOnly: false });
    const view = await inner.openCallScope([], innerForks).resolver.get(Box);
    view.value = 2;
    await innerForks?.commit();
    expect((await inner.resolver.get(Box)).value).toBe(2);
    await forks?.rollback((work) => work);
    expect(box.value).toBe(1);
  });
});
