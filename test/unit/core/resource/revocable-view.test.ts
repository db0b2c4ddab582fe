import { describe, expect, test } from 'vitest';
import { revocableView, TransactionClosedError } from 'weakincentives';

class Counter {
  #count = 0;
  label = 'hits';

  get count(): number {
    return this.#count;
  }

  add(step: number): this {
    this.#count += step;
    return this;
  }

  async addLater(step: number): Promise<number> {
    this.#count += step;
    return this.#count;
  }
}

describe('a closable view', () => {
  test('behaves as the object does: private members, getters, own fields, class', async () => {
    const counter = new Counter();
    const { view } = revocableView(counter);
    view.label = 'visits';
    expect(await view.add(2).addLater(3)).toBe(5);
    expect(view.count).toBe(5);
    expect(counter.label).toBe('visits');
    expect(view).toBeInstanceOf(Counter);
    expect('label' in view).toBe(true);
    expect(Object.keys(view)).toEqual(['label']);
    expect(view.add).toBe(view.add);
    expect(view.constructor).toBe(Counter);
  });

  test('works for objects that are built in, frozen, or functions', () => {
    expect(revocableView(new Map([['a', 1]])).view.get('a')).toBe(1);
    expect([...revocableView(new Set(['a'])).view]).toEqual(['a']);
    expect(revocableView(Object.freeze({ twice: (value: number) => value * 2 })).view.twice(4)).toBe(8);
    expect(revocableView((value: number) => value + 1).view(1)).toBe(2);
  });

  test('keeps the view in hand where a method returns the object', () => {
    const { view, revoke } = revocableView(new Counter());
    const chained = view.add(1);
    expect(chained).toBe(view);
    revoke();
    expect(() => chained.add(1)).toThrow(TransactionClosedError);
  });

  test('refuses every access once it is closed, also through methods that were taken before', () => {
    const counter = new Counter();
    const { view, revoke } = revocableView(counter, 'the counter');
    const { add } = view;
    revoke();
    revoke();
    const accesses: readonly (() => unknown)[] = [
      () => view.count,
      () => view.add(1),
      () => add.call(view, 1),
      () => Object.assign(view, { label: 'late' }),
      () => Reflect.deleteProperty(view, 'label'),
      () => Reflect.defineProperty(view, 'label', { value: 'late' }),
      () => 'label' in view,
      () => Object.keys(view),
      () => Object.getOwnPropertyDescriptor(view, 'label'),
      () => view instanceof Counter,
    ];
    for (const access of accesses) expect(access).toThrow(TransactionClosedError);
    expect(() => view.count).toThrow(/the counter can no longer be used/);
    expect([counter.count, counter.label]).toEqual([0, 'hits']);
  });

  test('leaves the object alone', () => {
    const counter = new Counter();
    revocableView(counter).revoke();
    expect(counter.add(1).count).toBe(1);
  });
});
