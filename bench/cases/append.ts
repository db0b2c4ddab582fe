import { produce, setAutoFreeze } from 'immer';
import { List as ImmutableList } from 'immutable';
import { defineEvent, defineSlice, Session } from 'weakincentives';
import { z } from 'zod';
import { PersistentVector } from '../../src/core/internal/index.ts';
import { runProgram } from '../harness/program.ts';
import { measureRounds, type Repeated } from './repeat.ts';

interface Item {
  readonly id: string;
  readonly value: number;
}

const ItemSchema = z.object({ id: z.string(), value: z.number() });
const Listed = defineEvent({ name: 'listed', schema: ItemSchema });
const Listing = defineSlice({
  name: 'list',
  schema: ItemSchema,
  reducers: (on) => [on(Listed, (items, item) => items.append(item))],
});

/** Cost of appending to that many items. Each starts from the same length in every sample, but for what its own rounds add. */
const ways = {
  /** Validation, deep freeze, reducer, and notifying subscribers included. */
  event: (items) => {
    const session = new Session();
    session.install(Listing);
    session.slice(Listing).seed(items);
    return {
      rounds: 20_000,
      run: (round) => session.dispatch(Listed, { id: 'new', value: round }),
      length: () => session.slice(Listing).length,
    };
  },
  /** The list that holds the items of a slice. */
  vector: (items) => {
    let list = PersistentVector.from<Item>(items);
    return {
      rounds: 100_000,
      run: (round) => {
        list = list.push({ id: 'new', value: round });
      },
      length: () => list.length,
    };
  },
  'immutable-list': (items) => {
    let list = ImmutableList<Item>(items);
    return {
      rounds: 100_000,
      run: (round) => {
        list = list.push({ id: 'new', value: round });
      },
      length: () => list.size,
    };
  },
  push: (items) => {
    const list = [...items];
    return {
      rounds: 100_000,
      run: (round) => list.push({ id: 'new', value: round }),
      length: () => list.length,
    };
  },
  spread: (items) => {
    let list = items;
    return {
      rounds: 20,
      run: (round) => {
        list = [...list, { id: 'new', value: round }];
      },
      length: () => list.length,
    };
  },
  immer: (items) => {
    let state: { readonly items: readonly Item[] } = { items };
    setAutoFreeze(true);
    return {
      rounds: 10,
      run: (round) => {
        state = produce(state, (draft) => {
          draft.items.push({ id: 'new', value: round });
        });
      },
      length: () => state.items.length,
    };
  },
} satisfies Record<string, (items: readonly Item[]) => Repeated & { readonly length: () => number }>;

await runProgram<{ readonly way: keyof typeof ways; readonly items: number }>(
  async ({ way, items }, plan) => {
    const made = ways[way](
      Array.from({ length: items }, (_, index) => ({ id: `item-${index}`, value: index })),
    );
    let appended = 0;
    const report = await measureRounds(plan, {
      rounds: made.rounds,
      run: (round) => {
        appended += 1;
        made.run(round);
      },
    });
    if (made.length() !== items + appended) throw new Error(`There are ${made.length()} items.`);
    return report;
  },
);
