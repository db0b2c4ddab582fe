import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineSlice, Session, SnapshotError } from 'weakincentives';
import { z } from 'zod';
import { defineSystemSlice } from '../../src/core/session/index.ts';
import { draws, seenAtLeast } from '../support/draws.ts';
import { batches } from './session-program.ts';
import { dumpSession, newProgramSession, runTurn } from './session-runner.ts';

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const Words = defineSlice({
  name: 'words',
  schema: z.object({ word: z.string(), count: z.number().int() }),
  key: ({ word }) => word,
  initial: [{ word: 'first', count: 1 }],
});
const Anything = defineSystemSlice<unknown>({ name: 'anything' });
const Trail = defineSlice({ name: 'trail', schema: z.object({ at: z.number() }), policy: 'log', retain: 4 });
const slices = [Words, Anything, Trail] as const;

const json = fc.jsonValue({ noUnicodeString: false, maxDepth: 4 });
const oddKeys = fc.constantFrom('__proto__', 'constructor', 'toJSON', 'a', '');
const contents = fc.record({
  words: fc.array(fc.record({ word: fc.string(), count: fc.integer() }), { maxLength: 6 }),
  anything: fc.array(fc.oneof(json, fc.dictionary(oddKeys, json)), { maxLength: 6 }),
  trail: fc.array(fc.record({ at: fc.integer() }), { maxLength: 6 }),
});

function sessionOf(held: (typeof contents extends fc.Arbitrary<infer T> ? T : never) | undefined): Session {
  const session = new Session({ id: 'session' });
  for (const slice of slices) session.install(slice);
  if (held !== undefined) {
    session.slice(Words).seed(held.words);
    session.slice(Anything).seed(held.anything);
    session.slice(Trail).append(...held.trail);
  }
  return session;
}

const dump = (session: Session) => slices.map((slice) => session.slice<unknown>(slice as never).all());

/** The places in a JSON value, as paths of keys. */
function placesIn(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const below = Object.entries(value).flatMap(([key, item]) => placesIn(item).map((path) => [key, ...path]));
  return [[], ...below];
}

/** The value with something else at a place. */
function withAt(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return other;
  const copy: Record<string, unknown> = Array.isArray(value) ? Object([...value]) : { ...value };
  Object.defineProperty(copy, key, {
    value: withAt(Reflect.get(value, key), rest, other),
    enumerable: true,
    configurable: true,
    writable: true,
  });
  return copy;
}

describe('the export of a session', () => {
  it('brings a session back that continues as the first one does', () => {
    fc.assert(
      fc.property(batches, batches, batches, (past, future, other) => {
        const session = newProgramSession();
        runTurn(session, past);
        const resumed = newProgramSession();
        runTurn(resumed, other);
        resumed.importState(throughJson(session.exportState({ includeLogs: true })));
        expect(dumpSession(resumed)).toBe(dumpSession(session));
        expect(runTurn(resumed, future)).toEqual(runTurn(session, future));
        expect(dumpSession(resumed)).toBe(dumpSession(session));
      }),
      { numRuns: draws(300) },
    );
  });

  it('keeps whatever JSON the items are', () => {
    fc.assert(
      fc.property(contents, fc.option(contents, { nil: undefined }), (held, other) => {
        const session = sessionOf(held);
        const resumed = sessionOf(other);
        const exported = session.exportState({ includeLogs: true });
        resumed.importState(throughJson(exported));
        const { slices: again } = resumed.exportState({ includeLogs: true });
        expect(JSON.stringify(again)).toBe(JSON.stringify(exported.slices));
      }),
    );
  });

  it('changes nothing when it is refused, however it is broken', () => {
    const garbage = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSet: true,
      withSparseArray: true,
      withTypedArray: true,
      key: fc.oneof(oddKeys, fc.constantFrom('format', 'version', 'slices', 'items', 'name')),
    });
    const counts = { refused: 0, taken: 0 };
    fc.assert(
      fc.property(contents, contents, garbage, fc.nat(), fc.boolean(), (held, present, odd, place, whole) => {
        const exported = throughJson(sessionOf(held).exportState({ includeLogs: true }));
        const places = placesIn(exported);
        const broken = whole ? odd : withAt(exported, places[place % places.length] ?? [], odd);
        const session = sessionOf(present);
        const before = dump(session);
        try {
          session.importState(broken);
          counts.taken += 1;
        } catch (error) {
          counts.refused += 1;
          expect(SnapshotError.isInstance(error)).toBe(true);
          for (const [index, items] of dump(session).entries()) expect(items).toBe(before[index]);
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: draws(1_000) },
    );
    expect(Math.min(counts.refused, counts.taken)).toBeGreaterThan(seenAtLeast(30));
  });
});
