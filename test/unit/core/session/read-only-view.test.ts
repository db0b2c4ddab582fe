import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defineDerivedSlice, defineEvent, defineSlice, Session, SessionError } from 'weakincentives';
import { z } from 'zod';
import { readOnlyView } from '../../../../src/core/session/index.ts';

const Noted = defineEvent({ name: 'test.noted', schema: z.object({ text: z.string() }) });
const Logged = defineEvent({ name: 'test.logged', schema: z.object({ text: z.string() }) });
const Notes = defineSlice({
  name: 'test.notes',
  schema: z.object({ text: z.string() }),
  key: ({ text }) => text,
  reducers: (on) => [on(Noted, (items, { text }) => items.append({ text }))],
});
const Log = defineSlice({
  name: 'test.log',
  schema: z.object({ text: z.string() }),
  policy: 'log',
  reducers: (on) => [on(Logged, (items, { text }) => items.append({ text }))],
});
const Lengths = defineDerivedSlice({
  name: 'test.lengths',
  source: Notes,
  derive: (notes) => notes.map(({ text }) => text.length),
});

function sessionWithNotes(): Session {
  const session = new Session({ id: 'notes' });
  for (const slice of [Notes, Log, Lengths]) session.install(slice);
  session.dispatch(Noted, { text: 'one' });
  return session;
}

/** Everything that can be reached from a value by its properties, also those of its prototypes. */
function reachable(root: object): ReadonlySet<unknown> {
  const found = new Set<unknown>();
  const pending: unknown[] = [root];
  for (let value = pending.pop(); value !== undefined; value = pending.pop()) {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) continue;
    if (found.has(value) || value === Object.prototype || value === Function.prototype) continue;
    found.add(value);
    for (const key of Reflect.ownKeys(value)) {
      const { value: member, get } = Object.getOwnPropertyDescriptor(value, key) ?? {};
      pending.push(member, get);
    }
    pending.push(Object.getPrototypeOf(value));
  }
  return found;
}

describe('a view for reading', () => {
  it('reads what the session holds, as it is at each read', () => {
    const session = sessionWithNotes();
    const view = readOnlyView(session);
    const notes = view.slice(Notes);
    session.dispatch(Noted, { text: 'two' });
    expect(view.id).toBe('notes');
    expect(notes.length).toBe(2);
    expect(notes.all()).toBe(session.slice(Notes).all());
    expect(notes.latest()).toEqual({ text: 'two' });
    expect(notes.get('one')).toEqual({ text: 'one' });
    expect(notes.where(({ text }) => text === 'two')).toEqual([{ text: 'two' }]);
    expect(view.slice(Lengths).all()).toEqual([3, 3]);
    expect(() => view.slice(Log).get('x')).toThrow(SessionError);
  });

  const writes: readonly (readonly [string, (view: Session) => unknown])[] = [
    ['dispatch to STATE', (view) => view.dispatch(Noted, { text: 'x' })],
    ['dispatch to LOG', (view) => view.dispatch(Logged, { text: 'x' })],
    ['append', (view) => view.slice(Notes).append({ text: 'x' })],
    ['append to LOG', (view) => view.slice(Log).append({ text: 'x' })],
    ['seed', (view) => view.slice(Notes).seed([])],
    ['clear', (view) => view.slice(Notes).clear()],
    ['install', (view) => view.install(Notes)],
    ['restore', (view) => view.restore(sessionWithNotes().snapshot())],
    ['reset', (view) => view.reset()],
    ['importState', (view) => view.importState({})],
    ['the dispatcher', (view) => view.dispatcher],
  ];
  it.each(writes)('refuses %s, and says what can be done', (_name, write) => {
    const session = sessionWithNotes();
    const before = session.exportState({ includeLogs: true }).slices;
    // What a caller without a compiler does.
    const view = readOnlyView(session) as unknown as Session;
    let thrown: unknown;
    try {
      write(view);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code: 'session-read-only' });
    expect(String(thrown)).toMatch(/can only be read here.*tool call/);
    expect(session.exportState({ includeLogs: true }).slices).toEqual(before);
  });

  it('leads to no session, dispatcher or accessor that writes', () => {
    const parent = new Session({ id: 'parent' });
    const session = new Session({ id: 'child', parent });
    session.install(Notes);
    for (const source of [session, session.fork().view]) {
      const view = readOnlyView(source);
      const found = new Set([...reachable(view), ...reachable(view.slice(Notes))]);
      const writers = [session, parent, source, session.dispatcher, Session.prototype];
      expect(writers.filter((writer) => found.has(writer))).toEqual([]);
      expect([...found].filter((each) => each instanceof Session)).toEqual([]);
    }
  });

  it('cannot be changed, and is its own view', () => {
    const view = readOnlyView(sessionWithNotes());
    expect(readOnlyView(view)).toBe(view);
    expect(Object.isFrozen(view)).toBe(true);
    expect(Object.isFrozen(view.slice(Notes))).toBe(true);
  });

  it('never changes the session, whatever is called on it', () => {
    const names = [
      'dispatch',
      'restore',
      'install',
      'reset',
      'importState',
      'fork',
      'clone',
      'apply',
      'hold',
    ];
    const accessorNames = ['append', 'seed', 'clear', 'where', 'get', 'all', 'latest'];
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom(...names, ...accessorNames), fc.array(fc.anything()))),
        (calls) => {
          const session = sessionWithNotes();
          const before = session.exportState({ includeLogs: true }).slices;
          const view = readOnlyView(session);
          for (const [name, args] of calls) {
            const target = accessorNames.includes(name) ? view.slice(Notes) : view;
            try {
              Reflect.get(target, name)(...args);
            } catch {
              // A refusal, or an argument that makes no sense.
            }
          }
          expect(session.exportState({ includeLogs: true }).slices).toEqual(before);
        },
      ),
    );
  });
});
