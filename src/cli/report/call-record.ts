import type {
  RecordedApproval,
  ShadowFinding,
  ToolCallFailureReason,
  ToolCallOutcome,
  ToolInvokedPayload,
} from '../../runtime/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { TrackedCall } from './call-tracker.ts';

/** What became of a call. `hosted-…`: the provider ran it, was to run it and failed, or asked whether it may and was told no. */
export type CallOutcome = ToolCallOutcome | 'hosted' | 'hosted-failed' | 'hosted-denied';

/** One call of a run, as the table at the end shows it. */
export interface CallRecord {
  /**
   * Number of the call in the run, `3`, or within the call around it, `3.1`. What the provider runs has numbers of its own, `h1` and
   * `3.h1`: the model does not ask us for it.
   */
  readonly number: string;
  /** Number of the turn that asked for it, in its own evaluation. */
  readonly turn: number;
  readonly toolName: string;
  /** What the call was about, short: a path, a pattern, a kind. */
  readonly subject: string;
  readonly outcome: CallOutcome;
  readonly reason?: ToolCallFailureReason;
  /** The policy that refused. */
  readonly policy?: string;
  /** What the tool or the policy said. */
  readonly message: string;
  readonly attempts: number;
  /** What had changed under superseded attempts. */
  readonly conflicts: readonly string[];
  /** Undefined when the end of the call was not told. */
  readonly durationMs: number | undefined;
  /** Files the call changed. */
  readonly changedFiles: number;
  /** What was asked about the call, and how it was answered. */
  readonly approvals: readonly RecordedApproval[];
  /** What policies would have done that were not enforced. */
  readonly shadow: readonly ShadowFinding[];
  /** What a call that was not committed leaves in place. */
  readonly standing: readonly string[];
  /** What the last attempt said it was doing, in its order. */
  readonly steps: readonly string[];
  /** Calls made by evaluations inside the last attempt, in the order they were asked for. */
  readonly inner: readonly CallRecord[];
  /** Number of the call around it that failed, so that what was committed into that call is gone; undefined when it stays. */
  readonly undoneWith: string | undefined;
}

/** What the record of the runtime does not tell of a call. */
export interface CallSurroundings {
  readonly call: TrackedCall;
  readonly steps: readonly string[];
  readonly inner: readonly CallRecord[];
  /** Takes out of a text what must not be shown. */
  readonly clean: (text: string) => string;
}

/** The record of a call that has ended. */
export function toCallRecord(invocation: ToolInvokedPayload, surroundings: CallSurroundings): CallRecord {
  const { call, steps, inner, clean } = surroundings;
  const { outcome, reason, policy } = invocation;
  return {
    number: call.number,
    turn: invocation.turn,
    toolName: invocation.toolName,
    subject: clean(callSubject(invocation.params)),
    outcome,
    ...(reason === undefined ? {} : { reason }),
    ...(policy === undefined ? {} : { policy }),
    message: clean(invocation.message),
    attempts: invocation.attempts,
    conflicts: invocation.conflicts.map(clean),
    durationMs: invocation.durationMs,
    changedFiles: invocation.changes.length,
    approvals: (invocation.approvals ?? []).map((approval) => ({
      ...approval,
      reason: clean(approval.reason),
      ...(approval.answer === undefined ? {} : { answer: clean(approval.answer) }),
    })),
    shadow: (invocation.shadow ?? []).map((finding) => ({ ...finding, reason: clean(finding.reason) })),
    standing: (invocation.standing ?? []).map(clean),
    steps: steps.map(clean),
    inner: outcome === 'committed' ? inner : inner.map((record) => undo(record, call.number)),
    undoneWith: undefined,
  };
}

/** The record of a call inside another one that ended first, so that nobody told how it came out. */
export function toGivenUpRecord(
  started: { readonly turn: number; readonly params?: JsonValue },
  outer: TrackedCall,
  { call, steps, inner, clean }: CallSurroundings,
): CallRecord {
  return {
    number: call.number,
    turn: started.turn,
    toolName: call.toolName,
    subject: clean(callSubject(started.params)),
    outcome: 'aborted',
    message: `it was given up when call ${outer.number} ended`,
    attempts: 1,
    conflicts: [],
    durationMs: undefined,
    changedFiles: 0,
    approvals: [],
    shadow: [],
    standing: [],
    steps: steps.map(clean),
    inner: inner.map((record) => undo(record, call.number)),
    undoneWith: undefined,
  };
}

/** The record of what the provider ran, or was not allowed to run: nobody told how long it took, and nothing of it is undone. */
export function toHostedRecord(
  hosted: Pick<CallRecord, 'number' | 'turn' | 'toolName' | 'subject' | 'outcome' | 'message'>,
  clean: (text: string) => string,
): CallRecord {
  return {
    ...hosted,
    subject: clean(hosted.subject),
    message: clean(hosted.message),
    attempts: 1,
    conflicts: [],
    durationMs: undefined,
    changedFiles: 0,
    approvals: [],
    shadow: [],
    standing: [],
    steps: [],
    inner: [],
    undoneWith: undefined,
  };
}

/** True for what the provider runs, outside of transactions and policies. */
export function isHosted(outcome: CallOutcome): outcome is Exclude<CallOutcome, ToolCallOutcome> {
  return outcome === 'hosted' || outcome === 'hosted-failed' || outcome === 'hosted-denied';
}

function undo(record: CallRecord, number: string): CallRecord {
  if (record.outcome !== 'committed') return record;
  return { ...record, undoneWith: number, inner: record.inner.map((inner) => undo(inner, number)) };
}

/** A call, then the calls inside of it, then the next call. */
export function withInnerCalls(records: readonly CallRecord[]): readonly CallRecord[] {
  return records.flatMap((record) => [record, ...withInnerCalls(record.inner)]);
}

/** How many calls a call runs inside of. */
export function depthOf(record: CallRecord): number {
  return record.number.split('.').length - 1;
}

const subjectNames = ['kind', 'pattern', 'file_path', 'path', 'offset', 'section_key', 'section_keys'];

/** The arguments that say what a call is about; long texts such as the content of a file are none. */
export function callSubject(params: JsonValue | undefined): string {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return '';
  const entries = new Map<string, JsonValue | undefined>(Object.entries(params));
  const parts = subjectNames.flatMap((name) => {
    const value = entries.get(name);
    if (typeof value === 'number') return [`+${value}`];
    if (Array.isArray(value)) return value.filter((item) => typeof item === 'string');
    return typeof value === 'string' ? [value] : [];
  });
  return parts.join(' ');
}
