import { describe, expectTypeOf, it } from 'vitest';
import {
  defineDerivedSlice,
  defineEvent,
  defineSlice,
  type EventDefinition,
  type JsonValue,
  type ReadonlySessionView,
  reducers,
  Session,
  type SessionExport,
  type SessionView,
  type Slice,
  type SliceItems,
  type SliceOperation,
  type SliceOptions,
} from 'weakincentives';
import { z } from 'zod';
import { defineSystemEvent, defineSystemSlice } from '../../src/core/session/index.ts';

const Note = z.object({ text: z.string(), tags: z.array(z.string()).default([]) });
const Added = defineEvent({ name: 'added', schema: Note });
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
    const Notes = defineSlice({
      name: 'notes',
      schema: Note,
      key: (item) => {
        expectTypeOf(item.tags).toEqualTypeOf<readonly string[]>();
        return item.text;
      },
      initial: [{ text: 'a' }],
      reducers: (on) => [
        on(Added, (items, payload, view) => {
          expectTypeOf(items).toEqualTypeOf<
            SliceItems<{ readonly text: string; readonly tags: readonly string[] }>
          >();
          expectTypeOf(payload.tags).toEqualTypeOf<readonly string[]>();
          expectTypeOf(view).toEqualTypeOf<ReadonlySessionView>();
          return items.append(payload);
        }),
        on(Added, (items) => items.extend([...items])),
        on(Added, (items) => items.remove('a')),
        on(Added, (items) => items.keep()),
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
    defineSlice({
      name: 'notes',
      schema: Note,
      // @ts-expect-error The item has no text.
      reducers: (on) => [on(Added, (items) => items.append({ words: 'a' }))],
    });
    // @ts-expect-error A LOG slice has no keys.
    defineSlice({ name: 'log', schema: Note, policy: 'log', key: () => 'a' });
    // @ts-expect-error A STATE slice retains everything.
    defineSlice({ name: 'state', schema: Note, retain: 3 });
    // @ts-expect-error An initial item without text.
    defineSlice({ name: 'initial', schema: Note, initial: [{ tags: [] }] });
    defineSystemSlice<number>({
      name: 'numbers',
      // @ts-expect-error Text in a slice of numbers.
      reducers: (on) => [on(Added, (items) => items.append('a'))],
    });
  });

  it('are invariant in their items', () => {
    expectTypeOf<Slice<{ a: string; b: string }>>().not.toExtend<Slice<{ a: string }>>();
    expectTypeOf<Slice<{ a: string }>>().not.toExtend<Slice<{ a: string; b: string }>>();
  });

  it('that are derived can be read and not written', () => {
    const Numbers = defineSystemSlice<number>({ name: 'numbers' });
    const Doubled = defineDerivedSlice({
      name: 'doubled',
      source: Numbers,
      derive: (items) => items.map((item) => ({ item: item * 2 })),
    });
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
    defineSlice({
      name: 'notes',
      schema: Note,
      version: 2,
      migrate: (items, fromVersion) => {
        expectTypeOf(items).toEqualTypeOf<readonly JsonValue[]>();
        expectTypeOf(fromVersion).toEqualTypeOf<number>();
        return items.map((text) => ({ text, tags: [] }));
      },
    });
    // @ts-expect-error A migration cannot wait.
    defineSlice({ name: 'notes', schema: Note, version: 2, migrate: async (items) => items });
  });
});

describe('ready-made reducers', () => {
  const Named = defineEvent({ name: 'named', schema: z.object({ name: z.string() }) });

  it('take payloads that are items, or make items from them, in slices of either kind', () => {
    const options: Pick<SliceOptions<typeof Note>, 'reducers'> = {
      reducers: (on) => [
        on(Added, reducers.append()),
        on(Added, reducers.keepLatest()),
        on(
          Added,
          reducers.upsertBy((note) => note.text),
        ),
        on(
          Added,
          reducers.keepLatestBy(({ text }) => text),
        ),
        on(
          Named,
          reducers.append(({ name }) => ({ text: name, tags: [] })),
        ),
        on(
          Named,
          reducers.keepLatest(({ name }) => ({ text: name, tags: ['a'] })),
        ),
        on(
          Named,
          reducers.upsertBy(
            (note) => note.text,
            ({ name }) => ({ text: name, tags: [] }),
          ),
        ),
        on(
          Named,
          reducers.keepLatestBy(
            (note) => note.text,
            ({ name }) => ({ text: name, tags: [] }),
          ),
        ),
      ],
    };
    expectTypeOf(defineSlice({ name: 'notes', schema: Note, ...options })).toEqualTypeOf<
      Slice<{ text: string; tags: string[] }>
    >();
    expectTypeOf(
      defineSlice({ name: 'notes', schema: Note, key: (note) => note.text, ...options }),
    ).toEqualTypeOf<Slice<{ text: string; tags: string[] }>>();
  });

  it('take a key that asks for less than an item has', () => {
    const textOf = ({ text }: { readonly text: string }) => text;
    defineSlice({
      name: 'notes',
      schema: Note,
      key: textOf,
      reducers: (on) => [
        on(Added, reducers.upsertBy(textOf)),
        on(
          Named,
          reducers.keepLatestBy(textOf, ({ name }) => ({ text: name, tags: [] })),
        ),
      ],
    });
  });

  it('refuse payloads that are no items, and keys that are no text', () => {
    defineSlice({
      name: 'notes',
      schema: Note,
      reducers: (on) => [
        // @ts-expect-error A payload without text.
        on(Named, reducers.append()),
        // @ts-expect-error A payload without text.
        on(Named, reducers.keepLatest()),
        on(
          Named,
          // @ts-expect-error A payload without text.
          reducers.upsertBy((note) => note.text),
        ),
        on(
          Added,
          // @ts-expect-error Items have no such property.
          reducers.upsertBy((note) => note.id),
        ),
        on(
          Added,
          // @ts-expect-error Tags are no text.
          reducers.keepLatestBy((note) => note.tags),
        ),
        on(
          Named,
          // @ts-expect-error The item has no tags.
          reducers.append(({ name }) => ({ text: name })),
        ),
      ],
    });
  });
});

describe('views', () => {
  it('inside a call have no reset, and those of reducers no writers', () => {
    expectTypeOf<SessionView>().not.toHaveProperty('reset');
    expectTypeOf<ReadonlySessionView>().not.toHaveProperty('dispatch');
    const Numbers = defineSystemSlice<number>({ name: 'numbers' });
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
    const items = {} as SliceItems<number>;
    expectTypeOf(items.append(1)).toEqualTypeOf<SliceOperation<number>>();
    expectTypeOf(items.append(1, { moveToEnd: true })).toEqualTypeOf<SliceOperation<number>>();
    expectTypeOf(items.remove('a')).toEqualTypeOf<SliceOperation<number>>();
    expectTypeOf(items.keep()).toEqualTypeOf<SliceOperation<number>>();
  });

  it('are what every reducer returns', () => {
    defineSlice({
      name: 'notes',
      schema: Note,
      reducers: (on) => [
        // @ts-expect-error Nothing is returned.
        on(Added, () => undefined),
        // @ts-expect-error The `return` is forgotten.
        on(Added, (items, note) => {
          items.append(note);
        }),
        // @ts-expect-error One of two paths returns nothing.
        on(Added, (items, note) => {
          if (note.text !== '') return items.append(note);
        }),
        // @ts-expect-error A promise is not an operation.
        on(Added, async (items) => items.keep()),
      ],
    });
    // @ts-expect-error A list instead of a function.
    defineSlice({ name: 'notes', schema: Note, reducers: [] });
  });
});
