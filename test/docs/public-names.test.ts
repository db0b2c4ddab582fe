import { describe, expect, it } from 'vitest';
import { exportsOfEntries } from './exported-names.ts';

/** How many names the package exports. Who adds or removes one changes the number, and says which in the change. */
const publicNames = 733;
/** How many it may. */
const maxPublicNames = 733;
/** Pairs that differ by their last letter only: a slice and its item. */
const sliceAndItem: ReadonlySet<string> = new Set(['VisibilityOverrides']);

const names = [...exportsOfEntries().values()].flatMap((exported) => [...exported]);

describe('the public names', () => {
  it('are as many as are written down here', () => {
    expect(names).toHaveLength(publicNames);
    expect(publicNames).toBeLessThanOrEqual(maxPublicNames);
  });

  it('are each exported once', () => {
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('differ by more than a final s', () => {
    const all = new Set(names);
    const close = names.filter((name) => name.endsWith('s') && all.has(name.slice(0, -1)));
    expect(close.filter((name) => !sliceAndItem.has(name))).toEqual([]);
  });
});
