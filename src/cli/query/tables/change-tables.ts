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
  columns: (make) => ({
    path: make.text('path of the file', ({ item }) => item.path),
    kind: make.text('created, modified or removed', ({ item }) => item.kind),
    entry: make.text('file, or directory for an empty one', ({ item }) => item.entry),
    from_path: make.text('where it was moved from', ({ item }) => item.from),
    removed_with: make.text('the directory that it was removed with', ({ item }) => item.removedWith),
    link: make.text('the target of a symbolic link', ({ item }) => item.link ?? item.replacedLink),
    mode: make.number('permission bits, unless they are 0o644', ({ item }) => item.mode),
    replaced_mode: make.number(
      'those of the file that was replaced, where they are others',
      ({ item }) => item.replacedMode,
    ),
    before_hash: make.text('content before (contents.hash)', ({ item }) => item.before?.hash),
    before_bytes: make.number('its size', ({ item }) => item.before?.bytes),
    after_hash: make.text('content after it (contents.hash)', ({ item }) => item.after?.hash),
    after_bytes: make.number('its size', ({ item }) => item.after?.bytes),
    ...attemptColumns(make),
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
  columns: (make) => ({
    slice: make.text('name of the slice', ({ item }) => item.slice),
    op: make.text('append, put, remove, clear; log: items at the end of a log', ({ item }) => item.op),
    key: make.text('key of the item, of put', ({ item }) => (item.op === 'put' ? item.key : undefined)),
    value: make.json('the items, the item of put, the keys of remove', ({ item }) => valueOf(item)),
    position: make.number('its place among the steps of the attempt', ({ position }) => position),
    ...attemptColumns(make),
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
  columns: (make) => ({
    kind: make.text('such as file, listing, grep, slice, key', ({ item }) => item.kind),
    what: make.text('in a short phrase, such as file notes.md', ({ item }) => item.what),
    path: make.text('path of a file or folder', ({ item }) => ('path' in item ? item.path : undefined)),
    pattern: make.text('pattern of a search', ({ item }) => ('pattern' in item ? item.pattern : undefined)),
    slice: make.text('name of a slice', ({ item }) => ('slice' in item ? item.slice : undefined)),
    key: make.text('key in the slice', ({ item }) => ('key' in item ? item.key : undefined)),
    found: make.text('file, directory or absent', ({ item }) => ('found' in item ? item.found : undefined)),
    content_hash: make.text('what it found (contents.hash)', ({ item }) => contentOf(item)?.hash),
    content_bytes: make.number('its size', ({ item }) => contentOf(item)?.bytes),
    position: make.number('its place among the reads of the attempt', ({ position }) => position),
    ...attemptColumns(make),
  }),
});

function contentOf(read: RecordedRead): RecordedContent | undefined {
  return 'content' in read ? read.content : undefined;
}

const sessionEvents = queryTable<AttemptItem<{ readonly name: string; readonly payload: unknown }>>({
  name: 'session_events',
  about: 'an event that an attempt dispatched to the session',
  sources: (source) => itemsOf(source, ({ events }) => events),
  columns: (make) => ({
    name: make.text('name of the event', ({ item }) => item.name),
    payload: make.json('its payload', ({ item }) => item.payload),
    position: make.number('its place among the events of the attempt', ({ position }) => position),
    ...attemptColumns(make),
  }),
});

const contents = queryTable<RecordedContent>({
  name: 'contents',
  about: 'a content of a file that an attempt read or wrote, once',
  sources: contentsOf,
  columns: ({ text, number, flag }) => ({
    hash: text('SHA-256 of its bytes', (of) => of.hash),
    bytes: number('its size', (of) => of.bytes),
    text: text('the text; NULL: it is binary, or was not kept', (of) => of.text),
    base64: text('the bytes of what is not text', (of) => of.base64),
    is_omitted: flag('1: only hash and size were kept', (of) => of.isOmitted ?? false),
  }),
});

function* contentsOf(record: RunRecord): Generator<RecordedContent> {
  const seen = new Set<string>();
  for (const { attempt } of attemptsOf(record)) {
    const found = [
      ...attempt.reads.map(contentOf),
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
