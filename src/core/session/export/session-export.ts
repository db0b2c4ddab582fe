import { describeError, SnapshotError } from '../../error/index.ts';
import { freezeJson, type JsonValue } from '../../schema/index.ts';
import { internalsOf, invalidItem } from '../slice/define-slice.ts';
import { KeyedState, type SliceState, type StoredSlice } from '../slice/slice.ts';
import { type Registry, type SessionState, sliceStateIn, withSliceState } from '../state/cell.ts';

/** What a session holds, as plain JSON: made by `Session.exportState`, taken back by `Session.importState`. */
export interface SessionExport {
  readonly format: typeof exportFormat;
  /** Version of this format. */
  readonly version: typeof exportVersion;
  readonly id: string;
  /** Absent for a session without a parent. */
  readonly parentId?: string;
  /** Oldest first. */
  readonly childIds: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
  /** When the session was made, in milliseconds since the Unix epoch. */
  readonly createdAtMs: number;
  /** When this was made, in milliseconds since the Unix epoch. */
  readonly exportedAtMs: number;
  /** Whether LOG slices are part of it. */
  readonly includesLogs: boolean;
  /** By name. A slice that was never written is not listed. */
  readonly slices: readonly SliceExport[];
}

/** The items of one slice in a {@link SessionExport}. */
export interface SliceExport {
  readonly name: string;
  /** The `version` of the slice's declaration. */
  readonly version: number;
  readonly items: readonly JsonValue[];
}

/** Options of `Session.exportState`. */
export interface SessionExportOptions {
  /** Export LOG slices too. Default false. */
  readonly includeLogs?: boolean;
}

export const exportFormat = 'weakincentives.session';
/** Raise it when the format changes, and keep reading what was written before. */
export const exportVersion = 1;

/** The slices of a state, in the order of their names. Throws SnapshotError `snapshot-item-invalid`. */
export function exportSlices(
  registry: Registry,
  present: SessionState,
  { includeLogs = false }: SessionExportOptions,
): readonly SliceExport[] {
  const written = [...present.layout].filter(
    ([, place]) => present.slices[place] !== undefined || (includeLogs && present.logs[place] !== undefined),
  );
  const names = written.map(([name]) => name).sort();
  const exported = names.map((name) => {
    const slice = registry.sliceNamed(name);
    const { version, assertImportable } = internalsOf(slice);
    const state = sliceStateIn(present, slice);
    assertImportable(state);
    // Items of a slice are frozen plain JSON since they entered it.
    return Object.freeze({ name, version, items: state.all() as readonly JsonValue[] });
  });
  return Object.freeze(exported);
}

/** Options of `Session.importState`. */
export interface SessionImportOptions {
  /** What to do about slices that this session does not know. Default: `refuse`. */
  readonly unknownSlices?: 'refuse' | 'skip';
  /** How many objects, lists and plain values there may be in the whole export. Default 10,000,000. */
  readonly maxValues?: number;
}

/** What `Session.importState` did. */
export interface SessionImportReport {
  /** Names of the slices that were taken in, as listed. */
  readonly imported: readonly string[];
  /** Those among them that were of an earlier version. */
  readonly migrated: readonly string[];
  /** Names of the slices that this session does not know. */
  readonly skipped: readonly string[];
}

/** A session state with the slices of an export in it. */
export interface ImportedState {
  readonly next: SessionState;
  readonly report: SessionImportReport;
}

/**
 * Migrates and validates the items of an export. In the state that results slices that are not listed have their initial
 * items; in an export without logs, LOG slices have those of `present`.
 * @throws {SnapshotError} codes `snapshot-slice-unknown`, `snapshot-version-unsupported`, `snapshot-migration-failed`,
 * `snapshot-item-invalid`.
 */
export function importSlices(
  registry: Registry,
  present: SessionState,
  { slices, includesLogs }: SessionExport,
  { unknownSlices = 'refuse' }: SessionImportOptions,
): ImportedState {
  const known = registry.slices();
  const skipped = slices.map(({ name }) => name).filter((name) => !known.has(name));
  if (skipped.length > 0 && unknownSlices === 'refuse') {
    throw new SnapshotError(
      'snapshot-slice-unknown',
      `The export holds slices that are not installed in this session: ${skipped.join(', ')}. Install them first, or leave them out with unknownSlices: 'skip'.`,
      { details: { slices: skipped } },
    );
  }
  const imported: string[] = [];
  const migrated: string[] = [];
  const { initialState } = registry;
  let next = includesLogs ? initialState : { ...initialState, logs: present.logs };
  for (const exported of slices) {
    const slice = known.get(exported.name);
    if (slice === undefined) continue;
    const items = presentItems(exported, slice);
    next = withSliceState(next, slice, filled(slice, sliceStateIn(initialState, slice), items));
    imported.push(slice.name);
    if (exported.version < internalsOf(slice).version) migrated.push(slice.name);
  }
  return { next, report: freezeJson({ imported, migrated, skipped }, 'the report of an import') };
}

/** The items of an export in the shape that the slice has today; not validated. */
function presentItems({ name, version, items }: SliceExport, slice: StoredSlice): readonly unknown[] {
  const { version: present, migrate } = internalsOf(slice);
  if (version === present) return items;
  const details = { slice: name, version, presentVersion: present };
  if (version > present || migrate === undefined) {
    const reason = version > present ? 'that is later' : 'it has no migrate';
    throw new SnapshotError(
      'snapshot-version-unsupported',
      `Slice ${name} is exported in version ${version}; it is declared in version ${present}, and ${reason}.`,
      { details },
    );
  }
  let migrated: unknown;
  try {
    migrated = migrate(items, version);
  } catch (cause) {
    throw new SnapshotError(
      'snapshot-migration-failed',
      `The migrate of slice ${name} threw for items of version ${version}: ${describeError(cause)}`,
      { cause, details },
    );
  }
  if (Array.isArray(migrated)) return migrated;
  throw new SnapshotError(
    'snapshot-migration-failed',
    `The migrate of slice ${name} returned no list for items of version ${version}. It must return the items, and no promise.`,
    { details },
  );
}

function filled(slice: StoredSlice, initial: SliceState, items: readonly unknown[]): SliceState {
  const { parseImported } = internalsOf(slice);
  let state = initial.cleared();
  for (const [index, item] of items.entries()) {
    const before = state;
    try {
      state = before.append(parseImported(item));
    } catch (error) {
      throw invalidItem(slice.name, index, error);
    }
    if (state instanceof KeyedState && state.length === before.length) {
      throw invalidItem(slice.name, index, new Error('an item before it has the same key'));
    }
  }
  return state;
}
