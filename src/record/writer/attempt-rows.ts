import { present } from '../../core/internal/index.ts';
import {
  type CallCommit,
  type CallPhases,
  type DiscardedAttempt,
  isReported,
  type ObservedAttempt,
  type ReadConflict,
  type StagedCall,
} from '../../core/runtime/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import { isSessionRead } from '../../core/session/index.ts';
import type { StagedPart } from '../format/journal-rows.ts';
import { rowOf } from '../format/references.ts';
import type {
  AttemptPart,
  ContentReference,
  DonePart,
  RecordedWrite,
  RowFileChange,
  RowLog,
  RowRead,
  RowType,
  RunPart,
} from '../format/row-parts.ts';
import {
  type AttemptRow,
  type CommitRow,
  type RowResult,
  type SeenRow,
  saidElsewhere,
} from '../format/rows.ts';
import type { BlobWriter } from './blob-writer.ts';

type Place = Pick<RunPart, 'run' | 't'>;

/** Makes the rows of attempts: what they found at each path for the first time, and what they did. */
export class AttemptRows {
  readonly #blobs: BlobWriter;
  readonly #reads: 'content' | 'digest';
  readonly #writers = new ConflictWriters();
  /** Paths of which a row says what was there at first; with a NUL before it: a directory whose names one says. */
  readonly #seen = new Set<string>();

  constructor(blobs: BlobWriter, reads: 'content' | 'digest') {
    this.#blobs = blobs;
    this.#reads = reads;
  }

  /** Rows say already what was there. */
  known(seen: Iterable<SeenRow>): void {
    for (const { path, names } of seen) this.#seen.add(names === undefined ? path : `\0${path}`);
  }

  /** @param startedAtMs when the root run began. */
  commit(commit: CallCommit, place: Place, startedAtMs: number): readonly (SeenRow | CommitRow)[] {
    const { seq, invocation } = commit;
    const seen = this.#newlySeen(commit, place);
    const ending = rowOf<Pick<CommitRow, 'seq' | 'attachments' | 'result'>>({
      seq,
      attachments: attachmentsOf(commit),
      result: resultOf(invocation),
    });
    const row: CommitRow = Object.assign(this.#part('commit', commit, place, startedAtMs), ending);
    this.#writers.add(commit);
    return [...seen, row];
  }

  discard(attempt: DiscardedAttempt, place: Place, startedAtMs: number): readonly (SeenRow | AttemptRow)[] {
    const { base, conflicts, invocation, why } = attempt;
    const ending = rowOf<Pick<AttemptRow, 'why' | 'conflicts' | 'attachments' | 'result'>>({
      why,
      conflicts: conflicts.map((conflict) => ({
        what: conflict.what,
        by: base === undefined ? [] : this.#writers.of(conflict, base),
      })),
      attachments: attachmentsOf(attempt),
      result: invocation === undefined ? undefined : resultOf(invocation),
    });
    const row: AttemptRow = Object.assign(this.#part('attempt', attempt, place, startedAtMs), ending);
    return [...this.#newlySeen(attempt, place), row];
  }

  /** What a call has done that waits for an answer. */
  staged({ observed, success }: StagedCall): StagedPart {
    const { message, value, attachments, excludeValueFromContext } = success;
    return {
      ...this.#done(observed),
      ...present({ attachments: attachments?.map((part) => ({ ...part })) }),
      message,
      // The value was checked to be plain JSON when the handler returned.
      ...present({
        value: value as JsonValue | undefined,
        excludesValue: excludeValueFromContext === true ? (true as const) : undefined,
      }),
    };
  }

  #part<Type extends 'commit' | 'attempt'>(
    type: Type,
    attempt: ObservedAttempt,
    { run, t }: Place,
    startedAtMs: number,
  ): RowType<Type> & Omit<AttemptPart, 'attachments'> {
    const { reads, writes, log, events, files, records } = this.#done(attempt);
    return rowOf<RowType<Type> & Omit<AttemptPart, 'attachments'>>({
      type,
      run,
      t,
      redacted: attempt.isRedacted ? true : undefined,
      turn: attempt.turn,
      callId: attempt.callId,
      toolName: attempt.toolName,
      attempt: attempt.attempt,
      effects: attempt.effects,
      key: attempt.key,
      params: attempt.params,
      phases: phasesAfter(attempt.phases, startedAtMs),
      base: attempt.base,
      policies: attempt.policies.filter(({ outcome, about }) => outcome !== 'allow' || about !== 'call'),
      reads,
      writes,
      log,
      events,
      files,
      records,
    });
  }

  #done({ reads, writes, log, events, files }: StagedCall['observed']): Omit<DonePart, 'attachments'> {
    // Slices hold plain JSON only.
    const appends = log as readonly RowLog[];
    const records = appends.filter(({ slice }) => !isReported(slice));
    return rowOf<Omit<DonePart, 'attachments'>>({
      reads: reads.map((read) => this.#read(read)),
      writes: writes as readonly RecordedWrite[],
      log: records.length === 0 ? appends : appends.filter(({ slice }) => isReported(slice)),
      events: events.map(({ name, policy, payload }) => ({
        name,
        policy,
        payload: (payload ?? null) as JsonValue,
      })),
      files: files.map((change) => this.#change(change)),
      records: records.length === 0 ? undefined : records,
    });
  }

  #read(read: ObservedAttempt['reads'][number]): RowRead {
    const hash = read.result === undefined ? {} : { resultHash: this.#blobs.hash(read.result) };
    if (isSessionRead(read)) {
      const { result, ...rest } = read;
      return result === undefined ? read : { ...rest, ...hash };
    }
    const { content, names: _names, result, ...rest } = read;
    if (content !== undefined)
      return { ...rest, content: this.#content(content, this.#reads === 'content'), ...hash };
    return result === undefined ? rest : { ...rest, ...hash };
  }

  #change(change: ObservedAttempt['files'][number]): RowFileChange {
    const { before, after } = change;
    return rowOf<RowFileChange>({
      path: change.path,
      kind: change.kind,
      entry: change.entry,
      before: before && this.#content(before, true),
      after: after && this.#content(after, true),
      from: change.from,
      mode: change.mode,
      replacedMode: change.replacedMode,
      link: change.link,
      replacedLink: change.replacedLink,
      removedWith: change.removedWith,
    });
  }

  #content(
    content: NonNullable<ObservedAttempt['files'][number]['after']>,
    isKept: boolean,
  ): ContentReference {
    return this.#blobs.keepContent(content, isKept);
  }

  /** Calls inside others read through them, and so does their outer call. */
  #newlySeen(attempt: ObservedAttempt, place: Place): readonly SeenRow[] {
    if (attempt.path.length > 0) return [];
    const rows: SeenRow[] = [];
    for (const read of attempt.reads) {
      if (isSessionRead(read) || read.path === undefined) continue;
      const { path } = read;
      if (read.names !== undefined && this.#isNew(`\0${path}`)) {
        rows.push({ type: 'seen', ...place, path, found: 'directory', names: read.names });
      } else if (
        read.found !== undefined &&
        (read.kind === 'file' || read.found !== 'file') &&
        this.#isNew(path)
      ) {
        const { found, content } = read;
        const kept =
          content === undefined ? {} : { content: this.#content(content, this.#reads === 'content') };
        rows.push({ type: 'seen', ...place, path, found, ...kept });
      }
    }
    for (const { path, entry, before, kind } of attempt.files) {
      if (!this.#isNew(path)) continue;
      if (kind === 'created') rows.push({ type: 'seen', ...place, path, found: 'absent' });
      else if (entry === 'directory') rows.push({ type: 'seen', ...place, path, found: 'directory' });
      else if (before !== undefined)
        rows.push({ type: 'seen', ...place, path, found: 'file', content: this.#content(before, true) });
    }
    return rows;
  }

  #isNew(name: string): boolean {
    if (this.#seen.has(name)) return false;
    this.#seen.add(name);
    return true;
  }
}

function attachmentsOf({ attachments }: Pick<CallCommit, 'attachments'>): AttemptPart['attachments'] {
  return attachments?.map((part) => ({ ...part }));
}

function phasesAfter(phases: CallPhases, runStartedAtMs: number): CallPhases {
  const after = (atMs: number): number => atMs - runStartedAtMs;
  const reached = (atMs: number | undefined): number | undefined =>
    atMs === undefined ? undefined : after(atMs);
  return rowOf<CallPhases>({
    requestedAtMs: after(phases.requestedAtMs),
    startedAtMs: reached(phases.startedAtMs),
    handlerStartedAtMs: reached(phases.handlerStartedAtMs),
    handlerEndedAtMs: reached(phases.handlerEndedAtMs),
    endedAtMs: reached(phases.endedAtMs),
    settledAtMs: after(phases.settledAtMs),
    approvals: phases.approvals.map(({ fromMs, toMs }) => ({ fromMs: after(fromMs), toMs: after(toMs) })),
  });
}

const membersSaid: ReadonlySet<string> = new Set(saidElsewhere);

function resultOf(invocation: CallCommit['invocation']): RowResult {
  const kept: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(invocation)) {
    if (!membersSaid.has(name)) kept[name] = member;
  }
  // Members of the invocation by their own names, without those that the row says elsewhere: what is left has the type of the row.
  return kept as unknown as RowResult;
}

/** Attempts that began before that many commits are not looked for: they are long gone. */
const maxCommits = 512;

/** What one commit changed. */
interface Changed {
  readonly seq: number;
  readonly paths: readonly string[];
  /** Slices, each with the keys of it that were written; undefined: more than single keys. */
  readonly slices: readonly { readonly slice: string; readonly keys: readonly string[] | undefined }[];
}

/** Knows which of the last commits changed what, to name who wrote what a conflict is about. */
export class ConflictWriters {
  readonly #commits: Changed[] = [];

  add({ seq, files, writes, log }: CallCommit): void {
    if (seq === undefined) return;
    this.#commits.push({
      seq,
      paths: files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
      slices: [
        ...writes.map((write) => ({ slice: write.slice, keys: keysOf(write) })),
        ...log.map(({ slice }) => ({ slice, keys: undefined })),
      ],
    });
    if (this.#commits.length > maxCommits) this.#commits.shift();
  }

  /** Numbers of the commits after `base` that changed what was read. Empty: it was changed from outside, or by what cannot be named. */
  of({ read }: ReadConflict, base: number): readonly number[] {
    const found: number[] = [];
    for (let index = this.#commits.length - 1; index >= 0; index -= 1) {
      const commit = this.#commits[index];
      if (commit === undefined || commit.seq <= base) break;
      if (read !== undefined && hasChanged(commit, read)) found.unshift(commit.seq);
    }
    return found;
  }
}

function keysOf(write: CallCommit['writes'][number]): readonly string[] | undefined {
  if (write.op === 'remove') return write.keys;
  return write.op === 'put' ? [write.key] : undefined;
}

function hasChanged(commit: Changed, read: NonNullable<ReadConflict['read']>): boolean {
  switch (read.kind) {
    case 'slice':
    case 'log':
      return commit.slices.some(({ slice }) => slice === read.slice);
    case 'key': {
      const { key } = read;
      return commit.slices.some(
        ({ slice, keys }) =>
          slice === read.slice && (keys === undefined || (key !== undefined && keys.includes(key))),
      );
    }
    case 'restore':
      return commit.slices.length > 0;
    case 'quota':
    case 'quota-refusal':
      return commit.paths.length > 0;
    case 'file':
    case 'kind':
      return commit.paths.some(
        (path) => path === read.path || isBelow(path, read.path) || isBelow(read.path, path),
      );
    case 'listing':
    case 'emptiness':
    case 'names':
    case 'glob':
    case 'grep':
    case 'tree':
      return commit.paths.some((path) => path === read.path || isBelow(path, read.path));
  }
}

function isBelow(path: string | undefined, folder: string | undefined): boolean {
  if (path === undefined || folder === undefined) return false;
  return folder === '.' || path.startsWith(`${folder}/`);
}
