import type { Row } from '../format/rows.ts';
import type { BuiltCall, BuiltRun, BuiltTurn } from './built.ts';

/**
 * Gets each row once it is folded in, in order, but for blobs and rows that this version does not know. What it throws is thrown by `RunFold.add()`.
 *
 * @param runs those that have begun, by their numbers; see {@link placeOf}.
 */
export type FoldListener = (row: Row, runs: readonly BuiltRun[]) => void;

/** What a row is about, as far as the rows up to it say. The objects are those of the record: later rows change them. */
export interface FoldPlace {
  /** The run that it belongs to; the root run where it belongs to none. */
  readonly run: BuiltRun;
  /** Undefined for a row of the run itself. */
  readonly turn: BuiltTurn | undefined;
  /** Undefined for a row that is about no call. */
  readonly call: BuiltCall | undefined;
}

/** Where a row belongs in what was folded. Undefined before the header. */
export function placeOf(row: Row, runs: readonly BuiltRun[]): FoldPlace | undefined {
  const run = runs[('run' in row ? row.run : undefined) ?? 0];
  if (run === undefined) return undefined;
  const what = row.type === 'event' ? row.event : row;
  const number = 'turn' in what ? what.turn : undefined;
  const callId = 'callId' in what ? what.callId : undefined;
  const turn = number === undefined ? undefined : run.turnsByNumber.get(number);
  // Most rows are about one of the last calls.
  const call = callId === undefined ? undefined : turn?.calls.findLast((each) => each.callId === callId);
  return { run, turn, call };
}
