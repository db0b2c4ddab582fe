import { describe, expectTypeOf, it } from 'vitest';
import {
  append,
  appendAll,
  defineEvent,
  defineSlice,
  deriveSlice,
  type EventDefinition,
  extend,
  type JsonValue,
  keepLatest,
  keepLatestBy,
  on,
  type ReadonlySessionView,
  remove,
  Session,
  type SessionExport,
  type SessionView,
  type Slice,
  type SliceItems,
  type SliceOperation,
  type SliceOptions,
  upsertBy,
} from 'weakincentives';
import { z } from 'zod';
import { defineSystemEvent, defineSystemSlice } from '../../src/session/index.ts';

const Note = z.object({ text: z.string(), tags: z.array(z.string()).default([]) });
const Added = defineEvent('added', Note);
const session = new Session();

describe('events', () => {
  it('know what they take and what they yield', () => {
    expectTypeOf(Added).toEqualTypeOf<
      EventDefinition<{ text: string; tags?: string[] | undefined }, { text: string; tags: string[] }>
    >();
    session.dispatch(Added, { text: 'a' });
    // @ts-expect-error The payload lacks its text.
    session.dispatch(Added, {});
    // @ts-expect-error The text is a number.
    session.dispatch(Added, { text: 1 });
  });

  it('may stand where less is asked of them', () => {
    const narrow = defineSystemEvent<{ readonly a: string }>('narrow');
    expectTypeOf(narrow).toExtend<EventDefinition<{ readonly a: string; readonly b: number }, object>>();
    expectTypeOf<EventDefinition<{ a: string; b: number }, object>>().not.toExtend<typeof narrow>();
  });
});

describe('slices', () => {
  it('infer items, payloads and keys', () => {
    const Notes = defineSlice('notes', Note, {
      key: (item) => {
        expectTypeOf(item.tags).toEqualTypeOf<readonly string[]>();
        return item.text;
      },
      initial: [{ text: 'a' }],
      reducers: [
        on(Added, (items, payload, view) => {
          expectTypeOf(items).toEqualTypeOf<
            SliceItems<{ readonly text: string; readonly tags: readonly string[] }>
          >();
          expectTypeOf(payload.tags).toEqualTypeOf<readonly string[]>();
          expectTypeOf(view).toEqualTypeOf<ReadonlySessionView>();
          return append(payload);
        }),
        on(Added, (items) => extend([...items])),
        on(Added, () => remove('a')),
        on(Added, () => undefined),
      ],
    });
    expectTypeOf(Notes).toEqualTypeOf<Slice<{ text: string; tags: string[] }>>();
    const notes = session.slice(Notes);
    expectTypeOf(notes.all()).toEqualTypeOf<
      readonly { readonly text: string; readonly tags: readonly string[] }[]
    >();
    expectTypeOf(notes.get('a')?.text).toEqualTypeOf<string | undefined>();
    notes.append({ text: 'a', tags: [] });
    // @ts-expect-error An item without text.
    notes.append({ tags: [] });
    // @ts-expect-error Items are read-only.
    notes.all()[0]?.tags.push('x');
  });

  it('refuse reducers that make other items, and options that do not go together', () => {
    defineSlice('notes', Note, {
      // @ts-expect-error The item has no text.
      reducers: [on(Added, () => append({ words: 'a' }))],
    });
    // @ts-expect-error A LOG slice has no keys.
    defineSlice('log', Note, { policy: 'log', key: () => 'a' });
    // @ts-expect-error A STATE slice retains everything.
    defineSlice('state', Note, { retain: 3 });
    // @ts-expect-error An initial item without text.
    defineSlice('initial', Note, { initial: [{ tags: [] }] });
    defineSystemSlice<number>('numbers', {
      // @ts-expect-error Text in a slice of numbers.
      reducers: [on(Added, () => append('a'))],
    });
  });

  it('are invariant in their items', () => {
    expectTypeOf<Slice<{ a: string; b: string }>>().not.toExtend<Slice<{ a: string }>>();
    expectTypeOf<Slice<{ a: string }>>().not.toExtend<Slice<{ a: string; b: string }>>();
  });

  it('that are derived can be read and not written', () => {
    const Numbers = defineSystemSlice<number>('numbers');
    const Doubled = deriveSlice('doubled', Numbers, (items) => items.map((item) => ({ item: item * 2 })));
    expectTypeOf(session.slice(Doubled).latest()).toEqualTypeOf<{ readonly item: number } | undefined>();
    // @ts-expect-error There is no append.
    session.slice(Doubled).append({ item: 1 });
  });
});

describe('exports', () => {
  it('are JSON, and come back from anywhere', () => {
    expectTypeOf(session.exportState()).toEqualTypeOf<SessionExport>();
    expectTypeOf(session.exportState().slices[0]?.items).toEqualTypeOf<readonly JsonValue[] | undefined>();
    expectTypeOf(session.importState).parameter(0).toEqualTypeOf<unknown>();
    expectTypeOf<SessionView>().not.toHaveProperty('importState');
    defineSlice('notes', Note, {
      version: 2,
      migrate: (items, fromVersion) => {
        expectTypeOf(items).toEqualTypeOf<readonly JsonValue[]>();
        expectTypeOf(fromVersion).toEqualTypeOf<number>();
        return items.map((text) => ({ text, tags: [] }));
      },
    });
    // @ts-expect-error A migration cannot wait.
    defineSlice('notes', Note, { version: 2, migrate: async (items) => items });
  });
});

describe('ready-made reducers', () => {
  const Named = defineEvent('named', z.object({ name: z.string() }));

  it('take payloads that are items, or make items from them, in slices of either kind', () => {
    const options = {
      reducers: [
        on(Added, appendAll()),
        on(Added, keepLatest()),
        on(
          Added,
          upsertBy((note) => note.text),
        ),
        on(
          Added,
          keepLatestBy(({ text }) => text),
        ),
        on(
          Named,
          appendAll(({ name }) => ({ text: name, tags: [] })),
        ),
        on(
          Named,
          keepLatest(({ name }) => ({ text: name, tags: ['a'] })),
        ),
        on(
          Named,
          upsertBy(
            (note) => note.text,
            ({ name }) => ({ text: name, tags: [] }),
          ),
        ),
        on(
          Named,
          keepLatestBy(
            (note) => note.text,
            ({ name }) => ({ text: name, tags: [] }),
          ),
        ),
      ],
    } satisfies SliceOptions<typeof Note>;
    expectTypeOf(defineSlice('notes', Note, options)).toEqualTypeOf<
      Slice<{ text: string; tags: string[] }>
    >();
    expectTypeOf(defineSlice('notes', Note, { key: (note) => note.text, ...options })).toEqualTypeOf<
      Slice<{ text: string; tags: string[] }>
    >();
  });

  it('take a key that asks for less than an item has', () => {
    const textOf = ({ text }: { readonly text: string }) => text;
    defineSlice('notes', Note, {
      key: textOf,
      reducers: [
        on(Added, upsertBy(textOf)),
        on(
          Named,
          keepLatestBy(textOf, ({ name }) => ({ text: name, tags: [] })),
        ),
      ],
    });
  });

  it('refuse payloads that are no items, and keys that are no text', () => {
    defineSlice('notes', Note, {
      reducers: [
        // @ts-expect-error A payload without text.
        on(Named, appendAll()),
        // @ts-expect-error A payload without text.
        on(Named, keepLatest()),
        on(
          Named,
          // @ts-expect-error A payload without text.
          upsertBy((note) => note.text),
        ),
        on(
          Added,
          // @ts-expect-error Items have no such property.
          upsertBy((note) => note.id),
        ),
        on(
          Added,
          // @ts-expect-error Tags are no text.
          keepLatestBy((note) => note.tags),
        ),
        on(
          Named,
          // @ts-expect-error The item has no tags.
          appendAll(({ name }) => ({ text: name })),
        ),
      ],
    });
  });
});

describe('views', () => {
  it('inside a call have no reset, and those of reducers no writers', () => {
    expectTypeOf<SessionView>().not.toHaveProperty('reset');
    expectTypeOf<ReadonlySessionView>().not.toHaveProperty('dispatch');
    const Numbers = defineSystemSlice<number>('numbers');
    const read = (view: ReadonlySessionView) => view.slice(Numbers);
    expectTypeOf<ReturnType<typeof read>>().not.toHaveProperty('append');
    expectTypeOf<Session>().toExtend<SessionView>();
  });

  it('tell subscribers what an event yields', () => {
    session.dispatcher.subscribe(Added, (payload) => {
      expectTypeOf(payload).toEqualTypeOf<{ readonly text: string; readonly tags: readonly string[] }>();
    });
  });
});

describe('operations', () => {
  it('carry the type of their items', () => {
    expectTypeOf(append(1)).toEqualTypeOf<SliceOperation<number>>();
    expectTypeOf(remove('a')).toEqualTypeOf<SliceOperation<never>>();
  });
});
