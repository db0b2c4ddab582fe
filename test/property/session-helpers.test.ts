import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReducerBinder, type ReducerBinding, reducers, Session, type Slice } from 'weakincentives';
import { defineSystemEvent, defineSystemSlice } from '../../src/core/session/index.ts';

interface Row {
  readonly key: string;
  readonly value: number;
}

const keyOf = ({ key }: Row): string => key;
const names = ['append', 'latest', 'upsert', 'latest-by'] as const;
type Name = (typeof names)[number];
const events = {
  append: defineSystemEvent<Row>('append'),
  latest: defineSystemEvent<Row>('latest'),
  upsert: defineSystemEvent<Row>('upsert'),
  'latest-by': defineSystemEvent<Row>('latest-by'),
};
const all = (on: ReducerBinder<Row>): readonly ReducerBinding<Row>[] => [
  on(events.append, reducers.append()),
  on(events.latest, reducers.keepLatest()),
  on(events.upsert, reducers.upsertBy(keyOf)),
  on(events['latest-by'], reducers.keepLatestBy(keyOf)),
];

/** The plainest way to say what a helper does. */
function inModel(rows: readonly Row[], name: Name, row: Row, isKeyed: boolean): readonly Row[] {
  const position = rows.findIndex(({ key }) => key === row.key);
  const others = rows.filter(({ key }) => key !== row.key);
  if (name === 'latest') return [row];
  if (name === 'latest-by') return [...others, row];
  if (position < 0 || (name === 'append' && !isKeyed)) return [...rows, row];
  const before = rows.slice(0, position);
  return [...before, row, ...others.slice(before.length)];
}

const steps = fc.array(
  fc.record({
    name: fc.constantFrom(...names),
    row: fc.record({ key: fc.constantFrom('a', 'b', 'c', 'd'), value: fc.integer({ min: 0, max: 3 }) }),
  }),
  { maxLength: 30 },
);

describe('ready-made reducers', () => {
  it.each<[string, Slice<Row>]>([
    ['without keys', defineSystemSlice<Row>({ name: 'rows', reducers: all })],
    ['with keys', defineSystemSlice<Row>({ name: 'rows', key: keyOf, reducers: all })],
  ])('do to a slice %s what they do to a list', (_what, Rows) => {
    fc.assert(
      fc.property(steps, (program) => {
        const session = new Session();
        session.install(Rows);
        let expected: readonly Row[] = [];
        for (const { name, row } of program) {
          const before = session.snapshot();
          session.dispatch(events[name], row);
          const after = session.slice(Rows).all();
          session.restore(before);
          expect(session.slice(Rows).all()).toEqual(expected);
          session.dispatch(events[name], row);
          expected = inModel(expected, name, row, Rows.keyed);
          expect(after).toEqual(expected);
          expect(session.slice(Rows).all()).toEqual(expected);
          expect(session.slice(Rows).latest()).toEqual(expected.at(-1));
          if (Rows.keyed) expect(session.slice(Rows).get(row.key)).toEqual(row);
        }
      }),
    );
  });
});
