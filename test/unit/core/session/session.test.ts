import { describe, expect, it } from 'vitest';
import { defineSlice, Session } from 'weakincentives';
import { z } from 'zod';
import { NoteAdded, Notes, Put, Seen, sessionWith, Table, Trail } from './session-fixtures.ts';

describe('snapshots', () => {
  it('bring STATE back and leave LOG alone', () => {
    const session = sessionWith(Notes, Trail);
    session.dispatch(NoteAdded, { text: 'kept' });
    const snapshot = session.snapshot();
    session.dispatch(NoteAdded, { text: 'lost' });
    session.dispatch(Seen, { what: 'stays' });
    session.install(Table);
    session.dispatch(Put, { key: 'a', value: 1 });
    session.restore(snapshot);
    expect(session.slice(Notes).all()).toEqual([{ text: 'kept' }]);
    expect(session.slice(Trail).all()).toEqual([{ what: 'stays' }]);
    expect(session.slice(Table).all()).toEqual([]);
  });

  it('fit the session, its clones, and no other', () => {
    const session = sessionWith(Notes);
    const snapshot = session.snapshot();
    const copy = session.clone();
    copy.dispatch(NoteAdded, { text: 'a' });
    copy.restore(snapshot);
    expect(copy.slice(Notes).length).toBe(0);
    expect(() => sessionWith(Notes).restore(snapshot)).toThrow(
      expect.objectContaining({ code: 'snapshot-foreign' }),
    );
    expect(() => session.restore({ kind: 'session-snapshot', sessionId: 'test' })).toThrow(
      expect.objectContaining({ code: 'snapshot-foreign' }),
    );
    expect(() => session.restore(new Proxy(snapshot, {}))).toThrow(
      expect.objectContaining({ code: 'snapshot-foreign' }),
    );
    copy.install(Table);
    copy.dispatch(Put, { key: 'a', value: 1 });
    expect(() => session.restore(copy.snapshot())).toThrow(
      expect.objectContaining({ code: 'snapshot-slice-unknown', message: expect.stringContaining('table') }),
    );
  });

  it('find their slices where a clone has installed others, in another order', () => {
    const Words = defineSlice({ name: 'words', schema: z.string() });
    const session = sessionWith(Notes);
    session.dispatch(NoteAdded, { text: 'a' });
    const copy = session.clone();
    copy.install(Words);
    for (const slice of [Table, Words]) session.install(slice);
    copy.install(Table);
    session.slice(Table).append({ key: 'k', value: 1 });
    copy.slice(Words).append('w');
    const [ours, theirs] = [session.snapshot(), copy.snapshot()];
    copy.restore(ours);
    expect([copy.slice(Notes).length, copy.slice(Table).get('k'), copy.slice(Words).length]).toEqual([
      1,
      { key: 'k', value: 1 },
      0,
    ]);
    const fork = session.fork();
    fork.view.restore(theirs);
    session.apply(fork.patch());
    expect([session.slice(Notes).length, session.slice(Table).length, session.slice(Words).all()]).toEqual([
      1,
      0,
      ['w'],
    ]);
  });

  it('that are older than a slice take it back to its initial items', () => {
    const session = sessionWith(Notes);
    const snapshot = session.snapshot();
    session.install(Table);
    session.slice(Table).append({ key: 'k', value: 1 });
    session.restore(snapshot);
    expect(session.slice(Table).all()).toEqual([]);
    session.slice(Table).append({ key: 'k', value: 2 });
    expect(session.slice(Table).length).toBe(1);
  });
});

describe('a clone', () => {
  it('starts with the same slices and state and goes its own way', () => {
    const parent = new Session();
    const session = new Session({ parent, tags: { a: 'b' }, id: 'one' });
    session.install(Notes);
    session.dispatch(NoteAdded, { text: 'a' });
    const copy = session.clone();
    copy.dispatch(NoteAdded, { text: 'b' });
    copy.install(Table);
    expect(session.slice(Notes).length).toBe(1);
    expect(copy.slice(Notes).length).toBe(2);
    expect(copy.id).not.toBe('one');
    expect(copy.tags).toEqual({ a: 'b' });
    expect(copy.parent).toBe(parent);
    expect(parent.children).toEqual([session, copy]);
    expect(() => session.slice(Table)).toThrow(expect.objectContaining({ code: 'slice-unknown' }));
  });
});

describe('holding and disposing', () => {
  it('lets one evaluation in at a time', () => {
    const session = new Session();
    const release = session.hold();
    expect(() => session.hold()).toThrow(expect.objectContaining({ code: 'session-busy' }));
    release();
    const second = session.hold();
    release();
    expect(() => session.hold()).toThrow(expect.objectContaining({ code: 'session-busy' }));
    second();
  });

  it('runs callbacks once, last first, leaves the family and refuses changes', async () => {
    const parent = new Session();
    const session = new Session({ parent });
    session.install(Notes);
    const order: number[] = [];
    session.onDispose(() => void order.push(1));
    session.onDispose(async () => {
      await Promise.resolve();
      order.push(2);
    });
    await session[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();
    expect(order).toEqual([2, 1]);
    expect(parent.children).toEqual([]);
    expect(session.slice(Notes).all()).toEqual([]);
    const refused = expect.objectContaining({ code: 'session-disposed' });
    expect(() => session.dispatch(NoteAdded, { text: 'a' })).toThrow(refused);
    expect(() => session.fork()).toThrow(refused);
    expect(() => session.hold()).toThrow(refused);
    expect(() => session.slice(Notes).append({ text: 'a' })).toThrow(refused);
  });

  it('runs all callbacks although some fail, then rejects with what they threw', async () => {
    const session = new Session();
    const order: number[] = [];
    const boom = new Error('boom');
    session.onDispose(() => void order.push(1));
    session.onDispose(() => {
      throw boom;
    });
    await expect(session[Symbol.asyncDispose]()).rejects.toBe(boom);
    expect(order).toEqual([1]);
    const other = new Session();
    other.onDispose(() => Promise.reject(new Error('x')));
    other.onDispose(() => Promise.reject(new Error('y')));
    await expect(other[Symbol.asyncDispose]()).rejects.toBeInstanceOf(AggregateError);
  });
});
