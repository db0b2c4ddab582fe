import { expect } from 'vitest';
import { type EventDefinition, Session, type Slice } from 'weakincentives';
import { defineSystemEvent, defineSystemSlice } from '../../../../src/core/session/index.ts';

export interface Row {
  readonly key: string;
  readonly value: number;
}

export const Added: EventDefinition<number, number> = defineSystemEvent<number>('added');
export const Increased: EventDefinition<number, number> = defineSystemEvent<number>('increased');
export const Spent: EventDefinition<number, number> = defineSystemEvent<number>('spent');
export const Put: EventDefinition<Row, Row> = defineSystemEvent<Row>('put');
export const Copied: EventDefinition<{ from: string; to: string }, { from: string; to: string }> =
  defineSystemEvent<{ from: string; to: string }>('copied');
export const Sampled: EventDefinition<null, null> = defineSystemEvent<null>('sampled');
export const Noted: EventDefinition<string, string> = defineSystemEvent<string>('noted');

/** Counts how often the reducer of `added` ran. */
export const reducerRuns = { count: 0 };
export const Notes: Slice<number> = defineSystemSlice<number>({
  name: 'notes',
  reducers: (on) => [
    on(Added, (items, item) => {
      reducerRuns.count += 1;
      return items.append(item);
    }),
    on(Sampled, (items, _payload, view) => items.append(view.slice(Counter).latest() ?? 0)),
  ],
});
export const Counter: Slice<number> = defineSystemSlice<number>({
  name: 'counter',
  initial: [0],
  reducers: (on) => [
    on(Increased, (items, by) => items.replace([(items.latest() ?? 0) + by])),
    on(Spent, (items, by) => {
      const present = items.latest() ?? 0;
      if (present < by) throw new Error(`only ${present}`);
      return items.replace([present - by]);
    }),
  ],
});
export const Table: Slice<Row> = defineSystemSlice<Row>({
  name: 'kv',
  key: ({ key }) => key,
  reducers: (on) => [
    on(Put, (items, row) => items.append(row)),
    on(Copied, (items, { from, to }) => {
      const row = items.get(from);
      if (row === undefined) throw new Error(`no ${from}`);
      return items.append({ key: to, value: row.value });
    }),
  ],
});
export const Trail: Slice<string> = defineSystemSlice<string>({
  name: 'tool-invoked',
  policy: 'log',
  reducers: (on) => [on(Noted, (items, text) => items.append(text))],
});
export const Facts: Slice<Row> = defineSystemSlice<Row>({
  name: 'facts',
  key: ({ key }) => key,
  systemState: true,
});

export function newSession(): Session {
  const session = new Session({ id: 'root' });
  for (const slice of [Notes, Counter, Table, Trail, Facts]) session.install(slice);
  return session;
}

export const closed: unknown = expect.objectContaining({ code: 'transaction-closed' });
