import { none } from '../../core/internal/index.ts';
import type { Session, SliceExport } from '../../core/session/index.ts';
import type {
  AttemptRow,
  CommitRow,
  RecordedWrite,
  RowLog,
  SliceRow,
  StagedPart,
} from '../../record/index.ts';
import { StateTimeline } from '../../record/index.ts';
import {
  callKey,
  type Decision,
  type EvaluationRows,
  type RecordedStateChange,
  type RunRows,
} from '../rows/run-rows.ts';

/** What had to be done so that the rows of a run fit the slices of a session. */
export interface RowMigration {
  /** The slices that have another version now, or are not installed, sorted. */
  readonly changed: readonly string[];
  /** What the slices of other versions hold at the end of the rows; undefined: there are none. */
  readonly migrated:
    | { readonly slices: ReadonlySet<string>; readonly writes: readonly RecordedWrite[] }
    | undefined;
  /** Calls of the run that have no end, and whose evaluations inside have changed such slices. */
  readonly inner: readonly InnerChange[];
}

interface InnerChange {
  readonly call: { readonly turn: number; readonly callId: string };
  readonly slices: readonly string[];
}

interface Steps {
  readonly writes: readonly RecordedWrite[];
  readonly log: readonly RowLog[];
}

/**
 * Makes the rows of a run fit the slices of a session; they are changed in place. After each step a slice of another version holds what an import of its items at that moment
 * has in it; steps of slices that are not installed are left out. In time proportional to the items at each such step, and in none where all versions are the same.
 *
 * @throws {SnapshotError} `snapshot-version-unsupported`, `snapshot-migration-failed`, `snapshot-item-invalid`.
 * @see docs/spec/durable-runs.md §4
 */
export function migrateRows(rows: RunRows, session: Session): RowMigration {
  return new MigratingRows(session).migrate(rows);
}

class MigratingRows {
  /** Where items are imported. */
  readonly #draft: Session;
  readonly #present: ReadonlyMap<string, number>;
  /** Slices that had another version at some time of the run. */
  readonly #outdated = new Set<string>();
  readonly #unknown = new Set<string>();
  readonly #versions = new Map<string, number>();
  readonly #timeline = new StateTimeline();
  readonly #latest = new Map<string, readonly RecordedWrite[]>();
  #seq = 0;

  constructor(session: Session) {
    this.#draft = session.clone({ id: session.id });
    this.#present = new Map(session.observe(0).slices.map(({ name, version }) => [name, version]));
  }

  migrate(rows: RunRows): RowMigration {
    for (const slice of declaredSlices(rows)) this.#sort(slice);
    if (this.#outdated.size + this.#unknown.size === 0)
      return { changed: none, migrated: undefined, inner: none };
    const inner = this.#inner(rows);
    if (rows.start !== undefined) rows.start = this.#change(rows.start);
    rows.changes = rows.changes.map((change) => this.#change(change));
    const { decisions } = rows.root;
    for (const [at, decision] of decisions.entries()) decisions[at] = this.#decision(decision);
    for (const [id, { staged, ...question }] of rows.questions)
      if (staged !== undefined && this.#touches(staged)) rows.questions.set(id, question);
    return { ...this.#result(), inner };
  }

  #sort({ name, version }: SliceRow): void {
    const present = this.#present.get(name);
    if (present === undefined) this.#unknown.add(name);
    else if (present !== version) this.#outdated.add(name);
  }

  #result(): Pick<RowMigration, 'changed' | 'migrated'> {
    const slices = [...this.#outdated].filter((name) => this.#versions.get(name) !== this.#present.get(name));
    const changed = [...slices, ...this.#unknown].sort();
    if (slices.length === 0) return { changed, migrated: undefined };
    const writes = slices.flatMap((name) => this.#latest.get(name) ?? none);
    return { changed, migrated: { slices: new Set(slices), writes } };
  }

  #decision(decision: Decision): Decision {
    const { changes } = decision;
    if (decision.kind !== 'call') return { ...decision, changes: changes.map((each) => this.#change(each)) };
    const { row } = decision;
    const steps = this.#steps({
      writes: row.type === 'commit' ? row.writes : none,
      log: row.log,
      slices: none,
    });
    const after = changes.map((each) => this.#change(each));
    if (row.type === 'commit') return { ...decision, row: { ...row, ...steps }, changes: after };
    // Of a failed call only what it logged remains.
    const migrated: readonly RecordedStateChange[] =
      steps.writes.length === 0 ? none : [{ writes: steps.writes, log: none, slices: none }];
    return { ...decision, row: { ...row, log: steps.log }, changes: [...migrated, ...after] };
  }

  #change(change: RecordedStateChange): RecordedStateChange {
    return { ...this.#steps(change), slices: change.slices };
  }

  /** Steps that do to the slices of today what these did. */
  #steps({ writes, log, slices }: RecordedStateChange): Steps {
    const isOutdated = ({ slice }: { readonly slice: string }): boolean => this.#outdated.has(slice);
    const isKept = ({ slice }: { readonly slice: string }): boolean =>
      !(this.#outdated.has(slice) || this.#unknown.has(slice));
    const declared = slices.filter(({ name }) => this.#outdated.has(name));
    for (const slice of declared) {
      this.#timeline.declare(slice);
      this.#versions.set(slice.name, slice.version);
    }
    const old = { writes: writes.filter(isOutdated), log: log.filter(isOutdated) };
    const touched = new Set([
      ...declared.map(({ name }) => name),
      ...[...old.writes, ...old.log].map(({ slice }) => slice),
    ]);
    const kept = { writes: writes.filter(isKept), log: log.filter(isKept) };
    if (touched.size === 0) return kept;
    this.#timeline.commit();
    this.#timeline.add({ ...old, call: undefined });
    this.#seq += 1;
    return { ...kept, writes: [...kept.writes, ...this.#migrated(touched)] };
  }

  #migrated(names: ReadonlySet<string>): readonly RecordedWrite[] {
    return this.#timeline.at(this.#seq).flatMap(({ name, items }) => {
      if (!names.has(name)) return [];
      const version = this.#versions.get(name) ?? 1;
      const exported = { name, version, items: items.map(({ value }) => value) };
      const all: readonly RecordedWrite[] = [{ slice: name, op: 'clear' }, ...this.#imported(exported)];
      this.#latest.set(name, all);
      return all;
    });
  }

  /** What fills an empty slice with exported items. */
  #imported(exported: SliceExport): readonly RecordedWrite[] {
    this.#draft.reset();
    const state = this.#draft.exportState();
    this.#draft.importState({ ...state, includesLogs: true, slices: [exported] });
    const { writes, log } = this.#draft.observe(0);
    const appends = log.map(({ slice, items }) => ({ slice, op: 'append', items }));
    // Slices hold plain JSON only.
    const all = [...writes, ...appends] as readonly RecordedWrite[];
    return all.filter(({ slice }) => slice === exported.name);
  }

  /** What was done in calls that have no end. Leaves out the slices that are not installed. */
  #inner(rows: RunRows): readonly InnerChange[] {
    const decided = new Set(
      rows.root.decisions.flatMap((each) => (each.kind === 'call' ? callKey(each) : [])),
    );
    const found: InnerChange[] = [];
    for (const [key, evaluation] of rows.inner) {
      const [, turn = '', callId = ''] = key.split('/');
      const call = { turn: Number(turn), callId: decodeURIComponent(callId) };
      const slices = this.#changedIn(evaluation);
      if (slices.length > 0 && !decided.has(callKey(call))) found.push({ call, slices });
      for (const [at, decision] of evaluation.decisions.entries()) {
        if (decision.kind === 'call')
          evaluation.decisions[at] = { ...decision, row: this.#withoutUnknown(decision.row) };
      }
    }
    return found;
  }

  #changedIn({ decisions }: EvaluationRows): readonly string[] {
    const names = decisions.flatMap((each) => (each.kind === 'call' ? changedSlices(each.row) : []));
    return [...new Set(names)].filter((name) => this.#outdated.has(name)).sort();
  }

  #withoutUnknown<R extends CommitRow | AttemptRow>(row: R): R {
    const isKnown = ({ slice }: { readonly slice: string }): boolean => !this.#unknown.has(slice);
    return { ...row, writes: row.writes.filter(isKnown), log: row.log.filter(isKnown) };
  }

  /** Whether what a call has done that waits for an answer is about slices that have changed: it is done again. */
  #touches(staged: StagedPart): boolean {
    const read = staged.reads.flatMap(({ slice }) => slice ?? []);
    return [...changedSlices(staged), ...read].some(
      (name) => this.#outdated.has(name) || this.#unknown.has(name),
    );
  }
}

function changedSlices({ writes, log }: Steps): readonly string[] {
  return [...writes, ...log].map(({ slice }) => slice);
}

function declaredSlices({ start, changes, root }: RunRows): readonly SliceRow[] {
  const later = root.decisions.flatMap((decision) => decision.changes);
  return [...(start === undefined ? none : [start]), ...changes, ...later].flatMap(({ slices }) => slices);
}
