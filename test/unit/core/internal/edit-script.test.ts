import { diffArrays } from 'diff/lib/diff/array.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { editScript } from '../../../../src/core/internal/index.ts';

const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', 'd'), { maxLength: 12 });

describe('editScript', () => {
  it('makes one list of the other with as few edits as another implementation', () => {
    fc.assert(
      fc.property(lines, lines, (old, fresh) => {
        const edits = editScript(old, fresh) ?? [];
        const [left, right] = [old.values(), fresh.values()];
        for (const edit of edits) {
          const removed = edit === 'added' ? undefined : left.next().value;
          const added = edit === 'removed' ? undefined : right.next().value;
          if (edit === 'same') expect(removed).toBe(added);
        }
        expect([left.next().done, right.next().done]).toEqual([true, true]);
        const others = diffArrays(old, fresh).filter((part) => part.added || part.removed);
        expect(edits.filter((edit) => edit !== 'same')).toHaveLength(
          others.reduce((sum, { count }) => sum + count, 0),
        );
      }),
    );
  });

  it('puts removals first', () => {
    expect(editScript(['a'], ['b'])).toEqual(['removed', 'added']);
  });

  it('gives up after a number of edits', () => {
    expect(editScript(['a'], ['b'], 1)).toBeUndefined();
    expect(editScript(['a'], ['b'], 2)).toHaveLength(2);
  });
});
