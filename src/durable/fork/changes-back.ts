import {
  type FileChange,
  type Filesystem,
  type PutBackPath,
  type PutBackReport,
  type RecordedEntry,
  usualMode,
} from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { JournalRow } from '../../core/runtime/index.ts';
import type { RecordedCall, RecordedContent, RecordedFileChange } from '../../record/index.ts';
import { bytesOf, contentOf, isKept } from '../../record/index.ts';
import { readRunRows } from '../rows/run-rows.ts';
import { commitOf, commitsBefore } from './fork-run.ts';

/** Where a run is taken back to. */
export interface RewindPlace {
  /** Number of the last commit that stays; 0: none does. */
  readonly seq: number;
  /** When that commit was made, or the run began, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  /** The call that was named, where it was not committed: it has changed nothing, and the place is where it began. */
  readonly uncommitted?: Pick<RecordedCall, 'id' | 'outcome'>;
  /** The first commit that is taken back, and its call; undefined when there is none. */
  readonly next: { readonly seq: number; readonly callId: string } | undefined;
}

/**
 * The place that someone means by a number of a commit or by the id of a call.
 *
 * @param isBefore whether the named commit, from 1 on, is taken back, too.
 * @throws {PromptValidationError} for a run that the journal does not have, and for a commit or a call that the run does not have.
 */
export function rewindPlace(
  runId: string,
  rows: readonly JournalRow[],
  mark: number | string,
  isBefore: boolean,
): RewindPlace {
  const record = readRunRows(runId, rows).record();
  const call = typeof mark === 'string' ? record.call(mark) : undefined;
  const isUncommitted = call !== undefined && (call.seq === undefined || !call.isFinal);
  const named = isUncommitted ? commitsBefore(record, call) : commitOf(runId, record, mark, 'taken back');
  const seq = isBefore && !isUncommitted ? named - 1 : named;
  const next = record.commits[seq];
  return {
    seq,
    atMs: record.startedAtMs + (record.commits[seq - 1]?.atMs ?? 0),
    next: next === undefined ? undefined : { seq: next.seq, callId: next.call.id },
    ...present({
      uncommitted: isUncommitted ? { id: call.id, ...present({ outcome: call.outcome }) } : undefined,
    }),
  };
}

/** What brings the files of a run back to how they were after a commit. */
export interface ChangesBack {
  /** Number of the commit; 0: before the first. */
  readonly seq: number;
  /** What the later commits have changed, sorted by path. */
  readonly paths: readonly PutBackPath[];
  /** The same as changes, from how the last commit left a path to how it was, for people to read. */
  readonly changes: readonly FileChange[];
  /** Files and links that cannot be made again: the journal does not have what was in them. */
  readonly missing: readonly string[];
}

/**
 * The changes of the commits after one, taken back.
 *
 * @param to number of the commit, or id of its call, as `forkRun` takes it.
 * @param what is to be done there, for the error.
 * @throws {PromptValidationError} for a run that the journal does not have, and a commit that the run does not have.
 */
export function changesBack(
  runId: string,
  rows: readonly JournalRow[],
  to: number | string,
  what: 'forked' | 'taken back' = 'taken back',
): ChangesBack {
  const record = readRunRows(runId, rows).record();
  const seq = commitOf(runId, record, to, what);
  const spans = new Map<string, Span>();
  for (const { attempt } of record.commits.slice(seq)) addTo(spans, attempt.files);
  const all = [...spans].map(([path, { first, last }]): Back => ({ path, found: last, wanted: first }));
  const paths = all
    .filter(({ found, wanted }) => found.kind === 'absent' || !isSame(found, wanted))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
  return {
    seq,
    paths: paths.map(({ path, found, wanted }) => ({
      path,
      found: entryOf(found),
      wanted: entryOf(wanted),
      ...present({
        data: wanted.kind === 'file' && isKept(wanted.content) ? () => bytesOf(wanted.content) : undefined,
      }),
    })),
    changes: paths.flatMap(changesOf),
    missing: paths.flatMap(({ path, wanted }) => (isMissing(wanted) ? path : [])),
  };
}

/**
 * Puts a folder back, by content: each path is as the run left it, as it is to be, or was changed by another process.
 *
 * @param apply whether they are written: all, or none when another process has changed one. Default: they are only compared.
 * @throws {FilesystemError} when the disk refuses; nothing is then written.
 */
export function rewindFolder(
  filesystem: Filesystem,
  { paths }: Pick<ChangesBack, 'paths'>,
  apply = false,
): PutBackReport {
  const report = filesystem['~putBack']?.(paths, apply);
  if (report === undefined) throw new TypeError('Only files on a disk can be taken back.');
  return report;
}

/** What is at a path, with the content that rows have of it. */
type State =
  | Exclude<RecordedEntry, { readonly kind: 'file' }>
  | (Extract<RecordedEntry, { readonly kind: 'file' }> & { readonly content: RecordedContent });

/** How a path was before the first of the changes, and after the last. */
interface Span {
  readonly first: State;
  readonly last: State;
}

interface Back {
  readonly path: string;
  readonly found: State;
  readonly wanted: State;
}

const absent: State = { kind: 'absent' };

/** Adds what one commit has changed: it can have removed one entry of a path and created another. */
function addTo(spans: Map<string, Span>, files: readonly RecordedFileChange[]): void {
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

function replacedBy(put: RecordedFileChange | undefined): State {
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
): State {
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

function entryOf(state: State): RecordedEntry {
  if (state.kind !== 'file') return state;
  const { content: _content, ...entry } = state;
  return entry;
}

function isSame(left: State, right: State): boolean {
  if (left.kind === 'file' && right.kind === 'file')
    return left.hash !== '' && left.hash === right.hash && left.mode === right.mode;
  if (left.kind === 'link' && right.kind === 'link')
    return left.text === right.text && left.from === undefined;
  return left.kind === right.kind && left.kind === 'directory';
}

/** Characters of a link that were not UTF-8 are not known. */
function isMissing(wanted: State): boolean {
  if (wanted.kind === 'link') return wanted.text.includes('\uFFFD');
  return wanted.kind === 'file' && !isKept(wanted.content);
}

/** One change, or two where an entry of another kind is to be at the path. */
function changesOf({ path, found, wanted }: Back): readonly FileChange[] {
  if (found.kind === 'file' && wanted.kind === 'file') {
    return [
      {
        path,
        kind: 'modified',
        entry: 'file',
        before: contentOf(found.content),
        after: contentOf(wanted.content),
        ...modeOf(wanted),
        ...present({ replacedMode: found.mode === wanted.mode ? undefined : found.mode }),
      },
    ];
  }
  return [...changeOf(path, 'removed', found), ...changeOf(path, 'created', wanted)];
}

function changeOf(path: string, kind: 'created' | 'removed', state: State): readonly FileChange[] {
  if (state.kind === 'absent') return [];
  if (state.kind === 'directory') return [{ path, kind, entry: 'directory' }];
  if (state.kind === 'link') return [{ path, kind, entry: 'file', link: state.text }];
  const side = kind === 'created' ? 'after' : 'before';
  return [{ path, kind, entry: 'file', [side]: contentOf(state.content), ...modeOf(state) }];
}

function modeOf({ mode }: { readonly mode: number }): Pick<FileChange, 'mode'> {
  return mode === usualMode ? {} : { mode };
}
