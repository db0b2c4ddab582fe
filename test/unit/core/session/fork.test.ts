import { describe, expect, it } from 'vitest';
import { Session } from 'weakincentives';
import {
  type DispatchedEvent,
  defineSystemEvent,
  defineSystemSlice,
  isEmptyPatch,
  type SessionPatch,
} from '../../../../src/core/session/index.ts';
import {
  Added,
  Counter,
  closed,
  Facts,
  Increased,
  Noted,
  Notes,
  newSession,
  reducerRuns,
  Sampled,
  Spent,
  Table,
  Trail,
} from './fork-fixtures.ts';

describe('a fork', () => {
  it('reads through, writes privately, and lands by its patch', () => {
    const session = newSession();
    session.dispatch(Added, 1);
    const fork = session.fork();
    fork.view.dispatch(Added, 2);
    fork.view.slice(Table).append({ key: 'a', value: 1 });
    fork.view.slice(Trail).append('in fork');
    expect(fork.view.slice(Notes).all()).toEqual([1, 2]);
    expect(session.slice(Notes).all()).toEqual([1]);
    expect(session.slice(Trail).all()).toEqual([]);
    expect(fork.conflicts()).toEqual([]);
    session.apply(fork.patch());
    expect(session.slice(Notes).all()).toEqual([1, 2]);
    expect(session.slice(Table).get('a')).toEqual({ key: 'a', value: 1 });
    expect(session.slice(Trail).all()).toEqual(['in fork']);
  });

  it('leaves only what was logged when it is rolled back', () => {
    const session = newSession();
    const heard: string[] = [];
    session.dispatcher.subscribeAll((_payload, { eventName }) => heard.push(eventName));
    const fork = session.fork();
    fork.view.dispatch(Added, 2);
    fork.view.dispatch(Noted, 'tried');
    fork.view.dispatcher.dispatch(Added, 3);
    session.apply(fork.discardedPatch());
    expect(session.slice(Notes).all()).toEqual([]);
    expect(session.slice(Trail).all()).toEqual(['tried']);
    expect(heard).toEqual(['noted']);
  });

  it('lands on newer state by running its events again', () => {
    const session = newSession();
    const forks = [session.fork(), session.fork(), session.fork()];
    forks.forEach((fork, index) => fork.view.dispatch(Increased, index + 1));
    for (const fork of forks) {
      expect(fork.conflicts()).toEqual([]);
      session.apply(fork.patch());
    }
    expect(session.slice(Counter).latest()).toBe(6);
  });

  it('holds its subscribers back until it is applied, then tells them in order', () => {
    const session = newSession();
    const heard: unknown[] = [];
    session.dispatcher.subscribeAll((payload, { eventName, sessionId }) =>
      heard.push([eventName, payload, sessionId]),
    );
    const fork = session.fork();
    fork.view.dispatch(Noted, 'a');
    fork.view.dispatcher.dispatch(Increased, 9);
    fork.view.dispatch(Added, 1);
    expect(heard).toEqual([]);
    session.apply(fork.patch());
    expect(heard).toEqual([
      ['noted', 'a', 'root'],
      ['increased', 9, 'root'],
      ['added', 1, 'root'],
    ]);
    expect(session.slice(Counter).latest()).toBe(0);
  });

  it('gives a patch that survives JSON and lands on another session', () => {
    const session = newSession();
    const fork = session.fork();
    fork.view.slice(Trail).append('x');
    fork.view.dispatch(Added, 1);
    fork.view.slice(Notes).append(2);
    fork.view.slice(Table).seed([{ key: 'a', value: 1 }]);
    // What a journal keeps is text.
    const patch = JSON.parse(JSON.stringify(fork.patch())) as SessionPatch;
    const other = newSession();
    other.apply(patch);
    expect(other.slice(Notes).all()).toEqual([1, 2]);
    expect(other.slice(Table).all()).toEqual([{ key: 'a', value: 1 }]);
    expect(other.slice(Trail).all()).toEqual(['x']);
    expect(Object.isFrozen(other.slice(Table).latest())).toBe(true);
    expect(() => new Session().apply(patch)).toThrow(expect.objectContaining({ code: 'slice-unknown' }));
  });

  it('knows an empty patch', () => {
    const fork = newSession().fork();
    fork.view.slice(Notes).all();
    expect(isEmptyPatch(fork.patch())).toBe(true);
    fork.view.dispatch(Noted, 'a');
    expect(isEmptyPatch(fork.patch())).toBe(false);
  });

  it('does not run reducers again when it is applied right after conflicts()', () => {
    const session = newSession();
    const fork = session.fork();
    fork.view.dispatch(Added, 1);
    session.dispatch(Added, 2);
    reducerRuns.count = 0;
    expect(fork.conflicts()).toEqual([]);
    expect(fork.conflicts()).toEqual([]);
    session.apply(fork.patch());
    expect(reducerRuns.count).toBe(1);
    const quiet = session.fork();
    quiet.view.dispatch(Added, 3);
    reducerRuns.count = 0;
    expect(quiet.conflicts()).toEqual([]);
    session.apply(quiet.patch());
    expect(reducerRuns.count).toBe(0);
    expect(session.slice(Notes).all()).toEqual([2, 1, 3]);
  });

  it('answers anew after anything happened since conflicts()', () => {
    const session = newSession();
    const fork = session.fork();
    expect(fork.conflicts()).toEqual([]);
    fork.view.slice(Notes).all();
    session.dispatch(Added, 1);
    expect(fork.conflicts()).toEqual(['slice notes']);
    const other = session.fork();
    other.view.dispatch(Added, 5);
    expect(other.conflicts()).toEqual([]);
    other.view.dispatch(Added, 6);
    session.dispatch(Added, 7);
    expect(other.conflicts()).toEqual([]);
    session.apply(other.patch());
    expect(session.slice(Notes).all()).toEqual([1, 7, 5, 6]);
  });

  it('lands with what was done since conflicts(), also when nobody asks again', () => {
    const session = newSession();
    const fork = session.fork();
    fork.view.dispatch(Added, 1);
    session.dispatch(Added, 2);
    expect(fork.conflicts()).toEqual([]);
    fork.view.dispatch(Added, 3);
    session.apply(fork.patch());
    expect(session.slice(Notes).all()).toEqual([2, 1, 3]);
  });

  it('answers anew after its own reads and writes, also on the same state', () => {
    const session = newSession();
    session.dispatch(Increased, 5);
    const [reader, writer] = [session.fork(), session.fork()];
    session.dispatch(Spent, 4);
    for (const fork of [reader, writer]) expect(fork.conflicts()).toEqual([]);
    expect(writer.refusals()).toEqual([]);
    reader.view.slice(Counter).all();
    expect(reader.conflicts()).toEqual(['slice counter']);
    writer.view.dispatch(Spent, 3);
    const refused = ['reducer of spent refused on the present state'];
    expect(writer.conflicts()).toEqual(refused);
    expect(writer.refusals()).toEqual(refused);
  });

  it('lands on what others changed since conflicts(), also when nobody asks again', () => {
    const session = newSession();
    const fork = session.fork();
    fork.view.dispatch(Added, 1);
    session.dispatch(Added, 2);
    expect(fork.conflicts()).toEqual([]);
    session.dispatch(Added, 3);
    session.apply(fork.patch());
    expect(session.slice(Notes).all()).toEqual([2, 3, 1]);
  });

  it('lands an earlier patch without what was done since', () => {
    const session = newSession();
    const fork = session.fork();
    fork.view.dispatch(Added, 1);
    const earlier = fork.patch();
    fork.view.dispatch(Added, 2);
    expect(fork.patch()).not.toBe(earlier);
    session.apply(earlier);
    expect(session.slice(Notes).all()).toEqual([1]);
  });

  it('cannot be used by the reducers that run in it', () => {
    const session = newSession();
    const fork = session.fork();
    const Misused = defineSystemEvent<null>('misused');
    const Misusing = defineSystemSlice<number>({
      name: 'misusing',
      reducers: (on) => [on(Misused, (items) => items.append(fork.view.slice(Notes).length))],
    });
    fork.install(Misusing);
    expect(() => fork.view.dispatch(Misused, null)).toThrow('used the session directly');
    expect(fork.view.slice(Misusing).all()).toEqual([]);
  });

  it('does not land when what subscribers are to be told cannot be made', () => {
    const session = newSession();
    const heard: unknown[] = [];
    session.dispatcher.subscribeAll((payload) => heard.push(payload));
    const fork = session.fork();
    fork.view.dispatch(Added, 1);
    fork.view.dispatch(Added, 2);
    const tell = (event: DispatchedEvent): DispatchedEvent => {
      if (event.payload === 2) throw new Error('untellable');
      return event;
    };
    expect(() => session.apply(fork.patch(), tell)).toThrow('untellable');
    expect(session.slice(Notes).all()).toEqual([]);
    expect(heard).toEqual([]);
  });
});

describe('a read-only fork', () => {
  it('refuses writes to STATE, takes log entries, and lets policies write', () => {
    const session = newSession();
    const fork = session.fork({ readOnly: true });
    const refused = expect.objectContaining({ code: 'session-read-only' });
    expect(() => fork.view.dispatch(Added, 1)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('added') }),
    );
    expect(() => fork.view.slice(Notes).append(1)).toThrow(
      expect.objectContaining({ message: expect.stringContaining('notes') }),
    );
    expect(() => fork.view.slice(Notes).seed([])).toThrow(refused);
    expect(() => fork.view.slice(Notes).clear()).toThrow(refused);
    expect(() => fork.view.restore(fork.view.snapshot())).toThrow(refused);
    fork.view.dispatch(Noted, 'read');
    fork.view.slice(Trail).append('again');
    fork.privileged.dispatch(Added, 2);
    session.apply(fork.patch());
    expect(session.slice(Notes).all()).toEqual([2]);
    expect(session.slice(Trail).all()).toEqual(['read', 'again']);
  });

  it('makes nested forks read-only too', () => {
    const fork = newSession().fork({ readOnly: true });
    expect(() => fork.fork().view.dispatch(Added, 1)).toThrow(
      expect.objectContaining({ code: 'session-read-only' }),
    );
  });
});

describe('a restore in a fork', () => {
  it('brings STATE back, but neither LOG nor what policies keep', () => {
    const session = newSession();
    const fork = session.fork();
    const snapshot = fork.view.snapshot();
    fork.view.dispatch(Added, 1);
    fork.view.dispatch(Noted, 'stays');
    fork.privileged.slice(Facts).append({ key: 'a', value: 1 });
    fork.view.restore(snapshot);
    expect(fork.privileged.slice(Facts).get('a')).toEqual({ key: 'a', value: 1 });
    session.slice(Facts).append({ key: 'b', value: 1 });
    expect(fork.conflicts()).toEqual([]);
    session.apply(fork.patch());
    expect(session.slice(Notes).all()).toEqual([]);
    expect(session.slice(Trail).all()).toEqual(['stays']);
    expect(
      session
        .slice(Facts)
        .all()
        .map(({ key }) => key),
    ).toEqual(['b', 'a']);
  });
});

describe('a closed fork', () => {
  it('throws at every access, also through what was taken from it before', () => {
    const session = newSession();
    const fork = session.fork();
    const inner = fork.fork();
    const { view, privileged } = fork;
    const notes = view.slice(Notes);
    const innerNotes = inner.view.slice(Notes);
    const snapshot = view.snapshot();
    fork.dispose();
    for (const access of [
      () => notes.all(),
      () => notes.length,
      () => notes.append(1),
      () => notes.clear(),
      () => innerNotes.append(1),
      () => innerNotes.all(),
      () => inner.view.dispatch(Added, 1),
      () => view.slice(Notes),
      () => view.slice(Table),
      () => view.dispatch(Added, 1),
      () => view.dispatch(Noted, 'x'),
      () => view.snapshot(),
      () => view.restore(snapshot),
      () => view.dispatcher.dispatch(Added, 1),
      () => view.dispatcher.subscribe(Added, () => undefined),
      () => view.dispatcher.subscribeAll(() => undefined),
      () => privileged.dispatch(Added, 1),
      () => privileged.slice(Notes),
      () => fork.fork(),
      () => fork.apply({ operations: [], log: [], events: [] }),
      () => fork.install(Notes),
    ]) {
      expect(access).toThrow(closed);
    }
  });

  it('still answers what it read and did', () => {
    const session = newSession();
    const fork = session.fork();
    fork.view.dispatch(Added, 1);
    fork.dispose();
    expect(fork.conflicts()).toEqual([]);
    session.apply(fork.patch());
    expect(session.slice(Notes).all()).toEqual([1]);
  });

  it('is taken from the handler alone by seal()', () => {
    const session = newSession();
    const fork = session.fork();
    const inner = fork.fork();
    fork.seal();
    expect(() => fork.view.slice(Notes)).toThrow(closed);
    expect(() => inner.view.slice(Notes)).toThrow(closed);
    expect(() => fork.apply(inner.patch())).toThrow(closed);
    fork.privileged.slice(Facts).append({ key: 'a', value: 1 });
    session.apply(fork.patch());
    expect(session.slice(Facts).length).toBe(1);
  });

  it('leaves forks of the privileged part alone until it is closed', () => {
    const session = newSession();
    const fork = session.fork();
    const judging = fork.fork({ readOnly: true, part: 'privileged' });
    fork.seal();
    const inner = judging.fork();
    expect(inner.view.slice(Notes).all()).toEqual([]);
    inner.view.dispatch(Noted, 'seen');
    judging.apply(inner.patch());
    fork.apply(judging.discardedPatch(), 'privileged');
    expect(() => fork.apply(judging.discardedPatch())).toThrow(closed);
    const late = fork.fork({ part: 'privileged' });
    fork.dispose();
    for (const access of [
      () => inner.view.slice(Notes),
      () => late.view.slice(Notes),
      () => fork.fork({ part: 'privileged' }),
      () => fork.apply(judging.discardedPatch(), 'privileged'),
    ]) {
      expect(access).toThrow(closed);
    }
    session.dispatch(Added, 1);
    // What was read inside was read by the fork.
    expect(fork.conflicts()).toEqual(['slice notes']);
    session.apply(fork.discardedPatch());
    expect(session.slice(Trail).all()).toEqual(['seen']);
  });
});

describe('a nested fork', () => {
  it('applies into the outer one, which carries everything on', () => {
    const session = newSession();
    const heard: string[] = [];
    session.dispatcher.subscribeAll((_payload, { eventName }) => heard.push(eventName));
    const outer = session.fork();
    outer.view.dispatch(Added, 1);
    const inner = outer.fork();
    inner.view.dispatch(Added, 2);
    inner.view.dispatch(Noted, 'inner');
    expect(outer.view.slice(Notes).all()).toEqual([1]);
    expect(inner.conflicts()).toEqual([]);
    outer.apply(inner.patch());
    expect(outer.view.slice(Notes).all()).toEqual([1, 2]);
    expect(session.slice(Notes).all()).toEqual([]);
    expect(heard).toEqual([]);
    expect(outer.conflicts()).toEqual([]);
    session.apply(outer.patch());
    expect(session.slice(Notes).all()).toEqual([1, 2]);
    expect(session.slice(Trail).all()).toEqual(['inner']);
    expect(heard).toEqual(['added', 'added', 'noted']);
  });

  it('makes its reads reads of the outer one, also when it is rolled back', () => {
    const session = newSession();
    const outer = session.fork();
    const inner = outer.fork();
    inner.view.slice(Notes).all();
    outer.apply(inner.discardedPatch());
    session.dispatch(Added, 1);
    expect(outer.conflicts()).toEqual(['slice notes']);
  });

  it('conflicts with what the outer one did meanwhile', () => {
    const outer = newSession().fork();
    const inner = outer.fork();
    expect(inner.view.slice(Notes).length).toBe(0);
    outer.view.dispatch(Added, 1);
    expect(inner.conflicts()).toEqual(['slice notes']);
  });

  it('makes what its events depended on a read of the outer one, unless they are applied there', () => {
    const session = newSession();
    session.dispatch(Increased, 5);
    const [withRollback, withCommit] = [session.fork(), session.fork()];
    const lost = withRollback.fork();
    lost.view.dispatch(Spent, 4);
    withRollback.apply(lost.discardedPatch());
    lost.dispose();
    const kept = withCommit.fork();
    kept.view.dispatch(Spent, 4);
    withCommit.apply(kept.patch());
    kept.dispose();
    session.dispatch(Increased, 1);
    expect(withRollback.conflicts()).toEqual(['slice counter (made the reducers of spent accept)']);
    expect(withCommit.conflicts()).toEqual([]);
    session.dispatch(Spent, 3);
    expect(withCommit.conflicts()).toEqual(['reducer of spent refused on the present state']);
  });

  it('makes what its events depended on a read of the outer one when only an earlier patch was applied there', () => {
    const session = newSession();
    session.dispatch(Increased, 5);
    const outers = [session.fork(), session.fork()];
    for (const [index, outer] of outers.entries()) {
      const inner = outer.fork();
      inner.view.dispatch(Spent, 3);
      const earlier = inner.patch();
      if (index === 0) outer.apply(earlier);
      inner.view.dispatch(Spent, 1);
      expect(inner.patch()).not.toBe(earlier);
      if (index === 1) outer.apply(earlier);
      inner.dispose();
    }
    session.dispatch(Increased, 1);
    for (const outer of outers) {
      expect(outer.conflicts()).toEqual(['slice counter (made the reducers of spent accept)']);
    }
  });

  it('passes on what the events of forks that it applied depended on, when it is not applied itself', () => {
    const session = newSession();
    session.dispatch(Increased, 5);
    const outer = session.fork();
    const middle = outer.fork();
    const inner = middle.fork();
    inner.view.dispatch(Spent, 4);
    middle.apply(inner.patch());
    inner.dispose();
    middle.dispose();
    session.dispatch(Increased, 1);
    expect(outer.conflicts()).toEqual(['slice counter (made the reducers of spent accept)']);
  });

  it('depends on what reducers saw when conflicts() ran them for the outer one', () => {
    const session = newSession();
    const Peeked = defineSystemEvent<null>('peeked');
    const Peeks = defineSystemSlice<number>({
      name: 'peeks',
      reducers: (on) => [
        on(Peeked, (items, _payload, view) =>
          items.append(items.length === 0 ? 0 : view.slice(Counter).length),
        ),
      ],
    });
    session.install(Peeks);
    const outer = session.fork();
    const inner = outer.fork();
    inner.view.dispatch(Peeked, null);
    outer.view.dispatch(Peeked, null);
    session.dispatch(Increased, 1);
    expect(outer.conflicts()).toEqual([]);
    expect(inner.conflicts()).toEqual([]);
    outer.apply(inner.patch());
    expect(outer.conflicts()).toEqual(['slice counter (read by a reducer)']);
  });

  it('depends on what reducers see in it that take in the patch of another fork', () => {
    const session = newSession();
    const [fork, other] = [session.fork(), session.fork()];
    other.view.dispatch(Sampled, null);
    fork.apply(other.patch());
    session.dispatch(Increased, 1);
    expect(fork.conflicts()).toEqual(['slice counter (read by a reducer)']);
  });

  it('keeps log entries through the rollback of both', () => {
    const session = newSession();
    const outer = session.fork();
    const inner = outer.fork();
    inner.view.dispatch(Noted, 'inner');
    inner.view.dispatch(Added, 1);
    outer.apply(inner.discardedPatch());
    outer.view.dispatch(Noted, 'outer');
    session.apply(outer.discardedPatch());
    expect(session.slice(Trail).all()).toEqual(['inner', 'outer']);
    expect(session.slice(Notes).all()).toEqual([]);
  });

  it('installs slices for the whole session', () => {
    const session = newSession();
    const Late = defineSystemSlice<number>({ name: 'late' });
    const fork = session.fork();
    fork.install(Late);
    fork.view.slice(Late).append(1);
    session.apply(fork.patch());
    expect(session.slice(Late).all()).toEqual([1]);
  });
});
