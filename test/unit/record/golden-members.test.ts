import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { optionalMembers, presentMembers } from '../../support/row-members.ts';

const folder = new URL('../../fixtures/golden/', import.meta.url);
const golden = readdirSync(folder).flatMap((name) =>
  readFileSync(new URL(name, folder), 'utf8')
    .trimEnd()
    .split('\n')
    // A line of a journal begins with the number and the type of its row.
    .map((line): Record<string, unknown> => JSON.parse(line.replace(/^\d+ [a-z]+ /, ''))),
);

const shapes = readFileSync(new URL('../../../src/record/format/row-shapes.ts', import.meta.url), 'utf8');

/** Optional members that no golden row has, by reason. */
const unseen: Readonly<Record<string, readonly string[]>> = {
  'a call is written before feedback is asked for; the row `delivered` has it': ['result.feedback'],
};

it('the golden rows have every optional member that a row can have', () => {
  const optional = optionalMembers();
  // Each is written once: none is overlooked.
  expect(optional.size).toBe(shapes.match(/'\w+\?'/g)?.length);
  const present = new Set(golden.flatMap((row) => [...presentMembers(row)]));
  expect([...optional].filter((member) => !present.has(member))).toEqual(Object.values(unseen).flat());
});
