import type {
  RecordedContent,
  RecordedFileChange,
  RecordedRead,
  RecordedWrite,
  RunRecord,
} from '../../../record/index.ts';
import { type AttemptItem, attemptColumns, attemptsOf, itemsOf } from './call-tables.ts';
import { type QueryTable, queryTable } from './table.ts';

const changes = queryTable<AttemptItem<RecordedFileChange>>({
  name: 'changes',
  about: 'a file that an attempt changed',
  sources: (source) => itemsOf(source, ({ files }) => files),
  columns: ({ text, number }) => ({
    path: text('path of the file', 'item.path'),
    kind: text('created, modified or removed', 'item.kind'),
    entry: text('file, or directory for an empty one', 'item.entry'),
    from_path: text('where it was moved from', 'item.from'),
    removed_with: text('the directory that it was removed with', 'item.removedWith'),
    link: text('the target of a symbolic link', ({ item }) => item.link ?? item.replacedLink),
    mode: number('permission bits, unless they are 0o644', 'item.mode'),
    replaced_mode: number('those of the file that was replaced, where they are others', 'item.replacedMode'),
    before_hash: text('content before (contents.hash)', 'item.before.hash'),
    before_bytes: number('its size', 'item.before.bytes'),
    after_hash: text('content after it (contents.hash)', 'item.after.hash'),
    after_bytes: number('its size', 'item.after.bytes'),
    ...attemptColumns,
  }),
});

type Step =
  | RecordedWrite
  | { readonly op: 'log'; readonly slice: string; readonly items: readonly unknown[] };

const writes = queryTable<AttemptItem<Step>>({
  name: 'writes',
  about: 'a step on a slice of the session that an attempt took',
  sources: (source) =>
    itemsOf(source, (attempt): readonly Step[] => [
      ...attempt.writes,
      ...attempt.log.map((log) => ({ op: 'log' as const, ...log })),
    ]),
  columns: ({ text, number, json }) => ({
    slice: text('name of the slice', 'item.slice'),
    op: text('append, put, remove, clear; log: items at the end of a log', 'item.op'),
    key: text('key of the item, of put', 'item.key'),
    value: json('the items, the item of put, the keys of remove', ({ item }) => valueOf(item)),
    position: number('its place among the steps of the attempt', 'position'),
    ...attemptColumns,
  }),
});

function valueOf(step: Step): unknown {
  switch (step.op) {
    case 'append':
    case 'log':
      return step.items;
    case 'put':
      return step.item;
    case 'remove':
      return step.keys;
    case 'clear':
      return undefined;
  }
}

const reads = queryTable<AttemptItem<RecordedRead>>({
  name: 'reads',
  about: 'what an attempt read, of files and of the session',
  sources: (source) => itemsOf(source, (attempt) => attempt.reads),
  columns: ({ text, number }) => ({
    kind: text('such as file, listing, grep, slice, key', 'item.kind'),
    what: text('in a short phrase, such as file notes.md', 'item.what'),
    path: text('path of a file or folder', 'item.path'),
    pattern: text('pattern of a search', 'item.pattern'),
    slice: text('name of a slice', 'item.slice'),
    key: text('key in the slice', 'item.key'),
    found: text('file, directory or absent', 'item.found'),
    content_hash: text('what it found (contents.hash)', 'item.content.hash'),
    content_bytes: number('its size', 'item.content.bytes'),
    position: number('its place among the reads of the attempt', 'position'),
    ...attemptColumns,
  }),
});

const sessionEvents = queryTable<AttemptItem<{ readonly name: string; readonly payload: unknown }>>({
  name: 'session_events',
  about: 'an event that an attempt dispatched to the session',
  sources: (source) => itemsOf(source, ({ events }) => events),
  columns: ({ text, number, json }) => ({
    name: text('name of the event', 'item.name'),
    payload: json('its payload', 'item.payload'),
    position: number('its place among the events of the attempt', 'position'),
    ...attemptColumns,
  }),
});

const contents = queryTable<RecordedContent>({
  name: 'contents',
  about: 'a content of a file that an attempt read or wrote, once',
  sources: contentsOf,
  columns: ({ text, number, flag }) => ({
    hash: text('SHA-256 of its bytes', 'hash'),
    bytes: number('its size', 'bytes'),
    text: text('the text; NULL: it is binary, or was not kept', 'text'),
    base64: text('the bytes of what is not text', 'base64'),
    is_omitted: flag('1: only hash and size were kept', (of) => of.isOmitted ?? false),
  }),
});

function* contentsOf(record: RunRecord): Generator<RecordedContent> {
  const seen = new Set<string>();
  for (const { attempt } of attemptsOf(record)) {
    const found = [
      ...attempt.reads.map((read) => ('content' in read ? read.content : undefined)),
      ...attempt.files.flatMap(({ before, after }) => [before, after]),
    ];
    for (const content of found) {
      if (content === undefined || seen.has(content.hash)) continue;
      seen.add(content.hash);
      yield content;
    }
  }
}

/** The tables of what attempts read and wrote. */
export const changeTables: readonly QueryTable[] = [changes, writes, reads, sessionEvents, contents];
