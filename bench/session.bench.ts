/**
 * What sessions cost as they grow: each operation on slices of a few items and of a million, CPU time per operation and
 * the ratio of the two, which should stay near 1 (the trees are a few levels deeper, and caches miss more often). The last part shows
 * what is linear: JSON, per item. `npm run bench -- session [ITEMS]`, default 1,000,000.
 */
import {
  append,
  appendAll,
  defineEvent,
  defineSlice,
  keepLatestBy,
  on,
  remove,
  Session,
  type SessionSnapshot,
  upsertBy,
} from 'weakincentives';
import { z } from 'zod';

const many = Number(process.argv[2] ?? 1_000_000);
const few = 10;
const operations = 20_000;
const rounds = 7;

const Item = z.object({ id: z.string(), value: z.number() });
const event = (name: string) => defineEvent(name, Item);
const Listed = event('listed');
const Logged = event('logged');
const Put = event('put');
const Refreshed = event('refreshed');
const Replaced = event('replaced');
const key = ({ id }: { readonly id: string }): string => id;
const List = defineSlice('list', Item, { reducers: [on(Listed, appendAll())] });
const Log = defineSlice('log', Item, { policy: 'log', retain: 500, reducers: [on(Logged, appendAll())] });
const Table = defineSlice('table', Item, {
  key,
  reducers: [
    on(Put, upsertBy(key)),
    on(Refreshed, keepLatestBy(key)),
    on(Replaced, (items, { id, value }) => {
      if (items.get(id) === undefined) return append({ id, value });
      return value > 0 ? append({ id, value }) : remove(id);
    }),
  ],
});

function sessionOf(count: number): Session {
  const session = new Session();
  for (const slice of [List, Log, Table]) session.install(slice);
  const items = Array.from({ length: count }, (_, index) => ({ id: `item-${index}`, value: index }));
  session.slice(List).seed(items);
  session.slice(Table).seed(items);
  for (let index = 0; index < Math.min(count, 2_000); index += 1)
    session.dispatch(Logged, { id: 'x', value: index });
  return session;
}

const cases: Readonly<Record<string, (session: Session, step: number, count: number) => void>> = {
  'event that appends': (session, step) => session.dispatch(Listed, { id: 'new', value: step }),
  'direct append': (session, step) => session.slice(List).append({ id: 'new', value: step }),
  'event into a LOG that retains 500': (session, step) =>
    session.dispatch(Logged, { id: 'new', value: step }),
  'keyed: upsert of a known key': (session, step, count) =>
    session.dispatch(Put, { id: `item-${(step * 7919) % count}`, value: step }),
  'keyed: upsert of a new key': (session, step) => session.dispatch(Put, { id: `new-${step}`, value: step }),
  'keyed: keep latest by key': (session, step, count) =>
    session.dispatch(Refreshed, { id: `item-${(step * 7919) % count}`, value: step }),
  'keyed: read, then write a key': (session, step, count) =>
    session.dispatch(Replaced, { id: `item-${(step * 7919) % count}`, value: step % 4 }),
  'keyed: get': (session, step, count) => {
    session.slice(Table).get(`item-${(step * 7919) % count}`);
  },
  'length and latest': (session) => {
    const list = session.slice(List);
    if (list.length > 0) list.latest();
  },
  'snapshot and restore': (session) => session.restore(session.snapshot()),
  'snapshot, append, restore': (session, step) => {
    const before = session.snapshot();
    session.slice(List).append({ id: 'new', value: step });
    session.restore(before);
  },
  'fork, event, commit': (session, step) => {
    const fork = session.fork();
    fork.view.dispatch(Listed, { id: 'new', value: step });
    if (fork.conflicts().length === 0) session.apply(fork.patch());
    fork.close();
  },
};

function cpuMicroseconds(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

function row(...cells: readonly (string | number)[]): void {
  const texts = cells.map((cell) => (typeof cell === 'number' ? cell.toFixed(2) : cell));
  console.log(texts.map((text, index) => (index === 0 ? text.padEnd(36) : text.padStart(14))).join(''));
}

const sizes = [few, many];
const sessions = sizes.map((count) => ({ count, session: sessionOf(count) }));
row('µs per operation', `${few} items`, `${many} items`, 'ratio');
for (const [name, operate] of Object.entries(cases)) {
  const times: number[][] = sessions.map(() => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, { count, session }] of sessions.entries()) {
      const start: SessionSnapshot = session.snapshot();
      const spent = cpuMicroseconds(() => {
        for (let step = 0; step < operations; step += 1) operate(session, step, count);
      });
      session.restore(start);
      // The first round warms up.
      if (round > 0) times[index]?.push(spent / operations);
    }
  }
  const [small = Number.NaN, large = Number.NaN] = times.map(median);
  row(name, small, large, large / small);
}

console.log('\nlinear: µs per item');
row('', `${Math.min(many, 1_000)} items`, `${Math.min(many, 100_000)} items`);
const linear: Readonly<Record<string, (session: Session) => void>> = {
  export: (session) => void session.exportState(),
  'export, as text': (session) => void JSON.stringify(session.exportState()),
  'through text and back': (session) => {
    session.importState(JSON.parse(JSON.stringify(session.exportState())));
  },
};
for (const [name, operate] of Object.entries(linear)) {
  row(
    name,
    ...[1_000, 100_000].map((count) => {
      const items = Math.min(many, count);
      const session = sessionOf(items);
      operate(session);
      const repeats = Math.max(1, Math.floor(100_000 / items));
      const spent = cpuMicroseconds(() => {
        for (let repeat = 0; repeat < repeats; repeat += 1) {
          // What has not changed since the last export is not validated again.
          session.dispatch(Listed, { id: 'new', value: repeat });
          session.dispatch(Put, { id: 'item-0', value: -repeat });
          operate(session);
        }
      });
      return spent / repeats / (2 * items);
    }),
  );
}
