import { describe, expect, it } from 'vitest';
import { defineEvent, defineSlice, reducers, Session } from 'weakincentives';
import { z } from 'zod';

/** A schema that counts how often it is asked, and slices of `size` items that use it. */
function countingSession(size: number) {
  let validated = 0;
  let keyed = 0;
  const Row = z.object({ id: z.string() }).refine(() => {
    validated += 1;
    return true;
  });
  const key = ({ id }: { readonly id: string }): string => {
    keyed += 1;
    return id;
  };
  const Added = defineEvent({ name: 'added', schema: Row });
  const Put = defineEvent({ name: 'put', schema: Row });
  const List = defineSlice({ name: 'list', schema: Row, reducers: (on) => [on(Added, reducers.append())] });
  const Trail = defineSlice({ name: 'trail', schema: Row, policy: 'log', retain: 5 });
  const Table = defineSlice({
    name: 'table',
    schema: Row,
    key,
    reducers: (on) => [on(Put, reducers.upsertBy(key))],
  });
  const session = new Session();
  for (const slice of [List, Table, Trail]) session.install(slice);
  const items = Array.from({ length: size }, (_, index) => ({ id: `item-${index}` }));
  session.slice(List).seed(items);
  session.slice(Table).seed(items);
  const work = (act: () => void): readonly number[] => {
    [validated, keyed] = [0, 0];
    act();
    return [validated, keyed];
  };
  return { session, Added, Put, List, Table, Trail, work };
}

describe('what a change looks at', () => {
  it.each([0, 3_000])('is the same whether a slice holds nothing or %i items', (size) => {
    const { session, Added, Put, List, Trail, work } = countingSession(size);
    expect(work(() => session.dispatch(Added, { id: 'x' }))).toEqual([1, 0]);
    expect(work(() => session.slice(List).append({ id: 'x' }))).toEqual([1, 0]);
    expect(work(() => session.slice(Trail).append({ id: 'x' }))).toEqual([1, 0]);
    // The helper asks its own key and that of the slice, then the slice takes the item in.
    expect(work(() => session.dispatch(Put, { id: 'item-7' }))).toEqual([1, 3]);
    expect(work(() => session.restore(session.snapshot()))).toEqual([0, 0]);
    const fork = session.fork();
    expect(work(() => fork.view.dispatch(Added, { id: 'y' }))).toEqual([1, 0]);
    expect(
      work(() => {
        expect(fork.conflicts()).toEqual([]);
        session.apply(fork.patch());
      }),
    ).toEqual([0, 0]);
    expect(session.slice(List).length).toBe(size + 3);
  });

  it('is what changed since the last export', () => {
    const { session, Added, List, Table, work } = countingSession(100);
    expect(work(() => session.exportState())[0]).toBe(200);
    expect(work(() => session.exportState())[0]).toBe(0);
    session.dispatch(Added, { id: 'x' });
    expect(work(() => session.exportState())[0]).toBe(session.slice(List).length);
    expect(session.slice(Table).length).toBe(100);
  });

  it('does not grow with the snapshots that are kept', () => {
    const { session, Added, List, work } = countingSession(1_000);
    const kept = Array.from({ length: 200 }, (_, index) => {
      session.dispatch(Added, { id: String(index) });
      return session.snapshot();
    });
    expect(work(() => session.dispatch(Added, { id: 'x' }))).toEqual([1, 0]);
    for (const [index, snapshot] of kept.entries()) {
      session.restore(snapshot);
      expect(session.slice(List).length).toBe(1_001 + index);
    }
  });
});
