import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { RecordError, readRunRecord } from 'weakincentives/record';

const fixture = new URL('../../fixtures/runs/fix-issue.jsonl', import.meta.url);
/** Values of every kind, and lists and objects that hold what nothing can be made of. */
const others: readonly unknown[] = [null, 1e9, 'x', [], [null], [{}], { type: 'x' }];

describe('a record with one value of another kind', () => {
  const lines = readFileSync(fixture, 'utf8').trim().split('\n');
  // One row of each type, and more of those that have different members.
  const byType = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) {
    const { type } = JSON.parse(line) as { readonly type: string };
    const known = byType.get(type) ?? [];
    if (known.length < (type === 'attempt' || type === 'event' ? 3 : 1)) byType.set(type, [...known, index]);
  }

  it.each([...byType])('in a %s is read or refused with its line', async (_type, indexes) => {
    let refused = 0;
    for (const index of indexes) {
      const row: unknown = JSON.parse(lines[index] ?? '');
      for (const mutated of mutations(row)) {
        try {
          touch(await readRunRecord([...lines.slice(0, index), JSON.stringify(mutated)]));
        } catch (error) {
          if (!RecordError.isInstance(error)) throw new Error(JSON.stringify(mutated), { cause: error });
          refused += 1;
        }
      }
    }
    expect(refused).toBeGreaterThan(0);
  });
});

/** The value with one value in it replaced by another one, or removed. */
function* mutations(value: unknown): Generator {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    for (const other of [...others, undefined]) yield replaced(value, name, other);
    for (const inner of mutations(member)) yield replaced(value, name, inner);
  }
}

function replaced(value: object, name: string, other: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown, at) => (String(at) === name ? other : item));
  return { ...value, [name]: other };
}

/** Reads everything that a record offers. */
function touch(record: Awaited<ReturnType<typeof readRunRecord>>): void {
  const seen = new Set<unknown>();
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return;
    seen.add(value);
    for (const member of Object.values(value)) walk(member);
  };
  walk(record);
  for (const seq of [0, 1, record.commits.length]) {
    walk(record.stateAt(seq));
    for (const file of record.filesAt(seq)) walk([file, record.blameLines(file.path, seq)]);
  }
  walk(record.problems);
}
