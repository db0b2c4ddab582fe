import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { defineEvent, defineSlice, PolicyState, reducers, Session } from 'weakincentives';
import { z } from 'zod';
import { defineSystemSlice } from '../../../../src/core/session/index.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { exportOf, NoteAdded, Notes, Put, Seen, sessionWith, Table, Trail } from './session-fixtures.ts';

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

describe('an export', () => {
  it('holds the state by the names of the slices, and who the session is', () => {
    const clock = createManualClock(1_000);
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
    const Counted = defineEvent({ name: 'counted', schema: z.object({ count: z.number() }) });
    const Counts = defineSlice({
      name: 'counts',
      schema: Count,
      reducers: (on) => [on(Counted, reducers.keepLatest())],
    });
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
    const Growing = defineSlice({
      name: 'growing',
      schema: z.object({ n: z.number() }).transform(({ n }) => ({ n: n + 1 })),
    });
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
    // Snapshots taken before still fit, and events continue from here.
    other.dispatch(NoteAdded, { text: 'b' });
    expect(other.slice(Notes).all()).toEqual([{ text: 'a' }, { text: 'b' }]);
    other.restore(before);
    expect(other.slice(Notes).all()).toEqual([{ text: 'gone' }]);
    expect(other.id).toBe('test');
  });

  it('tells cleared slices from slices that were never written', () => {
    const Started = defineSlice({
      name: 'started',
      schema: z.object({ n: z.number() }),
      initial: [{ n: 1 }],
    });
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
        code: 'snapshot-slice-unknown',
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
    session.importState(exportOf('trail', items));
    expect(session.slice(Trail).all()).toEqual(items.slice(2));
  });

  it('fills in defaults that a schema has gained, without a new version', () => {
    const Later = defineSlice({
      name: 'notes',
      schema: z.object({ text: z.string(), stars: z.number().default(0) }),
    });
    const session = sessionWith(Later);
    session.importState(exportOf('notes', [{ text: 'a' }]));
    expect(session.slice(Later).all()).toEqual([{ text: 'a', stars: 0 }]);
  });

  it('validates what has no schema of its own where it is told how', () => {
    const Facts = defineSystemSlice<{ n: number }>({
      name: 'facts',
      importSchema: z.object({ n: z.number() }),
    });
    const session = sessionWith(Facts);
    session.importState(exportOf('facts', [{ n: 1 }]));
    expect(() => session.importState(exportOf('facts', [{ n: 1 }, { n: 'x' }]))).toThrow(
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
    session.importState(exportOf('notes', items));
    items[0] = { text: 'b' };
    items.push({ text: 'c' });
    expect(session.slice(Notes).all()).toEqual([{ text: 'a' }]);
  });
});

describe('migrations', () => {
  const Todo = z.object({ id: z.string(), isDone: z.boolean() });
  const Added = defineEvent({ name: 'todo-added', schema: Todo });
  const Todos = defineSlice({
    name: 'todos',
    schema: Todo,
    version: 3,
    migrate: (items, fromVersion) => {
      if (fromVersion === 1) return items.map((title) => ({ id: title, isDone: false }));
      return items.map((item) => ({ isDone: true, ...Object(item) }));
    },
    reducers: (on) => [on(Added, reducers.append())],
  });

  it('bring items of earlier versions into today\u2019s shape', () => {
    const session = sessionWith(Todos);
    expect(session.importState(exportOf('todos', ['a', 'b'], 1)).migrated).toEqual(['todos']);
    expect(session.slice(Todos).all()).toEqual([
      { id: 'a', isDone: false },
      { id: 'b', isDone: false },
    ]);
    session.importState(exportOf('todos', [{ id: 'c' }], 2));
    expect(session.slice(Todos).all()).toEqual([{ id: 'c', isDone: true }]);
    expect(session.exportState().slices[0]?.version).toBe(3);
    expect(session.importState(session.exportState()).migrated).toEqual([]);
  });

  it.each([
    ['of a later version', Todos, 4, 'snapshot-version-unsupported', /exported in version 4/],
    [
      'of an earlier version without migrate',
      defineSlice({ name: 'todos', schema: Todo, version: 2 }),
      1,
      'snapshot-version-unsupported',
      /no migrate/,
    ],
    [
      'whose migrate throws',
      defineSlice({
        name: 'todos',
        schema: Todo,
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
      defineSlice({
        name: 'todos',
        schema: Todo,
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
      defineSlice({ name: 'todos', schema: Todo, version: 2, migrate: () => Promise.resolve([]) as never }),
      1,
      'snapshot-migration-failed',
      /no promise/,
    ],
    [
      'whose migrate makes items that do not fit',
      defineSlice({
        name: 'todos',
        schema: Todo,
        version: 2,
        migrate: () => [{ id: 'a', isDone: false }, { id: 'b' }],
      }),
      1,
      'snapshot-item-invalid',
      /Item 1 of slice todos/,
    ],
  ])('refuse a slice %s', (_what, slice, version, code, message) => {
    const session = sessionWith(slice);
    session.slice(slice).append({ id: 'stays', isDone: true });
    expect(() => session.importState(exportOf('todos', ['a'], version))).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(message) }),
    );
    expect(session.slice(slice).all()).toEqual([{ id: 'stays', isDone: true }]);
  });

  it('may not use the session', () => {
    const session = new Session();
    const Meddling = defineSlice({
      name: 'todos',
      schema: Todo,
      version: 2,
      migrate: (items) => {
        session.dispatch(NoteAdded, { text: 'x' });
        return items;
      },
    });
    session.install(Meddling);
    session.install(Notes);
    expect(() => session.importState(exportOf('todos', ['a']))).toThrow(/used the session directly/);
    expect(session.slice(Notes).length).toBe(0);
  });

  it.each([
    ['a version of half', { version: 1.5 }],
    ['a version of zero', { version: 0 }],
    ['a migrate and nothing to migrate from', { migrate: () => [] }],
  ])('cannot be declared with %s', (_what, options) => {
    expect(() => defineSlice({ name: 'todos', schema: Todo, ...options })).toThrow(
      expect.objectContaining({ code: 'slice-invalid' }),
    );
  });
});

describe('an export that an earlier version of the library has written', () => {
  // Made by version 0.1.0. It stays as it is: what was written once must be read for good.
  const text = readFileSync(new URL('export-format-1.json', import.meta.url), 'utf8');

  it('is read', () => {
    const session = sessionWith(Notes, Table, Trail, PolicyState);
    expect(session.importState(JSON.parse(text))).toEqual({
      imported: ['notes', 'table', 'trail', 'weakincentives.policy-facts'],
      migrated: [],
      skipped: [],
    });
    expect(session.slice(Notes).latest()).toEqual({ text: 'Z\u00fcrich \u2713' });
    expect(session.slice(Table).all()).toEqual([
      { key: 'b', value: 1 },
      { key: 'a', value: -0.5 },
    ]);
    expect(session.slice(Trail).all()).toEqual([{ what: 'written by version 0.1.0' }]);
    expect(session.slice(PolicyState).all()).toEqual([
      { policyName: 'sequential-dependency', invokedTools: ['build'], invokedKeys: [] },
      {
        policyName: 'read-before-write',
        invokedTools: [],
        invokedKeys: [['read_file', 'notes.md']],
      },
    ]);
  });

  it('is what would be written today, apart from who and when', () => {
    const session = sessionWith(Notes, Table, Trail, PolicyState);
    session.importState(JSON.parse(text));
    const { slices, ...frame } = session.exportState({ includeLogs: true });
    const { slices: storedSlices, ...storedFrame } = JSON.parse(text);
    expect(JSON.parse(JSON.stringify(slices))).toEqual(storedSlices);
    expect([...Object.keys(frame), 'parentId'].sort()).toEqual(Object.keys(storedFrame).sort());
  });

  it('goes into slices that have a later version since', () => {
    const Later = defineSlice({
      name: 'notes',
      schema: z.object({ words: z.array(z.string()) }),
      version: 2,
      migrate: (items) => items.map((item) => ({ words: String(Object(item).text).split(' ') })),
    });
    const session = sessionWith(Later);
    const { migrated, skipped } = session.importState(JSON.parse(text), { unknownSlices: 'skip' });
    expect(migrated).toEqual(['notes']);
    expect(skipped).toEqual(['table', 'trail', 'weakincentives.policy-facts']);
    expect(session.slice(Later).latest()).toEqual({ words: ['Z\u00fcrich', '\u2713'] });
  });
});
