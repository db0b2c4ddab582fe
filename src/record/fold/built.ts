import { none } from '../../core/internal/index.ts';
import type { BareEvent, RecordedApproval, RecordedFeedback } from '../../core/runtime/index.ts';
import { type RunHeader, runHeader } from '../format/header-row.ts';
import { rowMembers } from '../format/references.ts';
import type { AttemptRow, RowResult } from '../format/rows.ts';
import type {
  RecordedAttempt,
  RecordedCall,
  RecordedEvent,
  RecordedRun,
  RecordedTurn,
} from './run-record.ts';

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A call while rows of it may follow. */
export interface BuiltCall
  extends Writable<Omit<RecordedCall, 'run' | 'attempts' | 'approvals' | 'feedback' | 'inner' | 'progress'>> {
  readonly run: BuiltRun;
  readonly attempts: RecordedAttempt[];
  approvals: readonly RecordedApproval[];
  feedback: readonly RecordedFeedback[];
  readonly inner: BuiltRun[];
  readonly progress: RecordedCall['progress'][number][];
  /** How many attempts the lives before this one have made. */
  numbering: { readonly life: number; readonly before: number };
  /** For how long someone was waited for in a life that ended meanwhile, before the next attempt. */
  waited: { readonly fromMs: number; readonly toMs: number; readonly life: number } | undefined;
  /** The attempt that was committed, and how often the run had been resumed by then. */
  committed: { readonly attempt: number; readonly life: number } | undefined;
}

/** A turn while rows of it may follow. */
export interface BuiltTurn extends Writable<Omit<RecordedTurn, 'run' | 'calls' | 'events'>> {
  readonly run: BuiltRun;
  readonly calls: BuiltCall[];
  readonly events: RecordedEvent[];
}

/** A run while rows of it may follow. */
export interface BuiltRun extends Writable<Omit<RecordedRun, 'parent' | 'turns'>> {
  parent?: Omit<NonNullable<RecordedRun['parent']>, 'call'> & { readonly call: BuiltCall };
  /** How often the root run had been resumed when it began. */
  life: number;
  readonly turns: BuiltTurn[];
  readonly turnsByNumber: Map<number, BuiltTurn>;
}

/** The turn that an event belongs to; undefined for one of the run itself. */
export function turnOf(event: BareEvent): number | undefined {
  return 'turn' in event ? event.turn : undefined;
}

/** A run that begins. */
export function builtRun(index: number, description: RunHeader, startedAtMs: number): BuiltRun {
  const header = rowMembers(runHeader, description);
  return { ...header, index, startedAtMs, life: 0, turns: [], turnsByNumber: new Map() };
}

/** A run continues: how it had ended does not count. */
export function reopenRun(run: BuiltRun): void {
  for (const key of ['outcome', 'endedAtMs', 'usage', 'text', 'output', 'error'] as const) delete run[key];
}

/** A call is made again: how it had ended does not count. */
export function reopenCall(call: BuiltCall): void {
  delete call.endedAtMs;
  for (const key of endOfCall) delete call[key];
  Object.assign(call, { feedback: none, approvals: none, residualEffects: none, openedSections: none });
}

/** Members of a call that are those of its result. */
const endOfCall = ['outcome', 'message', 'modelText', 'reason', 'value', 'error', 'policy', 'usage'] as const;

/** What is known of a call that was settled. */
export function settleCall(call: BuiltCall, result: RowResult, atMs: number): void {
  const { feedback = none, approvals = none, residualEffects = none, openedSections = none } = result;
  // It may have been settled by the end of the run before.
  reopenCall(call);
  const sections = openedSections.map(({ section }) => section);
  Object.assign(call, { endedAtMs: atMs, feedback, approvals, residualEffects, openedSections: sections });
  for (const key of endOfCall) if (result[key] !== undefined) Object.assign(call, { [key]: result[key] });
  // Its arguments did not fit the tool, which may have misread them.
  if (result.outcome === 'rejected') delete call.subject;
}

/**
 * Whether the commit of the call around an evaluation has taken in what it did. What began before the run was resumed was taken over, unless the call has made it
 * anew.
 */
export function isTakenIn(run: BuiltRun): boolean {
  const { parent, life } = run;
  if (parent === undefined || parent.policy !== undefined) return false;
  const { call, attempt, evaluation } = parent;
  if (!call.isFinal || call.committed === undefined) return false;
  if (life === call.committed.life) return attempt === call.committed.attempt;
  const isOfPlace = ({ parent: other }: BuiltRun): boolean =>
    other?.evaluation === evaluation && other.policy === undefined;
  return call.inner.findLast(isOfPlace) === run;
}

/** Whether an attempt settled its call. What the end of a run cut off is not decided: resumed, it is done again. */
export function isDecidedFailure({ why, result: end }: Pick<AttemptRow, 'why' | 'result'>): boolean {
  if (why !== 'failed' || end === undefined) return false;
  return end.outcome !== 'aborted' || end.reason === 'in-doubt' || end.reason === 'interrupted-repeatedly';
}
