import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  appendAll,
  defineEvent,
  defineSlice,
  defineSystemSlice,
  keepLatest,
  on,
  Session,
  type SessionExport,
} from '../../../src/session/index.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { NoteAdded, Notes, Put, Seen, sessionWith, Table, Trail } from './session-fixtures.ts';

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** An export with these parts in the place of those of a good one. */
function exportWith(parts: Record<string, unknown>): Record<string, unknown> {
  return { ...sessionWith().exportState(), ...parts };
}

const slicesOf = (name: string, items: unknown, version: unknown = 1) =>
  exportWith({ slices: [{ name, version, items }] });

describe('an export', () => {
  it('holds the state by the names of the slices, and who the session is', () => {
    const clock = manualClock(1_000);
    const parent = new Session({ id: 'above', clock });
    const session = new Session({ id: 'me', parent, tags: { team: 'blue' }, clock });
    const children = ['first', 'second'].map((id) => new Session({ id, parent: session }));
    expect(session.children).toEqual(children);
    for (const slice of [Notes, Table, Trail]) session.install(slice);
    session.dispatch(Put, { key: 'b', value: 1 });
    session.dispatch(Put, { key: 'a', value: 2 });
    session.dispatch(Seen, { what: 'x' });
    clock.advance(500);
    expect(session.exportState()).toEqual({
      format: 'weakincentives.session',
      version: 1,
      id: 'me',
      parentId: 'above',
      childIds: ['first', 'second'],
      tags: { team: 'blue' },
      createdAtMs: 1_000,
      exportedAtMs: 1_500,
      includesLogs: false,
      slices: [
        {
          name: 'table',
          version: 1,
          items: [
            { key: 'b', value: 1 },
            { key: 'a', value: 2 },
          ],
        },
      ],
    });
    expect(session.exportState({ includeLogs: true }).slices.map(({ name }) => name)).toEqual([
      'table',
      'trail',
    ]);
    expect(Object.isFrozen(session.exportState().slices)).toBe(true);
  });

  it('refuses items that could not come back', () => {
    const Count = z.object({ count: z.number().min(0).max(10) });
    const Counted = defineEvent('counted', z.object({ count: z.number() }));
    const Counts = defineSlice('counts', Count, { reducers: [on(Counted, keepLatest())] });
    const session = sessionWith(Counts);
    session.dispatch(Counted, { count: 3 });
    expect(session.exportState().slices).toHaveLength(1);
    session.dispatch(Counted, { count: -1 });
    expect(() => session.exportState()).toThrow(
      expect.objectContaining({
        code: 'snapshot-item-invalid',
        details: expect.objectContaining({ slice: 'counts', index: 0 }),
      }),
    );
    const Growing = defineSlice(
      'growing',
      z.object({ n: z.number() }).transform(({ n }) => ({ n: n + 1 })),
    );
    const other = sessionWith(Growing);
    other.slice(Growing).append({ n: 1 });
    expect(() => other.exportState()).toThrow(/changes an item of the slice when it reads it again/);
  });
});

describe('an import', () => {
  it('puts the state in the place of what was there, and reports it', () => {
    const session = sessionWith(Notes, Table, Trail);
    session.dispatch(NoteAdded, { text: 'a' });
    session.dispatch(Seen, { what: 'of the first' });
    const exported = throughJson(session.exportState());
    const other = sessionWith(Notes, Table, Trail);
    other.dispatch(Put, { key: 'gone', value: 1 });
    other.dispatch(NoteAdded, { text: 'gone' });
    other.dispatch(Seen, { what: 'of the second' });
    const before = other.snapshot();
    expect(other.importState(exported)).toEqual({ imported: ['notes'], migrated: [], skipped: [] });
    expect(other.slice(Notes).all()).toEqual([{ text: 'a' }]);
    expect(other.slice(Table).all()).toEqual([]);
    // Logs are left alone by an export without logs.
    expect(other.slice(Trail).all()).toEqual([{ what: 'of the second' }]);
    other.importState(throughJson(session.exportState({ includeLogs: true })));
    expect(other.slice(Trail).all()).toEqual([{ what: 'of the first' }]);
    other.importState(sessionWith(Trail).exportState({ includeLogs: true }));
    expect(other.slice(Trail).all()).toEqual([]);
    other.importState(exported);
    // Snapshots taken before still fit, and events go on from here.
    other.dispatch(NoteAdded, { text: 'b' });
    expect(other.slice(Notes).all()).toEqual([{ text: 'a' }, { text: 'b' }]);
    other.restore(before);
    expect(other.slice(Notes).all()).toEqual([{ text: 'gone' }]);
    expect(other.id).toBe('test');
  });

  it('tells cleared slices from slices that were never written', () => {
    const Started = defineSlice('started', z.object({ n: z.number() }), { initial: [{ n: 1 }] });
    const session = sessionWith(Started);
    const untouched = session.exportState();
    session.slice(Started).clear();
    const cleared = session.exportState();
    const other = sessionWith(Started);
    other.importState(cleared);
    expect(other.slice(Started).all()).toEqual([]);
    other.importState(untouched);
    expect(other.slice(Started).all()).toEqual([{ n: 1 }]);
  });

  it('counts as a change from outside for calls that are running', () => {
    const session = sessionWith(Notes);
    session.dispatch(NoteAdded, { text: 'a' });
    const exported = session.exportState();
    const fork = session.fork();
    expect(fork.view.slice(Notes).length).toBe(1);
    expect(fork.conflicts()).toEqual([]);
    session.importState(exported);
    expect(fork.conflicts()).toEqual(['slice notes']);
  });

  it('refuses slices that are not installed by name, or skips them and says so', () => {
    const session = sessionWith(Notes, Table);
    session.dispatch(NoteAdded, { text: 'a' });
    session.dispatch(Put, { key: 'a', value: 1 });
    const exported = session.exportState();
    const other = sessionWith(Notes);
    expect(() => other.importState(exported)).toThrow(
      expect.objectContaining({
        code: 'snapshot-unknown-slice',
        message: expect.stringContaining('table'),
        details: { slices: ['table'] },
      }),
    );
    expect(other.slice(Notes).length).toBe(0);
    expect(other.importState(exported, { unknownSlices: 'skip' })).toEqual({
      imported: ['notes'],
      migrated: [],
      skipped: ['table'],
    });
    expect(other.slice(Notes).length).toBe(1);
  });

  it('keeps only what a LOG slice retains', () => {
    const items = ['1', '2', '3', '4', '5'].map((what) => ({ what }));
    const session = sessionWith(Trail);
    session.importState(slicesOf('trail', items));
    expect(session.slice(Trail).all()).toEqual(items.slice(2));
  });

  it('fills in defaults that a schema has gained, without a new version', () => {
    const Later = defineSlice('notes', z.object({ text: z.string(), stars: z.number().default(0) }));
    const session = sessionWith(Later);
    session.importState(slicesOf('notes', [{ text: 'a' }]));
    expect(session.slice(Later).all()).toEqual([{ text: 'a', stars: 0 }]);
  });

  it('validates what has no schema of its own where it is told how', () => {
    const Facts = defineSystemSlice<{ n: number }>('facts', { importSchema: z.object({ n: z.number() }) });
    const session = sessionWith(Facts);
    session.importState(slicesOf('facts', [{ n: 1 }]));
    expect(() => session.importState(slicesOf('facts', [{ n: 1 }, { n: 'x' }]))).toThrow(
      expect.objectContaining({
        code: 'snapshot-item-invalid',
        details: expect.objectContaining({ index: 1 }),
      }),
    );
    expect(session.slice(Facts).all()).toEqual([{ n: 1 }]);
  });

  it('does not keep or freeze what it was given', () => {
    const items = [{ text: 'a' }];
    const session = sessionWith(Notes);
    session.importState(slicesOf('notes', items));
    items[0] = { text: 'b' };
    items.push({ text: 'c' });
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
  });
});

describe('migrations', () => {
  const Todo = z.object({ id: z.string(), isDone: z.boolean() });
  const Added = defineEvent('todo-added', Todo);
  const Todos = defineSlice('todos', Todo, {
    version: 3,
    migrate: (items, fromVersion) => {
      if (fromVersion === 1) return items.map((title) => ({ id: title, isDone: false }));
      return items.map((item) => ({ isDone: true, ...Object(item) }));
    },
    reducers: [on(Added, appendAll())],
  });

  it('bring items of earlier versions into today\u2019s shape', () => {
    const session = sessionWith(Todos);
    expect(session.importState(slicesOf('todos', ['a', 'b'], 1)).migrated).toEqual(['todos']);
    expect(session.slice(Todos).all()).toEqual([
      { id: 'a', isDone: false },
      { id: 'b', isDone: false },
    ]);
    session.importState(slicesOf('todos', [{ id: 'c' }], 2));
    expect(session.slice(Todos).all()).toEqual([{ id: 'c', isDone: true }]);
    expect(session.exportState().slices[0]?.version).toBe(3);
    expect(session.importState(session.exportState()).migrated).toEqual([]);
  });

  it.each([
    ['of a later version', Todos, 4, 'snapshot-version', /exported in version 4/],
    [
      'of an earlier version without migrate',
      defineSlice('todos', Todo, { version: 2 }),
      1,
      'snapshot-version',
      /no migrate/,
    ],
    [
      'whose migrate throws',
      defineSlice('todos', Todo, {
        version: 2,
        migrate: () => {
          throw new Error('no idea');
        },
      }),
      1,
      'snapshot-migration-failed',
      /no idea/,
    ],
    [
      'whose migrate changes what it is given',
      defineSlice('todos', Todo, {
        version: 2,
        migrate: (items) => {
          Array.prototype.push.call(items, 'more');
          return items;
        },
      }),
      1,
      'snapshot-migration-failed',
      /todos/,
    ],
    [
      'whose migrate returns no list',
      defineSlice('todos', Todo, { version: 2, migrate: () => Promise.resolve([]) as never }),
      1,
      'snapshot-migration-failed',
      /no promise/,
    ],
    [
      'whose migrate makes items that do not fit',
      defineSlice('todos', Todo, { version: 2, migrate: () => [{ id: 'a', isDone: false }, { id: 'b' }] }),
      1,
      'snapshot-item-invalid',
      /Item 1 of slice todos/,
    ],
  ])('refuse a slice %s', (_what, slice, version, code, message) => {
    const session = sessionWith(slice);
    session.slice(slice).append({ id: 'stays', isDone: true });
    expect(() => session.importState(slicesOf('todos', ['a'], version))).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
    expect(session.slice(slice).all()).toEqual([{ id: 'stays', isDone: true }]);
  });

  it('may not use the session', () => {
    const session = new Session();
    const Meddling = defineSlice('todos', Todo, {
      version: 2,
      migrate: (items) => {
        session.dispatch(NoteAdded, { text: 'x' });
        return items;
      },
    });
    session.install(Meddling);
    session.install(Notes);
    expect(() => session.importState(slicesOf('todos', ['a']))).toThrow(/used the session directly/);
    expect(session.slice(Notes).length).toBe(0);
  });

  it.each([
    ['a version of half', { version: 1.5 }],
    ['a version of zero', { version: 0 }],
    ['a migrate and nothing to migrate from', { migrate: () => [] }],
  ])('cannot be declared with %s', (_what, options) => {
    expect(() => defineSlice('todos', Todo, options)).toThrow(
      expect.objectContaining({ code: 'slice-invalid' }),
    );
  });
});

describe('an import of something else', () => {
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  let deep: unknown = [];
  for (let level = 0; level < 5_000; level += 1) deep = [deep];
  // Two to the power of 60 values, for whoever walks through all of them.
  let wide: unknown = 'x';
  for (let level = 0; level < 60; level += 1) wide = [wide, wide];
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();

  it.each<[string, unknown, string, RegExp]>([
    ['nothing', undefined, 'snapshot-malformed', /undefined/],
    ['null', null, 'snapshot-malformed', /null/],
    ['a list', [], 'snapshot-malformed', /a list/],
    ['a text', JSON.stringify(sessionWith().exportState()), 'snapshot-malformed', /JSON\.parse/],
    ['a snapshot', sessionWith(Notes).snapshot(), 'snapshot-malformed', /"format" is missing/],
    ['another format', exportWith({ format: 'x' }), 'snapshot-malformed', /"format" is "x"/],
    ['a later format', exportWith({ version: 2 }), 'snapshot-version', /format version 2/],
    ['a format version that is a text', exportWith({ version: '1' }), 'snapshot-version', /"1"/],
    ['no id', exportWith({ id: '' }), 'snapshot-malformed', /id:/],
    ['an unknown key', exportWith({ more: 1 }), 'snapshot-malformed', /more/],
    ['tags that are no texts', exportWith({ tags: { a: 1 } }), 'snapshot-malformed', /tags\.a/],
    ['slices that are no list', exportWith({ slices: {} }), 'snapshot-malformed', /slices/],
    ['a slice that is none', exportWith({ slices: [1] }), 'snapshot-malformed', /slices\[0\]/],
    ['items that are no list', slicesOf('notes', 'x'), 'snapshot-malformed', /slices\[0\]\.items/],
    ['a slice version of half', slicesOf('notes', [], 0.5), 'snapshot-malformed', /slices\[0\]\.version/],
    [
      'one slice twice',
      exportWith({ slices: [0, 1].map(() => ({ name: 'notes', version: 1, items: [] })) }),
      'snapshot-malformed',
      /notes twice/,
    ],
    [
      'a cycle',
      slicesOf('notes', [cyclic]),
      'snapshot-malformed',
      /slices\[0\]\.items\[0\]\.self refers back/,
    ],
    ['great depth', slicesOf('notes', [deep]), 'snapshot-malformed', /deeper than/],
    [
      'more values than there may be',
      slicesOf('notes', [wide]),
      'snapshot-malformed',
      /more than 2000 values/,
    ],
    ['a date', slicesOf('notes', [new Date(0)]), 'snapshot-malformed', /an instance of Date/],
    ['a function', slicesOf('notes', [() => 1]), 'snapshot-malformed', /a function/],
    ['undefined', slicesOf('notes', Array.from({ length: 3 })), 'snapshot-malformed', /undefined/],
    ['not a number', slicesOf('notes', [Number.NaN]), 'snapshot-malformed', /NaN/],
    ['a symbol for a key', slicesOf('notes', [{ [Symbol('s')]: 1 }]), 'snapshot-malformed', /symbol/],
    ['a revoked proxy', slicesOf('notes', [revoked]), 'snapshot-malformed', /cannot be read/],
    [
      'a getter that throws',
      slicesOf('notes', [
        {
          get text(): string {
            throw new Error('boom');
          },
        },
      ]),
      'snapshot-malformed',
      /items\[0\]\.text cannot be read/,
    ],
    [
      'an item that does not fit',
      slicesOf('notes', [{ text: 'a' }, { text: 1 }]),
      'snapshot-item-invalid',
      /Item 1 of slice notes/,
    ],
    [
      'an item with an unknown key',
      slicesOf('notes', [{ text: 'a', more: 1 }]),
      'snapshot-item-invalid',
      /more/,
    ],
    [
      'two items with one key',
      slicesOf('table', [
        { key: 'a', value: 1 },
        { key: 'a', value: 2 },
      ]),
      'snapshot-item-invalid',
      /Item 1 of slice table: an item before it has the same key/,
    ],
  ])('refuses %s and changes nothing', (_what, value, code, message) => {
    const session = sessionWith(Notes, Table, Trail);
    session.dispatch(NoteAdded, { text: 'stays' });
    session.dispatch(Seen, { what: 'stays' });
    const before = [session.slice(Notes).all(), session.slice(Table).all(), session.slice(Trail).all()];
    expect(() => session.importState(value, { maxValues: 2_000 })).toThrow(
      expect.objectContaining({ name: 'SnapshotError', code, message: expect.stringMatching(message) }),
    );
    const after = [session.slice(Notes).all(), session.slice(Table).all(), session.slice(Trail).all()];
    for (const [index, items] of after.entries()) expect(items).toBe(before[index]);
  });

  it('names slice, index and what the schema says of an item', () => {
    const session = sessionWith(Notes);
    try {
      session.importState(slicesOf('notes', [{ text: 'a' }, { text: 1 }]));
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        details: { slice: 'notes', index: 1, issues: [{ path: ['text'] }] },
        cause: { name: 'SchemaError' },
      });
    }
  });

  it('takes __proto__ for an ordinary key', () => {
    const Anything = defineSystemSlice<Record<string, unknown>>('anything');
    const session = sessionWith(Anything);
    const text = JSON.stringify(slicesOf('anything', [{}])).replace('[{}]', '[{"__proto__":{"polluted":1}}]');
    session.importState(JSON.parse(text));
    const item = session.slice(Anything).latest();
    expect(Object.getPrototypeOf(item)).toBe(Object.prototype);
    expect(Object.keys(item ?? {})).toEqual(['__proto__']);
    expect(JSON.stringify(session.exportState())).toContain('{"__proto__":{"polluted":1}}');
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
    const envelope = JSON.parse('{"__proto__":{"format":"weakincentives.session"}}');
    expect(() => session.importState(envelope)).toThrow(
      expect.objectContaining({ code: 'snapshot-malformed' }),
    );
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(() => session.importState(slicesOf(name, []))).toThrow(
        expect.objectContaining({ code: 'snapshot-unknown-slice' }),
      );
    }
  });

  it('is refused by a session that is disposed, which can still be exported', async () => {
    const session = sessionWith(Notes);
    session.dispatch(NoteAdded, { text: 'a' });
    await session[Symbol.asyncDispose]();
    const exported: SessionExport = session.exportState();
    expect(exported.slices).toHaveLength(1);
    expect(() => session.importState(exported)).toThrow(
      expect.objectContaining({ code: 'session-disposed' }),
    );
  });
});
