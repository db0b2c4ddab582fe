import { defineEvent, defineSlice, Session } from 'weakincentives';
import { z } from 'zod';
import { runProgram } from '../harness/program.ts';
import { measureRounds } from './repeat.ts';

const Item = z.object({ id: z.string(), value: z.number() });
const Listed = defineEvent({ name: 'listed', schema: Item });
const List = defineSlice({
  name: 'list',
  schema: Item,
  reducers: (on) => [on(Listed, (items, item) => items.append(item))],
});

const itemsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `item-${index}`, value: index }));

/** Takes a snapshot of that many items and restores it, after a change that is not measured. */
await runProgram<{ readonly by: 'session' | 'structuredClone'; readonly items: number }>(
  async ({ by, items }, plan) => {
    if (by === 'structuredClone') {
      let state = itemsOf(items);
      // Keeping a copy takes one clone, restoring without losing it takes another.
      return measureRounds(plan, {
        rounds: Math.max(1, Math.floor(20_000 / items)),
        run: () => {
          const kept = structuredClone(state);
          state = structuredClone(kept);
        },
        check: () => assertLength(state.length, items),
      });
    }
    const session = new Session();
    session.install(List);
    session.slice(List).seed(itemsOf(items));
    const before = session.snapshot();
    session.dispatch(Listed, { id: 'new', value: 0 });
    const after = session.snapshot();
    assertLength(session.slice(List).length, items + 1);
    const report = await measureRounds(plan, {
      rounds: 200_000,
      run: (round) => {
        session.snapshot();
        session.restore(round % 2 === 0 ? before : after);
      },
    });
    session.restore(before);
    assertLength(session.slice(List).length, items);
    return report;
  },
);

function assertLength(length: number, expected: number): void {
  if (length !== expected) throw new Error(`There are ${length} items, not ${expected}.`);
}
