import { none, present } from '../../internal/index.ts';
import type { RecordedApproval, RecordedFeedback, RunEvent } from '../../runtime/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { RowResult, RunDescription } from '../format/rows.ts';
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
  readonly progress: { readonly atMs: number; readonly update: JsonValue }[];
  /** The attempt that was committed. */
  committedAttempt: number | undefined;
}

/** A turn while rows of it may follow. */
export interface BuiltTurn extends Writable<Omit<RecordedTurn, 'run' | 'calls' | 'events'>> {
  readonly run: BuiltRun;
  readonly calls: BuiltCall[];
  readonly events: RecordedEvent[];
}

/** A run while rows of it may follow. */
export interface BuiltRun extends Writable<Omit<RecordedRun, 'parent' | 'turns'>> {
  parent?: {
    readonly call: BuiltCall;
    readonly attempt: number;
    readonly evaluation: number;
    readonly policy?: string;
  };
  readonly turns: BuiltTurn[];
  readonly turnsByNumber: Map<number, BuiltTurn>;
}

/** The turn that an event belongs to; undefined for one of the run itself. */
export function turnOf(event: RunEvent): number | undefined {
  return 'turn' in event ? event.turn : undefined;
}

/** A run that begins. */
export function builtRun(index: number, description: RunDescription, startedAtMs: number): BuiltRun {
  const { evaluationId, promptName, prompt, agent, adapter, provider, model, prices } = description;
  return {
    index,
    evaluationId,
    promptName,
    prompt,
    adapter,
    model,
    ...present({ agent, provider, prices }),
    settings: description.settings,
    tools: description.tools,
    toolsHash: description.toolsHash,
    policies: description.policies,
    startedAtMs,
    turns: [],
    turnsByNumber: new Map(),
  };
}

/** What is known of a call that was settled. */
export function settleCall(call: BuiltCall, result: RowResult, atMs: number): void {
  const { outcome, reason, message, modelText, value, error, policy, feedback = none, usage } = result;
  const { approvals = none, residualEffects = none, openedSections = none } = result;
  Object.assign(
    call,
    present({ outcome, endedAtMs: atMs, message, modelText, reason, value, error, policy, usage }),
    { feedback, approvals, residualEffects, openedSections: openedSections.map(({ section }) => section) },
  );
}
