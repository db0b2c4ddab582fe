import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendAll, keepLatest, keepLatestBy, on, Session, type Slice, upsertBy } from 'weakincentives';
import { defineSystemEvent, defineSystemSlice } from '../../src/session/index.ts';

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
const reducers = [
  on<Row, Row, Row>(events.append, appendAll()),
  on<Row, Row, Row>(events.latest, keepLatest()),
  on<Row, Row, Row>(events.upsert, upsertBy(keyOf)),
  on<Row, Row, Row>(events['latest-by'], keepLatestBy(keyOf)),
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
    ['without keys', defineSystemSlice<Row>('rows', { reducers })],
    ['with keys', defineSystemSlice<Row>('rows', { key: keyOf, reducers })],
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
