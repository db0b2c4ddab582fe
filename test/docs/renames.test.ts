import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { exportsOfEntries } from './exported-names.ts';

type Row =
  | 'kept'
  | {
      readonly name?: string;
      readonly entry?: string;
      readonly instead?: string;
      readonly internal?: string;
    };

const root = fileURLToPath(new URL('../..', import.meta.url));
const readJson = (path: string): unknown => JSON.parse(readFileSync(`${root}${path}`, 'utf8'));
// The files are of this repository; the tests below look at each row.
const renames = (readJson('scripts/rename-0.2.json') as { names: Record<string, Record<string, Row>> }).names;
const oldExports = readJson('test/fixtures/exports-0.1.0.json') as Record<string, readonly string[]>;
const exported = exportsOfEntries();

describe('the table of renames since 0.1.0', () => {
  it('has a row for every public name of every entry', () => {
    for (const [entry, names] of Object.entries(oldExports)) {
      expect(Object.keys(renames[entry] ?? {}).toSorted(), entry).toEqual(names.toSorted());
    }
    expect(Object.values(oldExports).flat()).toHaveLength(510);
  });

  it('leads to names that exist, and says of no name that still exists that it is gone', () => {
    const wrong = Object.entries(renames).flatMap(([entry, rows]) =>
      Object.entries(rows).flatMap(([name, row]) => {
        const problem = findProblem(entry, name, row);
        return problem === undefined ? [] : [`${entry} ${name}: ${problem}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('lists no name of a version on the way that is still exported, but for those that moved', () => {
    const rows = (readJson('scripts/rename-0.2.json') as { unreleased: Record<string, string> }).unreleased;
    const all = new Set([...exported].flatMap(([entry, names]) => [entry, ...names]));
    const still = Object.entries(rows).filter(
      ([name, now]) => all.has(name) && !now.startsWith(`${name} from `),
    );
    expect(still).toEqual([]);
  });

  it('is what the changelog shows', () => {
    const compared = spawnSync(process.execPath, [`${root}scripts/rename-table.mjs`], { encoding: 'utf8' });
    expect(compared).toMatchObject({ status: 0, stdout: '', stderr: '' });
  });
});

function findProblem(entry: string, name: string, row: Row): string | undefined {
  const has = (where: string, what: string): boolean => exported.get(where)?.has(what) === true;
  if (row === 'kept') return has(entry, name) ? undefined : 'is said to be kept, but is not exported';
  if (row.internal !== undefined)
    return has(entry, name) ? 'is said to be internal, but is exported' : undefined;
  if (row.instead !== undefined) {
    // What is written instead begins with something that can be imported, or with an option.
    const first = /^\w+/.exec(row.instead)?.[0] ?? '';
    if (/^(completion|reducers|items)\b/.test(row.instead))
      return has(entry, name) ? 'is still exported' : undefined;
    return has(entry, first) ? undefined : `${first} is not exported`;
  }
  const target = row.name ?? name;
  const where = row.entry ?? entry;
  if (!has(where, target)) return `${target} is not exported by ${where}`;
  return target === name && where === entry ? 'has a row without a change' : undefined;
}
