import { describe, expect, it } from 'vitest';
import { reducers, Session } from 'weakincentives';
import { defineSystemEvent, defineSystemSlice } from '../../../../src/core/session/index.ts';

interface Row {
  readonly key: string;
  readonly value: number;
}

const keyOf = ({ key }: Row): string => key;
const Put = defineSystemEvent<Row>('put');
const Refreshed = defineSystemEvent<Row>('refreshed');
const Table = defineSystemSlice<Row>({
  name: 'table',
  key: keyOf,
  reducers: (on) => [on(Put, reducers.upsertBy(keyOf)), on(Refreshed, reducers.keepLatestBy(keyOf))],
});

describe('upsertBy and keepLatestBy', () => {
  it.each([Put, Refreshed])(
    'let calls on different keys of a keyed slice go through side by side',
    (event) => {
      const session = new Session();
      session.install(Table);
      session.slice(Table).append({ key: 'a', value: 1 }, { key: 'b', value: 2 });
      const forks = [session.fork(), session.fork()] as const;
      for (const [index, key] of ['a', 'b'].entries()) {
        const view = forks[index]?.view;
        expect(view?.slice(Table).get(key)?.value).toBe(index + 1);
        view?.dispatch(event, { key, value: 10 });
      }
      session.apply(forks[0].patch());
      expect(forks[1].conflicts()).toEqual([]);
      session.apply(forks[1].patch());
      expect(session.slice(Table).all()).toEqual([
        { key: 'a', value: 10 },
        { key: 'b', value: 10 },
      ]);
    },
  );

  it('do not disturb who reads a key when an equal item only moves', () => {
    const session = new Session();
    session.install(Table);
    session.slice(Table).append({ key: 'a', value: 1 }, { key: 'b', value: 2 });
    const reader = session.fork();
    expect(reader.view.slice(Table).get('a')?.value).toBe(1);
    session.dispatch(Refreshed, { key: 'a', value: 1 });
    expect(session.slice(Table).latest()).toEqual({ key: 'a', value: 1 });
    expect(reader.conflicts()).toEqual([]);
  });

  it('refuse a key that is not the key of the slice', () => {
    const Other = defineSystemSlice<Row>({
      name: 'other',
      key: keyOf,
      reducers: (on) => [
        on(
          Put,
          reducers.upsertBy(({ value }) => String(value)),
        ),
      ],
    });
    const session = new Session();
    session.install(Other);
    expect(() => session.dispatch(Put, { key: 'a', value: 7 })).toThrow(
      expect.objectContaining({
        code: 'reducer-failed',
        message: expect.stringContaining('"7" where the key of the slice says "a"'),
      }),
    );
    expect(session.slice(Other).length).toBe(0);
  });
});
