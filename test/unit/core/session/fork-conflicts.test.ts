import { describe, expect, it } from 'vitest';
import type { Session } from 'weakincentives';
import {
  defineSystemEvent,
  defineSystemSlice,
  type SessionFork,
} from '../../../../src/core/session/index.ts';
import {
  Added,
  Copied,
  Counter,
  Facts,
  Increased,
  Noted,
  Notes,
  newSession,
  Put,
  Sampled,
  Spent,
  Table,
  Trail,
} from './fork-fixtures.ts';

describe('conflicts of a fork', () => {
  const cases: readonly (readonly [
    what: string,
    inFork: (fork: SessionFork) => void,
    outside: (session: Session) => void,
    expected: readonly string[],
  ])[] = [
    ['all()', (f) => f.view.slice(Notes).all(), (s) => s.dispatch(Added, 1), ['slice notes']],
    ['length', (f) => f.view.slice(Notes).length, (s) => s.dispatch(Added, 1), ['slice notes']],
    ['latest()', (f) => f.view.slice(Notes).latest(), (s) => s.dispatch(Added, 1), ['slice notes']],
    ['where()', (f) => f.view.slice(Notes).where(() => true), (s) => s.dispatch(Added, 1), ['slice notes']],
    [
      'clear(predicate)',
      (f) => f.view.slice(Notes).clear(() => true),
      (s) => s.dispatch(Added, 1),
      ['slice notes'],
    ],
    [
      'its own write read back',
      (f) => {
        f.view.dispatch(Increased, 1);
        f.view.slice(Counter).latest();
      },
      (s) => s.dispatch(Increased, 1),
      ['slice counter'],
    ],
    [
      'one key',
      (f) => f.view.slice(Table).get('a'),
      (s) => s.dispatch(Put, { key: 'a', value: 1 }),
      ['key a of slice kv'],
    ],
    ['another key', (f) => f.view.slice(Table).get('b'), (s) => s.dispatch(Put, { key: 'a', value: 1 }), []],
    [
      'a key of the policies',
      (f) => f.privileged.slice(Facts).get('a'),
      (s) => s.slice(Facts).append({ key: 'a', value: 1 }),
      ['key a of slice facts'],
    ],
    ['a log', (f) => f.view.slice(Trail).length, (s) => s.dispatch(Noted, 'x'), ['log tool-invoked']],
    ['a blind append', (f) => f.view.slice(Notes).append(1), (s) => s.dispatch(Added, 1), []],
    ['a blind seed', (f) => f.view.slice(Notes).seed([1]), (s) => s.dispatch(Added, 1), []],
    ['a blind clear', (f) => f.view.slice(Notes).clear(), (s) => s.dispatch(Added, 1), []],
    ['a blind log entry', (f) => f.view.dispatch(Noted, 'a'), (s) => s.dispatch(Noted, 'b'), []],
    ['a snapshot by itself', (f) => void f.view.snapshot(), (s) => s.dispatch(Added, 1), []],
    [
      'a restore',
      (f) => f.view.restore(f.view.snapshot()),
      (s) => s.dispatch(Added, 1),
      ['the slices put back by a restore'],
    ],
    [
      'a restore and policy facts',
      (f) => f.view.restore(f.view.snapshot()),
      (s) => s.slice(Facts).append({ key: 'a', value: 1 }),
      [],
    ],
    [
      'what a reducer looked at',
      (f) => f.view.dispatch(Sampled, null),
      (s) => s.dispatch(Increased, 1),
      ['slice counter (read by a reducer)'],
    ],
    [
      'a refusal',
      (f) => expect(() => f.view.dispatch(Spent, 5)).toThrow(/only 0/),
      (s) => s.dispatch(Increased, 1),
      ['slice counter (made a reducer of spent refuse)'],
    ],
    [
      'a refusal that looked at a key',
      (f) => expect(() => f.view.dispatch(Copied, { from: 'a', to: 'b' })).toThrow(/no a/),
      (s) => s.dispatch(Put, { key: 'a', value: 1 }),
      ['key a of slice kv (made a reducer of copied refuse)'],
    ],
    [
      'a refusal and another key',
      (f) => expect(() => f.view.dispatch(Copied, { from: 'a', to: 'b' })).toThrow(/no a/),
      (s) => s.dispatch(Put, { key: 'b', value: 1 }),
      [],
    ],
  ];

  it.each(cases)('after %s', (_what, inFork, outside, expected) => {
    const session = newSession();
    const fork = session.fork();
    inFork(fork);
    expect(fork.conflicts()).toEqual([]);
    outside(session);
    expect(fork.conflicts()).toEqual(expected);
  });

  it('name the event that its reducers refuse on the present state', () => {
    const session = newSession();
    session.dispatch(Increased, 5);
    const fork = session.fork();
    fork.view.dispatch(Spent, 4);
    session.dispatch(Spent, 3);
    expect(fork.conflicts()).toEqual(['reducer of spent refused on the present state']);
    expect(fork.refusals()).toEqual(['reducer of spent refused on the present state']);
    expect(() => session.apply(fork.patch())).toThrow(expect.objectContaining({ code: 'reducer-failed' }));
    expect(session.slice(Counter).latest()).toBe(2);
  });

  it('can be passed over where only refusals matter', () => {
    const session = newSession();
    const fork = session.fork();
    fork.view.slice(Counter).latest();
    fork.view.dispatch(Increased, 1);
    session.dispatch(Increased, 1);
    expect(fork.conflicts()).toEqual(['slice counter']);
    expect(fork.refusals()).toEqual([]);
    session.apply(fork.patch());
    expect(session.slice(Counter).latest()).toBe(2);
  });

  it('count what own reducers looked at only once a key is read', () => {
    const session = newSession();
    session.dispatch(Put, { key: 'a', value: 1 });
    const blind = session.fork();
    blind.view.dispatch(Copied, { from: 'a', to: 'b' });
    const reading = session.fork();
    reading.view.dispatch(Copied, { from: 'a', to: 'c' });
    expect(reading.view.slice(Table).get('c')).toEqual({ key: 'c', value: 1 });
    session.dispatch(Put, { key: 'a', value: 2 });
    expect(blind.conflicts()).toEqual([]);
    expect(reading.conflicts()).toEqual(['key a of slice kv (read by a reducer)']);
    session.apply(blind.patch());
    expect(session.slice(Table).get('b')).toEqual({ key: 'b', value: 2 });
  });

  it('do not arise from writing what is there already', () => {
    const session = newSession();
    session.slice(Facts).append({ key: 'a', value: 1 });
    const fork = session.fork();
    fork.privileged.slice(Facts).get('a');
    session.slice(Facts).append({ key: 'a', value: 1 });
    expect(fork.conflicts()).toEqual([]);
  });

  it('let upserts of different keys commute', () => {
    const session = newSession();
    const [one, two] = [session.fork(), session.fork()];
    one.view.dispatch(Put, { key: 'a', value: 1 });
    one.view.slice(Table).get('a');
    two.view.dispatch(Put, { key: 'b', value: 2 });
    two.view.slice(Table).get('b');
    session.apply(one.patch());
    expect(two.conflicts()).toEqual([]);
    session.apply(two.patch());
    expect(
      session
        .slice(Table)
        .all()
        .map(({ key }) => key),
    ).toEqual(['a', 'b']);
  });

  it('replay log entries at their place, for reducers that look at them', () => {
    const Counted = defineSystemEvent<null>('counted');
    const Counts = defineSystemSlice<number>({
      name: 'counts',
      reducers: (on) => [on(Counted, (items, _payload, view) => items.append(view.slice(Trail).length))],
    });
    const session = newSession();
    session.install(Counts);
    const fork = session.fork();
    fork.view.dispatch(Noted, 'a');
    fork.view.dispatch(Counted, null);
    fork.view.dispatch(Noted, 'b');
    fork.view.dispatch(Counted, null);
    session.dispatch(Added, 1);
    expect(fork.conflicts()).toEqual([]);
    session.apply(fork.patch());
    expect(session.slice(Counts).all()).toEqual([1, 2]);
  });
});

describe('changes from outside', () => {
  it('that subscribers make during a commit count for the calls still to commit', () => {
    const session = newSession();
    session.dispatcher.subscribe(Noted, () => session.dispatch(Increased, 1));
    const [one, two] = [session.fork(), session.fork()];
    one.view.dispatch(Noted, 'x');
    two.view.slice(Counter).latest();
    session.apply(one.patch());
    expect(two.conflicts()).toEqual(['slice counter']);
  });
});
