import { describe, expect, it } from 'vitest';
import { type ReadonlySessionView, Session, type SliceItems } from 'weakincentives';
import { defineSystemEvent, defineSystemSlice } from '../../../../src/core/session/index.ts';
import { NoteAdded, Notes, sessionWith } from './session-fixtures.ts';

describe('dispatch', () => {
  it('validates the payload, listing what is wrong', () => {
    const session = sessionWith(Notes);
    expect(() => session.dispatch(NoteAdded, { text: 5 as never })).toThrow(/note-added[\s\S]*text/);
    expect(session.slice(Notes).length).toBe(0);
  });

  it('runs every reducer of an event, each seeing what the one before it did to its own slice', () => {
    const Go = defineSystemEvent<number>('go');
    const Twice = defineSystemSlice<number>({
      name: 'twice',
      reducers: (on) => [
        on(Go, (items, payload) => items.append(payload)),
        on(Go, (items, payload) => items.append((items.latest() ?? 0) + payload)),
      ],
    });
    const session = sessionWith(Twice);
    session.dispatch(Go, 5);
    expect(session.slice(Twice).all()).toEqual([5, 10]);
  });

  it('shows reducers the session as it was before the event', () => {
    const Go = defineSystemEvent<null>('go');
    const First = defineSystemSlice<number>({
      name: 'first',
      reducers: (on) => [on(Go, (items) => items.append(1))],
    });
    const Second = defineSystemSlice<number>({
      name: 'second',
      reducers: (on) => [on(Go, (items, _payload, view) => items.append(view.slice(First).length))],
    });
    const session = sessionWith(First, Second);
    session.dispatch(Go, null);
    expect(session.slice(Second).all()).toEqual([0]);
  });

  it('applies all operations or none when a reducer throws, and says so', () => {
    const Go = defineSystemEvent<null>('go');
    const cause = new Error('not now');
    const Fine = defineSystemSlice<number>({
      name: 'fine',
      reducers: (on) => [on(Go, (items) => items.append(1))],
    });
    const Broken = defineSystemSlice<number>({
      name: 'broken',
      reducers: (on) => [
        on(Go, () => {
          throw cause;
        }),
      ],
    });
    const session = sessionWith(Fine, Broken);
    const heard: unknown[] = [];
    session.dispatcher.subscribeAll((payload) => heard.push(payload));
    expect(() => session.dispatch(Go, null)).toThrow(
      expect.objectContaining({ code: 'reducer-failed', cause, message: expect.stringContaining('broken') }),
    );
    expect(session.slice(Fine).length).toBe(0);
    expect(heard).toEqual([]);
  });

  it('understands every operation', () => {
    const Go = defineSystemEvent<string>('go');
    const All = defineSystemSlice<string>({
      name: 'all',
      reducers: (on) => [
        on(Go, (items, what) => {
          if (what === 'extend') return items.extend(['x', 'y']);
          if (what === 'replace') return items.replace(['z']);
          if (what === 'clear') return items.clear();
          return items.keep();
        }),
      ],
    });
    const session = sessionWith(All);
    const after = (what: string): readonly string[] => {
      session.dispatch(Go, what);
      return session.slice(All).all();
    };
    expect(after('extend')).toEqual(['x', 'y']);
    expect(after('nothing')).toEqual(['x', 'y']);
    expect(after('replace')).toEqual(['z']);
    expect(after('clear')).toEqual([]);
  });

  it.each([
    ['a promise', () => Promise.resolve({ op: 'append', item: 1 })],
    ['nothing', () => undefined],
    ['an unknown operation', () => ({ op: 'explode' })],
    ['removal by key without keys', (items: SliceItems<number>) => items.remove('a')],
  ])('refuses a reducer that returns %s', (_what, reducer) => {
    const Go = defineSystemEvent<null>('go');
    const session = sessionWith(
      defineSystemSlice({ name: 'x', reducers: (on) => [on(Go, reducer as never)] }),
    );
    expect(() => session.dispatch(Go, null)).toThrow(expect.objectContaining({ code: 'reducer-failed' }));
  });

  it('refuses a LOG reducer that does not append', () => {
    const Go = defineSystemEvent<null>('go');
    const session = sessionWith(
      defineSystemSlice({ name: 'x', policy: 'log', reducers: (on) => [on(Go, (items) => items.clear())] }),
    );
    expect(() => session.dispatch(Go, null)).toThrow(/only grows/);
  });

  it('gives items that count, index and iterate, and end with the reducer', () => {
    const Go = defineSystemEvent<null>('go');
    let leaked: SliceItems<number> | undefined;
    let leakedView: ReadonlySessionView | undefined;
    const seen: unknown[] = [];
    const X = defineSystemSlice<number>({
      name: 'x',
      initial: [1, 2, 3],
      reducers: (on) => [
        on(Go, (items, _payload, view) => {
          leaked = items;
          leakedView = view;
          seen.push(
            items.length,
            items.at(0),
            items.at(-1),
            items.at(7),
            items.at(-7),
            items.latest(),
            [...items],
            view.id,
          );
          return items.keep();
        }),
      ],
    });
    const session = sessionWith(X);
    session.dispatch(Go, null);
    expect(seen).toEqual([3, 1, 3, undefined, undefined, 3, [1, 2, 3], 'test']);
    expect(() => leaked?.length).toThrow(expect.objectContaining({ code: 'transaction-closed' }));
    expect(() => leaked?.get('a')).toThrow(expect.objectContaining({ code: 'transaction-closed' }));
    expect(() => leakedView?.slice(X).all()).toThrow(expect.objectContaining({ code: 'transaction-closed' }));
  });

  it('refuses reducers that use the session itself', () => {
    const Go = defineSystemEvent<null>('go');
    const session: Session = sessionWith(
      defineSystemSlice({
        name: 'x',
        reducers: (on) => [
          on(Go, (items) => {
            session.dispatch(Go, null);
            return items.keep();
          }),
        ],
      }),
    );
    expect(() => session.dispatch(Go, null)).toThrow(/used the session directly/);
  });

  it('stops at names that two events share', () => {
    const session = sessionWith(Notes);
    const Other = defineSystemEvent<null>('note-added');
    expect(() => session.dispatch(Other, null)).toThrow(expect.objectContaining({ code: 'event-duplicate' }));
    expect(() =>
      session.install(
        defineSystemSlice({ name: 'o', reducers: (on) => [on(Other, (items) => items.keep())] }),
      ),
    ).toThrow(expect.objectContaining({ code: 'event-duplicate' }));
  });
});

describe('install', () => {
  it('is idempotent, and refuses another slice of that name', () => {
    const session = sessionWith(Notes);
    session.dispatch(NoteAdded, { text: 'a' });
    session.install(Notes);
    expect(session.slice(Notes).length).toBe(1);
    expect(() => session.install(defineSystemSlice({ name: 'notes' }))).toThrow(
      expect.objectContaining({ code: 'slice-duplicate' }),
    );
  });

  it('refuses an event for STATE and LOG, and leaves nothing of the refused slice', () => {
    const session = sessionWith(Notes);
    const Mixed = defineSystemSlice<unknown>({
      name: 'mixed',
      policy: 'log',
      reducers: (on) => [on(NoteAdded, (items) => items.append(1))],
    });
    expect(() => session.install(Mixed)).toThrow(expect.objectContaining({ code: 'event-policy-mixed' }));
    expect(() => session.slice(Mixed)).toThrow(expect.objectContaining({ code: 'slice-unknown' }));
    session.dispatch(NoteAdded, { text: 'a' });
    expect(session.slice(Notes).length).toBe(1);
  });
});
