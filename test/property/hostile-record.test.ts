import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RecordError, type RunRecord, readRunRecord, runRecorder } from 'weakincentives/record';
import { draws, seenAtLeast } from '../support/draws.ts';
import { randomRuns, runRandomly } from '../support/random-runs.ts';

/** What takes the place of a value, or is put beside it. */
const hostile = fc.constantFrom<unknown>(
  null,
  [],
  {},
  [null],
  [[]],
  [{}],
  '',
  'push',
  '__proto__',
  'x\ud800',
  true,
  0,
  -1,
  0.5,
  1e300,
  4_000_000_000,
  { $ref: 'none' },
  { $$ref: 7 },
  { length: 1e9 },
);
const names = fc.constantFrom('__proto__', 'constructor', 'run', 'type', 'seq', 'writes', 'toString');

interface Change {
  /** Which of the rows, and which of the values in it. */
  readonly row: number;
  readonly place: number;
  readonly how: 'replace' | 'remove' | 'name' | 'drop-row' | 'repeat-row' | 'swap-rows';
  readonly value: unknown;
  readonly name: string;
}

const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    row: fc.nat(),
    place: fc.nat(),
    how: fc.constantFrom<Change['how']>(
      ...(['replace', 'replace', 'replace', 'replace', 'remove', 'name'] as const),
      ...(['drop-row', 'repeat-row', 'swap-rows'] as const),
    ),
    value: hostile,
    name: names,
  }),
  { minLength: 1, maxLength: 3 },
);

type Parent = Record<string, unknown> | unknown[];

/** Every place in a value: what it is in, and its name there. */
function placesIn(value: unknown, found: (readonly [Parent, string | number])[] = []): typeof found {
  if (typeof value !== 'object' || value === null) return found;
  // It is what JSON.parse made.
  const parent = value as Parent;
  for (const [key, item] of Object.entries(parent)) {
    found.push([parent, Array.isArray(parent) ? Number(key) : key]);
    placesIn(item, found);
  }
  return found;
}

function changed(lines: readonly string[], { row, place, how, value, name }: Change): string[] {
  const at = row % lines.length;
  const line = lines[at] ?? '';
  if (how === 'drop-row') return lines.toSpliced(at, 1);
  if (how === 'repeat-row') return lines.toSpliced(at, 0, line);
  if (how === 'swap-rows') return lines.toSpliced(at, 2, ...lines.slice(at, at + 2).reverse());
  const parsed: unknown = JSON.parse(line);
  const places = placesIn(parsed);
  const [parent, key] = places[place % places.length] ?? [[], 0];
  if (how === 'remove' && !Array.isArray(parent)) delete parent[key];
  else {
    const named = how === 'name' && !Array.isArray(parent) ? name : key;
    Object.defineProperty(parent, named, { value, enumerable: true, configurable: true, writable: true });
  }
  return lines.toSpliced(at, 1, JSON.stringify(parsed));
}

/** Everything that a reader of a record works out when it is asked for it. */
function workOut(record: RunRecord): void {
  for (let seq = record.commits.length; seq >= 0; seq -= 1) {
    record.stateAt(seq);
    for (const { path } of record.filesAt(seq)) record.blameLines(path, seq);
  }
  for (const { request } of record.turns) JSON.stringify(request?.conversation);
  for (const { id } of record.calls) record.call(id);
}

describe('a record that was changed', () => {
  it('is read, or refused with the number of a line, and pollutes nothing', async () => {
    let read = 0;
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(randomRuns, fc.array(changes, { minLength: 20, maxLength: 20 }), async (run, each) => {
        const lines: string[] = [];
        await runRandomly(run, { observers: [runRecorder({ write: (line) => void lines.push(line) })] });
        for (const some of each) {
          const broken = some.reduce<string[]>(changed, [...lines]);
          let record: RunRecord;
          try {
            record = await readRunRecord(broken);
          } catch (error) {
            if (!RecordError.isInstance(error)) throw error;
            refused += 1;
            continue;
          }
          workOut(record);
          read += 1;
        }
        expect(Object.keys(Object.prototype)).toEqual([]);
      }),
      { numRuns: draws(40) },
    );
    expect(read).toBeGreaterThan(seenAtLeast(100));
    expect(refused).toBeGreaterThan(seenAtLeast(100));
  });
});
