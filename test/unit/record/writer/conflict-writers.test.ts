import { describe, expect, it } from 'vitest';
import type { CallCommit } from 'weakincentives';
import type { ReadConflict } from '../../../../src/core/runtime/index.ts';
import { ConflictWriters } from '../../../../src/record/writer/attempt-rows.ts';

// Of a commit only these members are looked at.
const commit = (
  seq: number | undefined,
  done: Partial<Pick<CallCommit, 'files' | 'writes' | 'log'>>,
): CallCommit => ({ seq, files: [], writes: [], log: [], ...done }) as unknown as CallCommit;
const read = (given: object): ReadConflict => ({ what: 'it', read: given }) as unknown as ReadConflict;
const changed = (path: string, from?: string) => ({
  files: [
    { path, kind: 'modified' as const, entry: 'file' as const, ...(from === undefined ? {} : { from }) },
  ],
});

describe('who changed what an attempt had read', () => {
  it.each([
    [{ kind: 'file', path: 'a/b.md' }, [1]],
    [{ kind: 'kind', path: 'a' }, [1]],
    [{ kind: 'file', path: 'a/b.md/c' }, [1]],
    [{ kind: 'file', path: 'a/b' }, []],
    [{ kind: 'listing', path: 'a' }, [1]],
    [{ kind: 'listing', path: '.' }, [1, 2]],
    [{ kind: 'listing', path: 'a/b.md/c' }, []],
    [{ kind: 'grep', path: 'old' }, [2]],
    [{ kind: 'quota' }, [1, 2]],
    [{ kind: 'slice', slice: 'notes' }, [3, 4, 5]],
    [{ kind: 'log', slice: 'trail' }, [3]],
    [{ kind: 'key', slice: 'notes', key: 'a' }, [3, 5]],
    [{ kind: 'key', slice: 'notes', key: 'b' }, [4, 5]],
    [{ kind: 'key', slice: 'others', key: 'a' }, []],
    [{ kind: 'restore' }, [3, 4, 5]],
  ])('names the commits: %j', (what, seqs) => {
    const writers = new ConflictWriters();
    writers.add(commit(1, changed('a/b.md')));
    writers.add(commit(2, changed('new/c.md', 'old/c.md')));
    writers.add(
      commit(3, {
        writes: [{ slice: 'notes', op: 'put', key: 'a', item: 1 }],
        log: [{ slice: 'trail', items: [1] }],
      }),
    );
    writers.add(commit(4, { writes: [{ slice: 'notes', op: 'remove', keys: ['b'] }] }));
    writers.add(commit(5, { writes: [{ slice: 'notes', op: 'clear' }] }));
    expect(writers.of(read(what), 0)).toEqual(seqs);
    expect(writers.of(read(what), 5)).toEqual([]);
  });

  it('does not look at what was there before the attempt, nor at calls inside others', () => {
    const writers = new ConflictWriters();
    writers.add(commit(1, changed('a')));
    writers.add(commit(undefined, changed('a')));
    writers.add(commit(2, changed('a')));
    expect(writers.of(read({ kind: 'file', path: 'a' }), 1)).toEqual([2]);
    expect(writers.of({ what: 'it' }, 0)).toEqual([]);
  });

  it('forgets what was committed 512 commits ago', () => {
    const writers = new ConflictWriters();
    for (let seq = 1; seq <= 513; seq += 1) writers.add(commit(seq, changed('a')));
    expect(writers.of(read({ kind: 'file', path: 'a' }), 0)).toEqual(
      Array.from({ length: 512 }, (_, at) => at + 2),
    );
  });
});
