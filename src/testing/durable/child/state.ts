import { integer, recordSchema, text as string } from '../../../core/schema/index.ts';
import {
  defineEvent,
  defineSlice,
  type EventDefinition,
  type ReadonlySessionView,
  reducers,
  type Slice,
} from '../../../core/session/index.ts';

interface CountedItem {
  readonly count: number;
  readonly by: string;
}
type Counting = EventDefinition<CountedItem, CountedItem>;
interface SaidItem {
  readonly text: string;
}
const counting = recordSchema({ count: integer, by: string });
const saying = recordSchema({ text: string });

/** A call has counted. */
export const Counted: Counting = defineEvent({ name: 'matrix.counted', schema: counting });
/** Something was said. */
export const Said: EventDefinition<SaidItem, SaidItem> = defineEvent({ name: 'matrix.said', schema: saying });
/** A subscriber has received a count. */
export const Received: Counting = defineEvent({ name: 'matrix.received', schema: counting });

/** The last count alone. */
export const Count: Slice<CountedItem> = defineSlice({
  name: 'matrix.count',
  schema: counting,
  reducers: (on) => [on(Counted, (items, counted) => items.replace([counted]))],
});
/** All counts. */
export const Counts: Slice<CountedItem> = defineSlice({
  name: 'matrix.counts',
  schema: counting,
  reducers: (on) => [on(Counted, reducers.append())],
});
/** What the subscriber wrote, one item for each call: it may receive a commit again. */
export const Hearings: Slice<CountedItem> = defineSlice({
  name: 'matrix.hearings',
  schema: counting,
  key: ({ by, count }) => `${by} ${count}`,
  reducers: (on) => [on(Received, (items, received) => items.append(received))],
});
/** What was said, also by calls that failed. */
export const Sayings: Slice<SaidItem> = defineSlice({
  name: 'matrix.sayings',
  schema: saying,
  policy: 'log',
  reducers: (on) => [on(Said, reducers.append())],
});

/** The last count, 0 at the start. */
export function lastCount(session: ReadonlySessionView): number {
  return session.slice(Count).latest()?.count ?? 0;
}
