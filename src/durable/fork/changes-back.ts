import {
  type FileChange,
  type Filesystem,
  type PutBackPath,
  type PutBackReport,
  usualMode,
} from '../../core/filesystem/index.ts';
import { present } from '../../core/internal/index.ts';
import type { JournalRow } from '../../core/runtime/index.ts';
import type { RecordedCall } from '../../record/index.ts';
import { contentOf, isKept } from '../../record/index.ts';
import {
  type PathStates as Back,
  foldFiles,
  putBackPath,
  type FileState as State,
} from '../rows/folded-files.ts';
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
  const spans = foldFiles(record.commits.slice(seq).map(({ attempt }) => attempt.files));
  const all = [...spans].map(([path, { first, last }]): Back => ({ path, found: last, wanted: first }));
  const paths = all
    .filter(({ found, wanted }) => found.kind === 'absent' || !isSame(found, wanted))
    .sort((left, right) => (left.path < right.path ? -1 : 1));
  return {
    seq,
    paths: paths.map(putBackPath),
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
