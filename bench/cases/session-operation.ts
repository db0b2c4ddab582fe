import { defineEvent, defineSlice, reducers, Session } from 'weakincentives';
import { z } from 'zod';
import { runProgram } from '../harness/program.ts';
import { measureRounds } from './repeat.ts';

const Item = z.object({ id: z.string(), value: z.number() });
const Listed = defineEvent({ name: 'listed', schema: Item });
const Put = defineEvent({ name: 'put', schema: Item });
const key = ({ id }: { readonly id: string }): string => id;
const List = defineSlice({
  name: 'list',
  schema: Item,
  reducers: (on) => [on(Listed, (items, item) => items.append(item))],
});
const Table = defineSlice({
  name: 'table',
  schema: Item,
  key,
  reducers: (on) => [on(Put, reducers.upsertBy(key))],
});

const keyAt = (round: number, items: number): string => `item-${(round * 7919) % items}`;

const operations = {
  append: (session, round) => session.dispatch(Listed, { id: 'new', value: round }),
  upsert: (session, round, items) => session.dispatch(Put, { id: keyAt(round, items), value: round }),
  get: (session, round, items) => {
    if (session.slice(Table).get(keyAt(round, items)) === undefined) throw new Error('A key is lost.');
  },
  fork: (session, round) => {
    const fork = session.fork();
    fork.view.dispatch(Listed, { id: 'new', value: round });
    if (fork.conflicts().length === 0) session.apply(fork.patch());
    fork.dispose();
  },
} satisfies Record<string, (session: Session, round: number, items: number) => void>;

const adds: ReadonlySet<string> = new Set(['append', 'fork']);

/** One operation on a session with two slices of that many items. */
await runProgram<{ readonly operation: keyof typeof operations; readonly items: number }>(
  async ({ operation, items: asked }, plan) => {
    const items = plan.effort === 'tiny' ? 10 : asked;
    const session = new Session();
    const seed = Array.from({ length: items }, (_, index) => ({ id: `item-${index}`, value: index }));
    for (const slice of [List, Table]) {
      session.install(slice);
      session.slice(slice).seed(seed);
    }
    let rounds = 0;
    const report = await measureRounds(plan, {
      rounds: 20_000,
      run: (round) => {
        rounds += 1;
        operations[operation](session, round, items);
      },
    });
    const { length } = session.slice(List);
    if (length !== items + (adds.has(operation) ? rounds : 0)) throw new Error(`There are ${length} items.`);
    if (session.slice(Table).length !== items) throw new Error('The table has grown.');
    return report;
  },
);
