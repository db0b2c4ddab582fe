import { defineDerivedSlice, reducers, Session, type SessionView } from 'weakincentives';
import { defineSystemEvent, defineSystemSlice, type SessionFork } from '../../src/core/session/index.ts';
import {
  dumpModel,
  emptyModel,
  runCall as runCallInModel,
  runProgram as runProgramInModel,
} from './session-model.ts';
import type { Call, EventName, Instruction, ReadName, ScheduledCall, WriteName } from './session-program.ts';

interface Payload {
  readonly x: number;
  readonly k: string;
  readonly to: string;
}
interface Row {
  readonly key: string;
  readonly value: number;
}

const event = (name: EventName) => defineSystemEvent<Payload>(name);
const events = {
  add: event('add'),
  'add-counter': event('add-counter'),
  'add-key': event('add-key'),
  'add-log-length': event('add-log-length'),
  increase: event('increase'),
  spend: event('spend'),
  both: event('both'),
  put: event('put'),
  refresh: event('refresh'),
  bump: event('bump'),
  copy: event('copy'),
  total: event('total'),
  drop: event('drop'),
  note: event('note'),
  'note-count': event('note-count'),
  'note-counter': event('note-counter'),
  unheard: event('unheard'),
} satisfies Record<EventName, unknown>;

const Log = defineSystemSlice<string>({
  name: 'log',
  policy: 'log',
  reducers: (on) => [
    on(events.note, (items, { x }) => items.append(`note ${x}`)),
    on(events['note-count'], (items) => items.append(`count ${items.length}`)),
    on(events['note-counter'], (items, _payload, view) =>
      items.append(`counter ${view.slice(Counter).latest()}`),
    ),
  ],
});
const Counter = defineSystemSlice<number>({
  name: 'counter',
  initial: [0],
  reducers: (on) => [
    on(events.increase, (items, { x }) => items.replace([(items.latest() ?? 0) + x])),
    on(events.spend, (items, { x }) => {
      const present = items.latest() ?? 0;
      if (present < x) throw new Error(`only ${present}`);
      return items.replace([present - x]);
    }),
    on(events.both, (items) => items.replace([(items.latest() ?? 0) + 1])),
  ],
});
const Table = defineSystemSlice<Row>({
  name: 'table',
  key: ({ key }) => key,
  reducers: (on) => [
    on(
      events.put,
      reducers.upsertBy(
        (row) => row.key,
        ({ k, x }) => ({ key: k, value: x }),
      ),
    ),
    on(
      events.refresh,
      reducers.keepLatestBy(
        (row) => row.key,
        ({ k, x }) => ({ key: k, value: x }),
      ),
    ),
    on(events.bump, (items, { k }) => items.append({ key: k, value: (items.get(k)?.value ?? 0) + 1 })),
    on(events.copy, (items, { k, to }) => {
      const row = items.get(k);
      if (row === undefined) throw new Error(`no ${k}`);
      return items.append({ key: to, value: row.value });
    }),
    on(events.total, (items, { k }) =>
      items.append({ key: k, value: [...items].reduce((sum, { value }) => sum + value, 0) }),
    ),
    on(events.drop, (items, { k }) => items.remove(k)),
  ],
});
const List = defineSystemSlice<number>({
  name: 'list',
  reducers: (on) => [
    on(events.add, (items, { x }) => items.append(x)),
    on(events['add-counter'], (items, _payload, view) => items.append(view.slice(Counter).latest() ?? 0)),
    on(events['add-key'], (items, { k }, view) => items.append(view.slice(Table).get(k)?.value ?? -1)),
    on(events['add-log-length'], (items, _payload, view) => items.append(view.slice(Log).length)),
    on(events.both, (items, { x }, view) => {
      const present = view.slice(Counter).latest() ?? 0;
      if (present > 4) throw new Error(`too many: ${present}`);
      return items.append(x);
    }),
  ],
});
const Sum = defineDerivedSlice({
  name: 'sum',
  source: List,
  derive: (items) => [items.reduce((sum, item) => sum + item, 0)],
});

function happen(view: SessionView, name: EventName, payload: Payload): string {
  try {
    view.dispatch(events[name], payload);
    return 'done';
  } catch (error) {
    // A refusal; what the reducer said is part of what the call gets to see.
    if (error instanceof Error && error.cause instanceof Error) return error.cause.message;
    throw error;
  }
}

function write(view: SessionView, name: WriteName, x: number, k: string): void {
  switch (name) {
    case 'append':
      return view.slice(List).append(x);
    case 'seed':
      return view.slice(List).seed([x]);
    case 'clear':
      return view.slice(List).clear();
    case 'clear-even':
      return view.slice(List).clear((item) => item % 2 === 0);
    case 'put':
      return view.slice(Table).append({ key: k, value: x });
    case 'clear-table-even':
      return view.slice(Table).clear(({ value }) => value % 2 === 0);
    case 'log':
      return view.slice(Log).append(`direct ${x}`);
  }
}

const entry = (row: Row | undefined): unknown => (row === undefined ? undefined : [row.key, row.value]);

function read(view: SessionView, name: ReadName, k: string): string {
  switch (name) {
    case 'list':
      return JSON.stringify(view.slice(List).all());
    case 'list-length':
      return String(view.slice(List).length);
    case 'list-latest':
      return String(view.slice(List).latest());
    case 'list-sum':
      return String(view.slice(Sum).latest());
    case 'counter':
      return String(view.slice(Counter).latest());
    case 'key':
      return String(view.slice(Table).get(k)?.value);
    case 'table':
      return JSON.stringify(view.slice(Table).all().map(entry));
    case 'table-latest':
      return JSON.stringify(entry(view.slice(Table).latest()));
    case 'log':
      return JSON.stringify(view.slice(Log).where(() => true));
    case 'log-length':
      return String(view.slice(Log).length);
  }
}

/** Does what the program says; `fork` is undefined on a root session, where programs hold no nested calls. */
function runProgram(
  view: SessionView,
  fork: SessionFork | undefined,
  program: readonly Instruction[],
): string[] {
  let saved = view.snapshot();
  const seen: string[] = [];
  for (const step of program) {
    switch (step.do) {
      case 'event':
        seen.push(happen(view, step.event, { x: step.x, k: step.k, to: step.to }));
        break;
      case 'write':
        write(view, step.write, step.x, step.k);
        break;
      case 'read':
        seen.push(read(view, step.read, step.k));
        break;
      case 'save':
        saved = view.snapshot();
        break;
      case 'restore':
        view.restore(saved);
        break;
      case 'nested':
        if (fork !== undefined) seen.push(...runTogether(fork, step.calls));
        break;
    }
  }
  return seen;
}

interface Attempt {
  readonly fork: SessionFork;
  readonly seen: string[];
}

interface Parent {
  fork(): SessionFork;
  apply(patch: ReturnType<SessionFork['patch']>): void;
}

function attempt(parent: Parent, call: Call): Attempt {
  const fork = parent.fork();
  return { fork, seen: runProgram(fork.view, fork, call.program) };
}

/** Ends an attempt: as it is when it still holds, else after running the call again. Returns what the call saw. */
function finish(parent: Parent, call: Call, first: Attempt, statistics: Statistics): string[] {
  let { fork, seen } = first;
  if (fork.conflicts().length > 0) {
    statistics.reruns += 1;
    fork.dispose();
    ({ fork, seen } = attempt(parent, call));
    // Nothing came in between.
    if (fork.conflicts().length > 0) throw new Error(`conflict with nobody: ${fork.conflicts().join(', ')}`);
  } else statistics.kept += 1;
  parent.apply(call.succeeds ? fork.patch() : fork.discardedPatch());
  fork.dispose();
  return seen;
}

/** Calls that all start at once and end in order. */
function runTogether(parent: Parent, calls: readonly Call[]): string[] {
  const attempts = calls.map((call) => attempt(parent, call));
  return calls.flatMap((call, index) => {
    const first = attempts[index];
    return first === undefined ? [] : finish(parent, call, first, { reruns: 0, kept: 0 });
  });
}

/** Everything a session of {@link newProgramSession} holds, as text. */
export function dumpSession(session: Session): string {
  return JSON.stringify([
    session.slice(List).all(),
    session.slice(Counter).latest(),
    session.slice(Table).all().map(entry),
    session.slice(Log).all(),
  ]);
}

/** A session on which programs can run. */
export function newProgramSession(): Session {
  const session = new Session({ id: 'session' });
  for (const slice of [List, Counter, Table, Log, Sum]) session.install(slice);
  return session;
}

/** Runs calls on a session as if they had been issued in one turn; returns what they saw. */
export function runTurn(session: Session, calls: readonly Call[]): readonly string[] {
  return runTogether(session, calls);
}

/** How many calls of a batch had to run again, and how many were kept as they had run. */
export interface Statistics {
  reruns: number;
  kept: number;
}

/**
 * Runs a batch in parallel on a session, and one by one on the model.
 * @returns what differed, or undefined when nothing did.
 */
export function differenceInBatch(
  batch: readonly ScheduledCall[],
  statistics: Statistics,
): string | undefined {
  const session = newProgramSession();
  const model = emptyModel();
  const attempts = new Map<ScheduledCall, Attempt>();
  for (const [finished, call] of batch.entries()) {
    for (const [index, other] of batch.entries()) {
      if (index >= finished && other.startsAfter <= finished && !attempts.has(other)) {
        attempts.set(other, attempt(session, other));
      }
    }
    const first = attempts.get(call) ?? attempt(session, call);
    const outsideSeen = runProgram(session, undefined, call.outside);
    const outsideExpected = runProgramInModel(model, call.outside);
    const seen = finish(session, call, first, statistics);
    const expected = runCallInModel(model, call);
    const what = `call ${finished}`;
    if (outsideSeen.join() !== outsideExpected.join())
      return `${what}: outside saw ${outsideSeen.join()}, not ${outsideExpected.join()}`;
    if (seen.join() !== expected.join()) return `${what} saw ${seen.join()}, not ${expected.join()}`;
    if (dumpSession(session) !== dumpModel(model))
      return `after ${what} there is ${dumpSession(session)}, not ${dumpModel(model)}`;
  }
  return undefined;
}
