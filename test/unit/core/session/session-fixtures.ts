import { defineEvent, defineSlice, type EventDefinition, Session, type Slice } from 'weakincentives';
import { z } from 'zod';
import { defineSystemEvent } from '../../../../src/core/session/index.ts';

interface Note {
  text: string;
}
interface Entry {
  key: string;
  value: number;
}
interface Seen {
  what: string;
}

const noteSchema = z.object({ text: z.string() });
export const NoteAdded: EventDefinition<Note, Note> = defineEvent({ name: 'note-added', schema: noteSchema });
export const NotesCleared: EventDefinition<{ reason: string }, { reason: string }> = defineSystemEvent<{
  reason: string;
}>('notes-cleared');
export const Notes: Slice<Note> = defineSlice({
  name: 'notes',
  schema: noteSchema,
  reducers: (on) => [
    on(NoteAdded, (items, payload) => items.append(payload)),
    on(NotesCleared, (items) => items.clear()),
  ],
});

const entrySchema = z.object({ key: z.string(), value: z.number() });
export const Put: EventDefinition<Entry, Entry> = defineEvent({ name: 'put', schema: entrySchema });
export const Drop: EventDefinition<{ key: string }, { key: string }> = defineEvent({
  name: 'drop',
  schema: z.object({ key: z.string() }),
});
export const Table: Slice<Entry> = defineSlice({
  name: 'table',
  schema: entrySchema,
  key: (item) => item.key,
  reducers: (on) => [
    on(Put, (items, payload) => items.append(payload)),
    on(Drop, (items, { key }) => items.remove(key)),
  ],
});

export const Seen: EventDefinition<Seen, Seen> = defineEvent({
  name: 'seen',
  schema: z.object({ what: z.string() }),
});
export const Trail: Slice<Seen> = defineSlice({
  name: 'trail',
  schema: z.object({ what: z.string() }),
  policy: 'log',
  retain: 3,
  reducers: (on) => [on(Seen, (items, payload) => items.append(payload))],
});

export function sessionWith(...slices: readonly Parameters<Session['install']>[0][]): Session {
  const session = new Session({ id: 'test' });
  for (const slice of slices) session.install(slice);
  return session;
}

/** An export with these parts in the place of those of a good one. */
export function exportWith(parts: Record<string, unknown>): Record<string, unknown> {
  return { ...sessionWith().exportState(), ...parts };
}

/** An export of one slice. */
export function exportOf(name: string, items: unknown, version: unknown = 1): Record<string, unknown> {
  return exportWith({ slices: [{ name, version, items }] });
}
