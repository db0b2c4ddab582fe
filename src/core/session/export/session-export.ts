import type { JsonValue } from '../../schema/index.ts';
import { internalsOf } from '../slice/define-slice.ts';
import { type Registry, type SessionState, sliceStateIn } from '../state/cell.ts';

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
