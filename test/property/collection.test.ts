import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PersistentMap, PersistentVector } from '../../src/core/internal/index.ts';
import { draws } from '../support/draws.ts';

type MapStep = { readonly set: string; readonly value: number } | { readonly remove: string };

/** Few keys, so that sets and removals meet; some of any Unicode. */
const key = fc.oneof(
  fc.integer({ min: 0, max: 400 }).map((number) => `key-${number}`),
  fc.string({ unit: 'binary', maxLength: 4 }),
);
const mapSteps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ set: key, value: fc.integer() }) },
    { weight: 2, arbitrary: fc.record({ remove: key }) },
  ),
  { maxLength: 600, size: 'max' },
);

function applyStep(
  map: PersistentMap<number>,
  model: Map<string, number>,
  step: MapStep,
): PersistentMap<number> {
  if ('set' in step) {
    model.set(step.set, step.value);
    return map.set(step.set, step.value);
  }
  model.delete(step.remove);
  return map.delete(step.remove);
}

function sorted<V>(entries: Iterable<readonly [string, V]>): readonly (readonly [string, V])[] {
  return [...entries].sort(([left], [right]) => (left < right ? -1 : 1));
}

describe('PersistentMap', () => {
  it('does what a Map does, keeps every former version, and finds the differences between any two', () => {
    fc.assert(
      fc.property(mapSteps, fc.nat(), (steps, pick) => {
        let map = PersistentMap.empty<number>();
        const model = new Map<string, number>();
        const versions: {
          readonly map: PersistentMap<number>;
          readonly model: ReadonlyMap<string, number>;
        }[] = [];
        for (const [index, step] of steps.entries()) {
          map = applyStep(map, model, step);
          expect(map.size).toBe(model.size);
          if (index % 50 === 0) versions.push({ map, model: new Map(model) });
        }
        versions.push({ map, model });
        for (const version of versions) {
          expect(sorted(version.map)).toEqual(sorted(version.model));
          for (const name of version.model.keys())
            expect(version.map.get(name)).toBe(version.model.get(name));
        }
        const earlier = versions[pick % versions.length] ?? { map, model };
        const expected = [...new Set([...earlier.model.keys(), ...model.keys()])].filter(
          (name) => earlier.model.get(name) !== model.get(name),
        );
        const found = [...PersistentMap.differences(earlier.map, map)];
        expect(found.map((difference) => difference.key).sort()).toEqual(expected.sort());
        for (const { key: name, before, after, hasBefore, hasAfter } of found) {
          expect([before, after]).toEqual([earlier.model.get(name), model.get(name)]);
          expect([hasBefore, hasAfter]).toEqual([earlier.model.has(name), model.has(name)]);
        }
      }),
      { numRuns: draws(150) },
    );
  });
});

describe('PersistentVector', () => {
  it('does what an array does and keeps every former version', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { maxLength: 2200, size: 'max' }),
        fc.nat(),
        fc.integer(),
        (items, cut, index) => {
          const start = items.slice(0, cut % (items.length + 1));
          const first = PersistentVector.from(start);
          let vector = first;
          for (const item of items.slice(start.length)) vector = vector.push(item);
          expect(vector.toArray()).toEqual(items);
          expect([...vector]).toEqual(items);
          expect(vector.at(index % 3000)).toBe(items.at(index % 3000));
          expect(first.toArray()).toEqual(start);
        },
      ),
      { numRuns: draws(150) },
    );
  });

  it('lets every version be continued, however many were continued from it before', () => {
    const steps = fc.array(fc.record({ from: fc.nat(), items: fc.array(fc.integer(), { maxLength: 40 }) }), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (branches) => {
        const versions = [{ vector: PersistentVector.empty<number>(), model: [] as readonly number[] }];
        for (const { from, items } of branches) {
          let version = versions[from % versions.length];
          for (const item of items) {
            if (version === undefined) break;
            version = { vector: version.vector.push(item), model: [...version.model, item] };
            versions.push(version);
          }
        }
        for (const { vector, model } of versions) {
          expect(vector.length).toBe(model.length);
          expect([...vector]).toEqual(model);
          expect(vector.at(-1)).toBe(model.at(-1));
        }
        for (const { vector, model } of versions) expect(vector.toArray()).toEqual(model);
      }),
      { numRuns: draws(100) },
    );
  });
});
