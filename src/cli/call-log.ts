import type {
  RecordedApproval,
  RunEvent,
  ShadowFinding,
  ToolCallFailureReason,
  ToolCallOutcome,
  ToolInvokedPayload,
} from '../runtime/index.ts';
import type { JsonValue } from '../schema/index.ts';

/** One call of a run, as the table at the end shows it. */
export interface CallRecord {
  /** Number of the call in the run, from 1, in the order the model asked. */
  readonly number: number;
  readonly turn: number;
  readonly toolName: string;
  /** What the call was about, short: a path, a pattern, a kind. */
  readonly subject: string;
  readonly outcome: ToolCallOutcome;
  readonly reason?: ToolCallFailureReason;
  /** The policy that refused. */
  readonly policy?: string;
  /** What the tool or the policy said. */
  readonly message: string;
  readonly attempts: number;
  /** What had changed under superseded attempts. */
  readonly conflicts: readonly string[];
  readonly durationMs: number;
  /** Files the call changed. */
  readonly changedFiles: number;
  /** What was asked about the call, and how it was answered. */
  readonly approvals: readonly RecordedApproval[];
  /** What policies would have done that were not enforced. */
  readonly shadow: readonly ShadowFinding[];
  /** What the last attempt said it was doing, in its order. */
  readonly steps: readonly string[];
}

/** Counts over a whole run. */
export interface CallTotals {
  readonly turns: number;
  readonly calls: number;
  readonly outcomes: Readonly<Record<ToolCallOutcome, number>>;
  /** Calls that were committed after running more than once. */
  readonly rerun: number;
  /** Calls that a policy would have denied or asked about, had it been enforced. */
  readonly shadowed: number;
}

/** Collects the calls of a run from its events. */
export class CallLog {
  readonly #records: CallRecord[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #steps = new Map<string, string[]>();
  #turns = 0;

  get records(): readonly CallRecord[] {
    return this.#records;
  }

  observe(event: RunEvent): void {
    if (event.type === 'model-call-start') this.#turns = event.turn;
    if (event.type === 'model-call-end') {
      for (const call of event.toolCalls) this.#numbers.set(call.callId, this.#numbers.size + 1);
    }
    if (event.type === 'tool-call-rerun') this.#steps.delete(event.callId);
    if (event.type === 'tool-progress') this.#noteStep(event.callId, event.update);
    if (event.type === 'tool-call-end') this.#noteEnd(event.invocation);
  }

  #noteStep(callId: string, update: JsonValue): void {
    const steps = this.#steps.get(callId) ?? [];
    if (steps.length === MAX_STEPS) return;
    this.#steps.set(callId, [...steps, typeof update === 'string' ? update : JSON.stringify(update)]);
  }

  #noteEnd(invocation: ToolInvokedPayload): void {
    this.#records.push({
      number: this.#numbers.get(invocation.callId) ?? this.#records.length + 1,
      turn: invocation.turn,
      toolName: invocation.toolName,
      subject: callSubject(invocation.params),
      outcome: invocation.outcome,
      ...(invocation.reason === undefined ? {} : { reason: invocation.reason }),
      ...(invocation.policy === undefined ? {} : { policy: invocation.policy }),
      message: invocation.message,
      attempts: invocation.attempts,
      conflicts: invocation.conflicts,
      durationMs: invocation.durationMs,
      changedFiles: invocation.changes.length,
      approvals: invocation.approvals ?? [],
      shadow: invocation.shadow ?? [],
      steps: this.#steps.get(invocation.callId) ?? [],
    });
    this.#steps.delete(invocation.callId);
  }

  totals(): CallTotals {
    const outcomes = { committed: 0, 'rolled-back': 0, denied: 0, rejected: 0, aborted: 0 };
    let rerun = 0;
    let shadowed = 0;
    for (const record of this.#records) {
      outcomes[record.outcome] += 1;
      if (record.outcome === 'committed' && record.attempts > 1) rerun += 1;
      if (record.shadow.length > 0) shadowed += 1;
    }
    return { turns: this.#turns, calls: this.#records.length, outcomes, rerun, shadowed };
  }
}

/** Steps of one call that are kept. */
const MAX_STEPS = 8;

const subjectNames = ['kind', 'pattern', 'file_path', 'path', 'offset'];

/** The arguments that say what a call is about; long texts such as the content of a file are none. */
export function callSubject(params: JsonValue | undefined): string {
  if (typeof params !== 'object' || params === null || Array.isArray(params)) return '';
  const entries = new Map<string, JsonValue | undefined>(Object.entries(params));
  const parts = subjectNames.flatMap((name) => {
    const value = entries.get(name);
    if (typeof value === 'number') return [`+${value}`];
    return typeof value === 'string' ? [value] : [];
  });
  return parts.join(' ');
}
