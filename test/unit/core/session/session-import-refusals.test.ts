import { describe, expect, it } from 'vitest';
import type { SessionExport } from 'weakincentives';
import { defineSystemSlice } from '../../../../src/core/session/index.ts';
import {
  exportOf,
  exportWith,
  NoteAdded,
  Notes,
  Seen,
  sessionWith,
  Table,
  Trail,
} from './session-fixtures.ts';

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
    ['a snapshot', sessionWith(Notes).snapshot(), 'snapshot-malformed', /an instance of StateSnapshot/],
    ['another format', exportWith({ format: 'x' }), 'snapshot-malformed', /"format" is "x"/],
    ['a later format', exportWith({ version: 2 }), 'snapshot-version-unsupported', /format version 2/],
    ['a format version that is a text', exportWith({ version: '1' }), 'snapshot-version-unsupported', /"1"/],
    ['no id', exportWith({ id: '' }), 'snapshot-malformed', /id:/],
    ['an unknown key', exportWith({ more: 1 }), 'snapshot-malformed', /more/],
    ['tags that are no texts', exportWith({ tags: { a: 1 } }), 'snapshot-malformed', /tags\.a/],
    ['slices that are no list', exportWith({ slices: {} }), 'snapshot-malformed', /slices/],
    ['a slice that is none', exportWith({ slices: [1] }), 'snapshot-malformed', /slices\[0\]/],
    ['items that are no list', exportOf('notes', 'x'), 'snapshot-malformed', /slices\[0\]\.items/],
    ['a slice version of half', exportOf('notes', [], 0.5), 'snapshot-malformed', /slices\[0\]\.version/],
    [
      'one slice twice',
      exportWith({ slices: [0, 1].map(() => ({ name: 'notes', version: 1, items: [] })) }),
      'snapshot-malformed',
      /notes twice/,
    ],
    [
      'a cycle',
      exportOf('notes', [cyclic]),
      'snapshot-malformed',
      /slices\[0\]\.items\[0\]\.self refers back/,
    ],
    ['great depth', exportOf('notes', [deep]), 'snapshot-malformed', /deeper than/],
    [
      'more values than there may be',
      exportOf('notes', [wide]),
      'snapshot-malformed',
      /more than 2000 values/,
    ],
    ['a date', exportOf('notes', [new Date(0)]), 'snapshot-malformed', /an instance of Date/],
    ['a function', exportOf('notes', [() => 1]), 'snapshot-malformed', /a function/],
    ['undefined', exportOf('notes', Array.from({ length: 3 })), 'snapshot-malformed', /undefined/],
    ['not a number', exportOf('notes', [Number.NaN]), 'snapshot-malformed', /NaN/],
    ['a symbol for a key', exportOf('notes', [{ [Symbol('s')]: 1 }]), 'snapshot-malformed', /symbol/],
    ['a revoked proxy', exportOf('notes', [revoked]), 'snapshot-malformed', /cannot be read/],
    [
      'a getter that throws',
      exportOf('notes', [
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
      exportOf('notes', [{ text: 'a' }, { text: 1 }]),
      'snapshot-item-invalid',
      /Item 1 of slice notes/,
    ],
    [
      'an item with an unknown key',
      exportOf('notes', [{ text: 'a', more: 1 }]),
      'snapshot-item-invalid',
      /more/,
    ],
    [
      'two items with one key',
      exportOf('table', [
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
      session.importState(exportOf('notes', [{ text: 'a' }, { text: 1 }]));
      expect.unreachable();
    } catch (error) {
      expect(error).toMatchObject({
        details: { slice: 'notes', index: 1, issues: [{ path: ['text'] }] },
        cause: { name: 'SchemaError' },
      });
    }
  });

  it('takes __proto__ for an ordinary key', () => {
    const Anything = defineSystemSlice<Record<string, unknown>>({ name: 'anything' });
    const session = sessionWith(Anything);
    const text = JSON.stringify(exportOf('anything', [{}])).replace('[{}]', '[{"__proto__":{"polluted":1}}]');
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
      expect(() => session.importState(exportOf(name, []))).toThrow(
        expect.objectContaining({ code: 'snapshot-slice-unknown' }),
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
