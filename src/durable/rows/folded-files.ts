import { type PutBackPath, type RecordedEntry, usualMode } from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { RecordedContent, RecordedFileChange } from '../../record/index.ts';
import { bytesOf, isKept } from '../../record/index.ts';

/** What is at a path, with the content that rows have of it. */
export type FileState =
  | Exclude<RecordedEntry, { readonly kind: 'file' }>
  | (Extract<RecordedEntry, { readonly kind: 'file' }> & { readonly content: RecordedContent });

/** How a path was before the first of several changes, and after the last. */
export interface FileSpan {
  readonly first: FileState;
  readonly last: FileState;
}

/** A path that is to be in another state. */
export interface PathStates {
  readonly path: string;
  readonly found: FileState;
  readonly wanted: FileState;
}

/** What brings a path from one state to another on a disk. */
export function putBackPath({ path, found, wanted }: PathStates): PutBackPath {
  return {
    path,
    found: entryOf(found),
    wanted: entryOf(wanted),
    ...present({
      data: wanted.kind === 'file' && isKept(wanted.content) ? () => bytesOf(wanted.content) : undefined,
    }),
  };
}

/** What commits have changed, in their order, one span for each path. */
export function foldFiles(commits: Iterable<readonly RecordedFileChange[]>): ReadonlyMap<string, FileSpan> {
  const spans = new Map<string, FileSpan>();
  for (const files of commits) addTo(spans, files);
  return spans;
}

/**
 * Whether directories are there after commits: rows name a directory only while it is empty, so others are known by what was in them. Has each path that was a directory, or
 * was something else that a commit has removed.
 */
export function foldDirectories(
  commits: Iterable<readonly RecordedFileChange[]>,
): ReadonlyMap<string, boolean> {
  const there = new Map<string, boolean>();
  for (const files of commits) {
    const removed = files.filter(({ kind }) => kind === 'removed');
    for (const { path, removedWith } of removed) {
      there.set(path, false);
      if (removedWith === undefined) continue;
      there.set(removedWith, false);
      for (const parent of parentsOf(path))
        if (parent.startsWith(`${removedWith}/`)) there.set(parent, false);
    }
    for (const { path, kind, entry, link } of files) {
      if (kind === 'removed') continue;
      there.set(path, entry === 'directory' && link === undefined);
      for (const parent of parentsOf(path)) there.set(parent, true);
    }
  }
  return there;
}

/** The directories above a path, but for the root. */
function parentsOf(path: string): readonly string[] {
  const names = path.split('/');
  return names.slice(1).map((_name, index) => names.slice(0, index + 1).join('/'));
}

const absent: FileState = { kind: 'absent' };

/** Adds what one commit has changed: it can have removed one entry of a path and created another. */
function addTo(spans: Map<string, FileSpan>, files: readonly RecordedFileChange[]): void {
  const byPath = new Map<
    string,
    { readonly removed?: RecordedFileChange; readonly put?: RecordedFileChange }
  >();
  for (const change of files) {
    const part = change.kind === 'removed' ? { removed: change } : { put: change };
    byPath.set(change.path, { ...byPath.get(change.path), ...part });
  }
  for (const [path, { removed, put }] of byPath) {
    const first =
      spans.get(path)?.first ?? (removed === undefined ? replacedBy(put) : stateOf(removed, removed.before));
    spans.set(path, { first, last: put === undefined ? absent : stateOf(put, put.after) });
  }
}

function replacedBy(put: RecordedFileChange | undefined): FileState {
  if (put?.kind !== 'modified') return absent;
  const { replacedLink, replacedMode = put.mode } = put;
  const { link: _link, from: _from, mode: _mode, ...change } = put;
  return stateOf(
    {
      ...change,
      ...present({ link: replacedLink, mode: replacedMode }),
    },
    put.before,
  );
}

function stateOf(
  { entry, link, mode = usualMode, from, kind }: RecordedFileChange,
  content: RecordedContent | undefined,
): FileState {
  if (link !== undefined) {
    return {
      kind: 'link',
      text: link,
      ...present({ from: from === undefined || kind === 'removed' ? undefined : from }),
    };
  }
  if (entry === 'directory') return { kind: 'directory' };
  const known = content ?? { hash: '', bytes: 0, isOmitted: true };
  return { kind: 'file', hash: known.hash, bytes: known.bytes, mode, content: known };
}

function entryOf(state: FileState): RecordedEntry {
  if (state.kind !== 'file') return state;
  const { content: _content, ...entry } = state;
  return entry;
}
