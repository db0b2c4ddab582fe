import fc from 'fast-check';

/** One thing a tool call may do to a session. `x` is a small number, `k` and `to` are keys. */
export type Instruction =
  | {
      readonly do: 'event';
      readonly event: EventName;
      readonly x: number;
      readonly k: string;
      readonly to: string;
    }
  | { readonly do: 'write'; readonly write: WriteName; readonly x: number; readonly k: string }
  | { readonly do: 'read'; readonly read: ReadName; readonly k: string }
  | { readonly do: 'save' }
  | { readonly do: 'restore' }
  | { readonly do: 'nested'; readonly calls: readonly Call[] };

/** A call: what it does, and whether it then succeeds. */
export interface Call {
  readonly program: readonly Instruction[];
  readonly succeeds: boolean;
}

export const eventNames = [
  'add',
  'add-counter',
  'add-key',
  'add-log-length',
  'increase',
  'spend',
  'both',
  'put',
  'refresh',
  'bump',
  'copy',
  'total',
  'drop',
  'note',
  'note-count',
  'note-counter',
  'unheard',
] as const;
export type EventName = (typeof eventNames)[number];

export const writeNames = [
  'append',
  'seed',
  'clear',
  'clear-even',
  'put',
  'clear-table-even',
  'log',
] as const;
export type WriteName = (typeof writeNames)[number];

export const readNames = [
  'list',
  'list-length',
  'list-latest',
  'list-sum',
  'counter',
  'key',
  'table',
  'table-latest',
  'log',
  'log-length',
] as const;
export type ReadName = (typeof readNames)[number];

/** What random batches are made of. */
interface Ingredients {
  readonly events: readonly EventName[];
  readonly reads: readonly ReadName[];
  /** Relative to 10 for events. */
  readonly weights: {
    readonly write: number;
    readonly read: number;
    readonly restore: number;
    readonly nested: number;
  };
}

const number = fc.integer({ min: 0, max: 3 });
const key = fc.constantFrom('a', 'b', 'c');

function instructions(made: Ingredients, depth: number): fc.Arbitrary<Instruction> {
  const { weights } = made;
  const flat: fc.WeightedArbitrary<Instruction>[] = [
    {
      weight: 10,
      arbitrary: fc.record({
        do: fc.constant('event' as const),
        event: fc.constantFrom(...made.events),
        x: number,
        k: key,
        to: key,
      }),
    },
    {
      weight: weights.write,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        write: fc.constantFrom(...writeNames),
        x: number,
        k: key,
      }),
    },
    {
      weight: weights.read,
      arbitrary: fc.record({
        do: fc.constant('read' as const),
        read: fc.constantFrom(...made.reads),
        k: key,
      }),
    },
    { weight: weights.restore, arbitrary: fc.constant<Instruction>({ do: 'save' }) },
    { weight: weights.restore, arbitrary: fc.constant<Instruction>({ do: 'restore' }) },
  ];
  if (depth === 0) return fc.oneof(...flat);
  const calls = fc.array(callsOf(made, depth - 1), { minLength: 1, maxLength: 3 });
  const nested = fc.record({ do: fc.constant('nested' as const), calls });
  return fc.oneof(...flat, { weight: weights.nested, arbitrary: nested });
}

function callsOf(made: Ingredients, depth: number): fc.Arbitrary<Call> {
  return fc.record({
    program: fc.array(instructions(made, depth), { minLength: 1, maxLength: 5 }),
    succeeds: fc.oneof(
      { weight: 2, arbitrary: fc.constant(true) },
      { weight: 1, arbitrary: fc.constant(false) },
    ),
  });
}

/** A call of a batch: how many calls of the batch are finished when it starts, and what the caller does just before it is finished. */
export interface ScheduledCall extends Call {
  readonly startsAfter: number;
  readonly outside: readonly Instruction[];
}

function batchesOf(made: Ingredients): fc.Arbitrary<readonly ScheduledCall[]> {
  const outside = fc.oneof(
    { weight: 3, arbitrary: fc.constant<Instruction[]>([]) },
    { weight: 1, arbitrary: fc.array(instructions(made, 0), { maxLength: 2 }) },
  );
  return fc.array(
    fc.tuple(callsOf(made, 2), fc.nat(3), outside).map(([call, startsAfter, instructionsOutside]) => ({
      ...call,
      startsAfter,
      outside: instructionsOutside,
    })),
    { minLength: 2, maxLength: 4 },
  );
}

/** Everything there is. */
export const batches: fc.Arbitrary<readonly ScheduledCall[]> = batchesOf({
  events: eventNames,
  reads: readNames,
  weights: { write: 3, read: 5, restore: 1, nested: 3 },
});

/** Only events that may be refused and what makes them so, nothing read, many nested calls. */
export const refusingBatches: fc.Arbitrary<readonly ScheduledCall[]> = batchesOf({
  events: ['increase', 'spend', 'put', 'copy', 'drop'],
  reads: ['key'],
  weights: { write: 0, read: 0, restore: 0, nested: 10 },
});

/** Only a keyed slice, whose reducers look at other keys than they write. */
export const keyedBatches: fc.Arbitrary<readonly ScheduledCall[]> = batchesOf({
  events: ['put', 'refresh', 'bump', 'copy', 'total'],
  reads: ['key'],
  weights: { write: 0, read: 5, restore: 0, nested: 1 },
});
