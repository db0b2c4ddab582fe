import { describe, expect, it } from 'vitest';
import { defineDerivedSlice, defineSlice } from 'weakincentives';
import { z } from 'zod';
import { defineSystemSlice } from '../../../../src/core/session/index.ts';
import { Drop, NoteAdded, Notes, Put, Seen, sessionWith, Table, Trail } from './session-fixtures.ts';

describe('slices of a session', () => {
  it('hold what events append, in order', () => {
    const session = sessionWith(Notes);
    session.dispatch(NoteAdded, { text: 'a' });
    session.dispatch(NoteAdded, { text: 'b' });
    const notes = session.slice(Notes);
    expect(notes.all()).toEqual([{ text: 'a' }, { text: 'b' }]);
    expect(notes.latest()).toEqual({ text: 'b' });
    expect(notes.length).toBe(2);
    expect(notes.where(({ text }) => text === 'a')).toEqual([{ text: 'a' }]);
  });

  it('can be written directly: append, seed, clear', () => {
    const notes = sessionWith(Notes).slice(Notes);
    notes.append({ text: 'a' }, { text: 'b' }, { text: 'c' });
    notes.clear(({ text }) => text === 'b');
    expect(notes.all()).toEqual([{ text: 'a' }, { text: 'c' }]);
    notes.seed([{ text: 'z' }]);
    expect(notes.all()).toEqual([{ text: 'z' }]);
    notes.clear();
    expect(notes.all()).toEqual([]);
  });

  it('keep the position of a key that is written again, and lose it by removal', () => {
    const session = sessionWith(Table);
    for (const [key, value] of [
      ['a', 1],
      ['b', 2],
      ['a', 3],
    ] as const) {
      session.dispatch(Put, { key, value });
    }
    expect(session.slice(Table).all()).toEqual([
      { key: 'a', value: 3 },
      { key: 'b', value: 2 },
    ]);
    session.dispatch(Drop, { key: 'a' });
    session.dispatch(Put, { key: 'a', value: 4 });
    expect(
      session
        .slice(Table)
        .all()
        .map(({ key }) => key),
    ).toEqual(['b', 'a']);
    expect(session.slice(Table).latest()).toEqual({ key: 'a', value: 4 });
    expect(session.slice(Table).get('b')).toEqual({ key: 'b', value: 2 });
    expect(session.slice(Table).get('c')).toBeUndefined();
  });

  it('find the latest of a keyed slice after the last one was removed', () => {
    const session = sessionWith(Table);
    for (const key of ['a', 'b', 'c']) session.dispatch(Put, { key, value: 1 });
    session.dispatch(Drop, { key: 'c' });
    expect(session.slice(Table).latest()).toEqual({ key: 'b', value: 1 });
    session.dispatch(Put, { key: 'a', value: 9 });
    expect(session.slice(Table).latest()).toEqual({ key: 'b', value: 1 });
    session.dispatch(Put, { key: 'd', value: 1 });
    expect(session.slice(Table).latest()).toEqual({ key: 'd', value: 1 });
  });

  it('keep the last items only where a LOG slice says so', () => {
    const session = sessionWith(Trail);
    for (let index = 0; index < 20; index += 1) {
      session.dispatch(Seen, { what: String(index) });
      const kept = Array.from({ length: index + 1 }, (_, position) => String(position)).slice(-3);
      expect(
        session
          .slice(Trail)
          .all()
          .map(({ what }) => what),
      ).toEqual(kept);
      expect(session.slice(Trail).length).toBe(kept.length);
      expect(session.slice(Trail).latest()).toEqual({ what: String(index) });
    }
  });

  it('start with their initial items and go back to them at a reset', () => {
    const Seeded = defineSystemSlice<number>({ name: 'seeded', initial: [1, 2] });
    const session = sessionWith(Seeded, Trail);
    session.slice(Seeded).append(3);
    session.dispatch(Seen, { what: 'x' });
    session.reset();
    expect(session.slice(Seeded).all()).toEqual([1, 2]);
    expect(session.slice(Trail).all()).toEqual([]);
  });

  it('hand out one frozen array while nothing changes', () => {
    const session = sessionWith(Notes, Table, Trail);
    session.dispatch(Put, { key: 'a', value: 1 });
    session.dispatch(NoteAdded, { text: 'a' });
    for (let index = 0; index < 5; index += 1) session.dispatch(Seen, { what: String(index) });
    for (const accessor of [session.slice(Notes), session.slice(Table), session.slice(Trail)]) {
      expect(accessor.all()).toBe(accessor.all());
      expect(Object.isFrozen(accessor.all())).toBe(true);
    }
  });

  it('freeze items deeply as they enter, so that mutation cannot survive a rollback', () => {
    const Deep = defineSystemSlice<{ list: { n: number }[] }>({ name: 'deep' });
    const session = sessionWith(Deep);
    const item = { list: [{ n: 1 }] };
    session.slice(Deep).append(item);
    expect(() => item.list.push({ n: 2 })).toThrow(TypeError);
    expect(() => Object.assign(item.list[0] ?? {}, { n: 2 })).toThrow(TypeError);
  });

  it.each([
    [
      'a broken item',
      () =>
        sessionWith(Notes)
          .slice(Notes)
          .append({ text: 1 } as never),
      'value-invalid',
    ],
    [
      'an unknown key',
      () =>
        sessionWith(Notes)
          .slice(Notes)
          .seed([{ text: 'a', more: 1 } as never]),
      'value-invalid',
    ],
    ['a slice that is not installed', () => sessionWith().slice(Notes), 'slice-unknown'],
    ['a key of a slice without keys', () => sessionWith(Notes).slice(Notes).get('a'), 'slice-not-keyed'],
    ['seeding LOG', () => sessionWith(Trail).slice(Trail).seed([]), 'slice-append-only'],
    ['clearing LOG', () => sessionWith(Trail).slice(Trail).clear(), 'slice-append-only'],
  ])('refuse %s', (_what, act, code) => {
    expect(act).toThrow(expect.objectContaining({ code }));
  });

  it('refuse items that are undefined or no JSON, and keys that are no text', () => {
    const Any = defineSystemSlice<unknown>({ name: 'any' });
    const session = sessionWith(Any);
    expect(() => session.slice(Any).append(undefined)).toThrow(
      expect.objectContaining({ code: 'value-not-json' }),
    );
    expect(() => session.slice(Any).append(new Date())).toThrow(
      expect.objectContaining({ code: 'value-not-json' }),
    );
    expect(session.slice(Any).length).toBe(0);
    const Bad = defineSystemSlice<{ id: number }>({ name: 'bad', key: (item) => item.id as never });
    session.install(Bad);
    expect(() => session.slice(Bad).append({ id: 1 })).toThrow(
      expect.objectContaining({ code: 'slice-key-invalid' }),
    );
  });

  it.each([
    ['an empty name', () => defineSlice({ name: '', schema: z.string() })],
    ['version 0', () => defineSlice({ name: 'x', schema: z.string(), version: 0 })],
    ['retain on STATE', () => defineSystemSlice({ name: 'x', retain: 3 } as never)],
    ['a key on LOG', () => defineSystemSlice({ name: 'x', policy: 'log', key: () => 'k' } as never)],
    ['reducers that are not a list', () => defineSystemSlice({ name: 'x', reducers: (() => null) as never })],
    [
      'reducers that on() did not make',
      () => defineSystemSlice({ name: 'x', reducers: (() => [{}]) as never }),
    ],
    ['retain of zero', () => defineSystemSlice({ name: 'x', policy: 'log', retain: 0 })],
    ['retain of a half', () => defineSystemSlice({ name: 'x', policy: 'log', retain: 1.5 })],
  ])('cannot be declared with %s', (_what, act) => {
    expect(act).toThrow(expect.objectContaining({ code: 'slice-invalid' }));
  });
});

describe('derived slices', () => {
  const Lengths = defineDerivedSlice({
    name: 'lengths',
    source: Notes,
    derive: (items) => items.map(({ text }) => ({ length: text.length })),
  });

  it('show their source and are computed once per state', () => {
    const session = sessionWith(Lengths);
    session.dispatch(NoteAdded, { text: 'abc' });
    const accessor = session.slice(Lengths);
    expect(accessor.all()).toEqual([{ length: 3 }]);
    expect(accessor.all()).toBe(accessor.all());
    expect(accessor.latest()).toEqual({ length: 3 });
    expect(accessor.where(({ length }) => length > 5)).toEqual([]);
    expect(accessor.length).toBe(1);
  });

  it('cannot be written or asked for a key', () => {
    const session = sessionWith(Lengths);
    // The types know no writers; a caller without types gets a message.
    const accessor = session.slice(Lengths as never);
    expect(() => accessor.append(1)).toThrow(expect.objectContaining({ code: 'session-read-only' }));
    expect(() => accessor.seed([])).toThrow(expect.objectContaining({ code: 'session-read-only' }));
    expect(() => accessor.clear()).toThrow(expect.objectContaining({ code: 'session-read-only' }));
    expect(() => accessor.get('a')).toThrow(expect.objectContaining({ code: 'slice-not-keyed' }));
  });
});
