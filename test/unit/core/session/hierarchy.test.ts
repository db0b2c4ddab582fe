import { describe, expect, it } from 'vitest';
import { createDispatcher, Session } from 'weakincentives';
import { createManualClock } from '../../../support/manual-clock.ts';
import { NoteAdded, Notes, Put, Seen, sessionWith, Table, Trail } from './session-fixtures.ts';

describe('a family of sessions', () => {
  it('is walked bottom up, siblings oldest first', () => {
    const root = new Session({ id: 'root' });
    const left = new Session({ id: 'left', parent: root });
    const right = new Session({ id: 'right', parent: root });
    const leaves = [
      new Session({ id: 'left-1', parent: left }),
      new Session({ id: 'right-1', parent: right }),
      new Session({ id: 'left-2', parent: left }),
    ];
    expect(root.bottomUp().map(({ id }) => id)).toEqual([
      'left-1',
      'left-2',
      'left',
      'right-1',
      'right',
      'root',
    ]);
    expect(left.bottomUp()).toEqual([leaves[0], leaves[2], left]);
    expect(right.parent).toBe(root);
  });

  it('is disposed through a walk while it shrinks', async () => {
    const root = new Session();
    const child = new Session({ parent: root });
    const grandchild = new Session({ parent: child });
    const order: string[] = [];
    for (const [name, session] of Object.entries({ root, child, grandchild }))
      session.onDispose(() => void order.push(name));
    for (const session of root.bottomUp()) await session[Symbol.asyncDispose]();
    expect(order).toEqual(['grandchild', 'child', 'root']);
    expect(root.bottomUp()).toEqual([root]);
  });

  it('may be very deep', () => {
    let leaf = new Session({ id: '0' });
    const root = leaf;
    for (let depth = 1; depth < 3_000; depth += 1) leaf = new Session({ id: String(depth), parent: leaf });
    expect(root.bottomUp()).toHaveLength(3_000);
    expect(root.bottomUp()[0]).toBe(leaf);
  });

  it('cannot be bent into a circle', () => {
    const parent = new Session({ id: 'parent' });
    const child = new Session({ id: 'child', parent });
    expect(() => Object.assign(parent, { parent: child })).toThrow(TypeError);
    expect(parent.parent).toBeUndefined();
    const refused = expect.objectContaining({ code: 'session-invalid' });
    expect(() => new Session({ id: 'parent', parent })).toThrow(refused);
    expect(() => new Session({ id: 'parent', parent: child })).toThrow(refused);
    expect(() => child.clone({ id: 'parent' })).toThrow(refused);
    expect(parent.children).toEqual([child]);
    // Sessions beside each other may share an id.
    expect(new Session({ id: 'child', parent }).parent).toBe(parent);
  });

  it('takes no children in once it is disposed', async () => {
    const parent = new Session();
    await parent[Symbol.asyncDispose]();
    expect(() => new Session({ parent })).toThrow(expect.objectContaining({ code: 'session-disposed' }));
  });

  it('keeps what belongs to each session apart, also on one dispatcher', () => {
    const dispatcher = createDispatcher();
    const heard: (string | undefined)[] = [];
    dispatcher.subscribeAll((_payload, { sessionId }) => heard.push(sessionId));
    const parent = new Session({ id: 'parent', dispatcher });
    const child = new Session({ id: 'child', parent, dispatcher });
    for (const session of [parent, child]) for (const slice of [Notes, Trail]) session.install(slice);
    child.dispatch(NoteAdded, { text: 'a' });
    child.dispatch(Seen, { what: 'b' });
    expect(parent.slice(Notes).length + parent.slice(Trail).length).toBe(0);
    expect(child.slice(Notes).length + child.slice(Trail).length).toBe(2);
    expect(heard).toEqual(['child', 'child']);
  });
});

describe('a session', () => {
  it.each([
    ['an empty id', { id: '' }],
    ['an id that is no text', { id: 1 as never }],
    ['a tag that is no text', { tags: { a: 1 as never } }],
  ])('is not made with %s', (_what, options) => {
    const parent = new Session();
    expect(() => new Session({ parent, ...options })).toThrow(
      expect.objectContaining({ code: 'session-invalid' }),
    );
    expect(parent.children).toEqual([]);
  });

  it('has tags of its own, and knows when it was made', () => {
    const clock = createManualClock(5);
    const tags = { a: 'b' };
    const session = new Session({ tags, clock });
    tags.a = 'c';
    clock.advance(5);
    expect(session.tags).toEqual({ a: 'b' });
    expect(() => Object.assign(session.tags, { a: 'c' })).toThrow(TypeError);
    expect([session.createdAtMs, session.clone().createdAtMs]).toEqual([5, 10]);
  });

  it('forgets STATE and LOG at a reset, and continues with its slices, subscribers and snapshots', () => {
    const session = sessionWith(Notes, Trail);
    const heard: unknown[] = [];
    session.dispatcher.subscribe(NoteAdded, ({ text }) => heard.push(text));
    session.dispatch(NoteAdded, { text: 'a' });
    session.dispatch(Seen, { what: 'b' });
    const before = session.snapshot();
    session.reset();
    expect([session.slice(Notes).all(), session.slice(Trail).all()]).toEqual([[], []]);
    session.dispatch(NoteAdded, { text: 'c' });
    expect(session.slice(Notes).all()).toEqual([{ text: 'c' }]);
    session.restore(before);
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
    expect(heard).toEqual(['a', 'c']);
  });

  it('is cloned onto a dispatcher of its own, or onto a given one', () => {
    const dispatcher = createDispatcher();
    const heard: (string | undefined)[] = [];
    dispatcher.subscribeAll((_payload, { sessionId }) => heard.push(sessionId));
    const session = new Session({ id: 'one', dispatcher });
    session.install(Notes);
    session.install(Trail);
    session.dispatch(Seen, { what: 'before' });
    const apart = session.clone({ id: 'two' });
    const beside = session.clone({ id: 'three', dispatcher });
    for (const each of [session, apart, beside]) each.dispatch(NoteAdded, { text: each.id });
    expect(heard).toEqual(['one', 'one', 'three']);
    expect(beside.slice(Trail).all()).toEqual([{ what: 'before' }]);
    expect(beside.slice(Notes).all()).toEqual([{ text: 'three' }]);
  });

  it('is disposed at the end of its block', async () => {
    const done: string[] = [];
    let left: Session | undefined;
    {
      await using session = sessionWith(Table);
      session.onDispose(() => void done.push('disposed'));
      session.dispatch(Put, { key: 'a', value: 1 });
      left = session;
    }
    expect(done).toEqual(['disposed']);
    expect(left.slice(Table).get('a')).toEqual({ key: 'a', value: 1 });
  });
});
