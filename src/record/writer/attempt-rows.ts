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
import { rowMembers } from '../format/references.ts';
import {
  type AttemptPart,
  attemptPart,
  type ContentReference,
  type DonePart,
  type RecordedWrite,
  type RowFileChange,
  type RowLog,
  type RowRead,
  type RunPart,
  rowFileChange,
  withContents,
} from '../format/row-parts.ts';
import {
  type AttemptRow,
  type CommitRow,
  type RowResult,
  type SeenRow,
  saidElsewhere,
} from '../format/rows.ts';
import { type BlobWriter, sha256 } from './blob-writer.ts';
import { mark } from './plain-rows.ts';

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
    const row: CommitRow = {
      type: 'commit',
      ...this.#part(commit, place, startedAtMs),
      ...present({ seq }),
      ...attachmentsOf(commit),
      result: resultOf(invocation),
    };
    this.#writers.add(commit);
    return [...seen, row];
  }

  discard(attempt: DiscardedAttempt, place: Place, startedAtMs: number): readonly (SeenRow | AttemptRow)[] {
    const { base, conflicts, invocation, why } = attempt;
    const row: AttemptRow = {
      type: 'attempt',
      ...this.#part(attempt, place, startedAtMs),
      why,
      conflicts: conflicts.map((conflict) => ({
        what: conflict.what,
        by: base === undefined ? [] : this.#writers.of(conflict, base),
      })),
      ...attachmentsOf(attempt),
      ...present({ result: invocation === undefined ? undefined : resultOf(invocation) }),
    };
    return [...this.#newlySeen(attempt, place), row];
  }

  /** What a call has done that waits for an answer. */
  staged({ observed, success }: StagedCall): StagedPart {
    const { message, value, attachments, excludeValueFromContext } = success;
    return {
      ...this.#done(observed),
      ...attachmentsOf(attachments === undefined ? {} : { attachments }),
      message,
      // The value was checked to be plain JSON when the handler returned.
      ...present({
        value: value as JsonValue | undefined,
        excludesValue: excludeValueFromContext === true ? (true as const) : undefined,
      }),
    };
  }

  #part(attempt: ObservedAttempt, place: Place, startedAtMs: number): AttemptPart {
    return {
      ...place,
      ...mark(attempt.isRedacted),
      ...rowMembers(attemptPart, attempt),
      phases: phasesAfter(attempt.phases, startedAtMs),
      policies: attempt.policies.filter(({ outcome, about }) => outcome !== 'allow' || about !== 'call'),
      ...this.#done(attempt),
    };
  }

  #done({ reads, writes, log, events, files }: StagedCall['observed']): DonePart {
    // Slices hold plain JSON only.
    const appends = log as readonly RowLog[];
    const records = appends.filter(({ slice }) => !isReported(slice));
    return {
      reads: reads.map((read) => this.#read(read)),
      writes: writes as readonly RecordedWrite[],
      log: records.length === 0 ? appends : appends.filter(({ slice }) => isReported(slice)),
      events: events.map(({ name, policy, payload }) => ({
        name,
        policy,
        payload: (payload ?? null) as JsonValue,
      })),
      files: files.map((change) => this.#change(change)),
      ...present({ records: records.length === 0 ? undefined : records }),
    };
  }

  #read(read: ObservedAttempt['reads'][number]): RowRead {
    const hash = read.result === undefined ? {} : { resultHash: sha256(read.result) };
    if (isSessionRead(read)) {
      const { result: _result, ...rest } = read;
      return { ...rest, ...hash };
    }
    const { content, names: _names, result: _result, ...rest } = read;
    return content === undefined
      ? { ...rest, ...hash }
      : { ...rest, content: this.#content(content, this.#reads === 'content'), ...hash };
  }

  #change(change: ObservedAttempt['files'][number]): RowFileChange {
    return rowMembers(
      rowFileChange,
      withContents(change, (content) => this.#content(content, true)),
    );
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

function attachmentsOf({ attachments }: Pick<CallCommit, 'attachments'>): Pick<AttemptPart, 'attachments'> {
  return attachments === undefined ? {} : { attachments: attachments.map((part) => ({ ...part })) };
}

function phasesAfter(phases: CallPhases, startedAtMs: number): CallPhases {
  const { approvals, ...times } = phases;
  const after = Object.fromEntries(Object.entries(times).map(([name, atMs]) => [name, atMs - startedAtMs]));
  // The same members, each less the start.
  return {
    ...(after as unknown as Omit<CallPhases, 'approvals'>),
    approvals: approvals.map(({ fromMs, toMs }) => ({
      fromMs: fromMs - startedAtMs,
      toMs: toMs - startedAtMs,
    })),
  };
}

const membersSaid: ReadonlySet<string> = new Set(saidElsewhere);

function resultOf(invocation: CallCommit['invocation']): RowResult {
  const kept = Object.entries(invocation).filter(([name]) => !membersSaid.has(name));
  // All other members are kept.
  return Object.fromEntries(kept) as unknown as RowResult;
}

/** Attempts that began before that many commits are not looked for: they are long gone. */
const maxCommits = 512;

/** What one commit changed. */
interface Changed {
  readonly seq: number;
  readonly paths: readonly string[];
  readonly slices: ReadonlySet<string>;
  /** Keys of keyed slices, as far as single ones were written. */
  readonly keys: ReadonlySet<string>;
  /** Slices of which more than single keys was written. */
  readonly wholeSlices: ReadonlySet<string>;
}

/** Knows which of the last commits changed what, to name who wrote what a conflict is about. */
export class ConflictWriters {
  readonly #commits: Changed[] = [];

  add({ seq, files, writes, log }: CallCommit): void {
    if (seq === undefined) return;
    const keys = new Set<string>();
    const wholeSlices = new Set<string>(log.map(({ slice }) => slice));
    for (const write of writes) {
      const { slice, op } = write;
      if (op === 'remove') for (const key of write.keys) keys.add(`${slice}\0${key}`);
      else if (op === 'put') keys.add(`${slice}\0${write.key}`);
      else wholeSlices.add(slice);
    }
    this.#commits.push({
      seq,
      paths: files.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])),
      slices: new Set([...writes, ...log].map(({ slice }) => slice)),
      keys,
      wholeSlices,
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

function hasChanged(commit: Changed, read: NonNullable<ReadConflict['read']>): boolean {
  switch (read.kind) {
    case 'slice':
    case 'log':
      return read.slice !== undefined && commit.slices.has(read.slice);
    case 'key':
      return (
        read.slice !== undefined &&
        (commit.keys.has(`${read.slice}\0${read.key}`) || commit.wholeSlices.has(read.slice))
      );
    case 'restore':
      return commit.slices.size > 0;
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
