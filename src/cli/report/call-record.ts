import { counted, present } from '../../core/internal/index.ts';
import type {
  RecordedApproval,
  ToolCallFailureReason,
  ToolCallOutcome,
  ToolInvokedPayload,
  UnenforcedDecision,
} from '../../core/runtime/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import type { Citation, HostedToolOutput } from '../../core/tool/index.ts';

/** Outcome of a call. `hosted-…`: run by the provider; failed there; not approved. */
export type CallRowOutcome = ToolCallOutcome | 'hosted' | 'hosted-failed' | 'hosted-denied';

/** One call of a run, as shown in the table at the end. */
export interface CallRecord {
  /**
   * Number of the call in the run, `3`, or within the outer call, `3.1`. Calls run by the provider are counted
   * separately, `h1` and `3.h1`, because the model does not request them from us.
   */
  readonly number: string;
  /** Number of the turn that requested it, in its own evaluation. */
  readonly turn: number;
  readonly toolName: string;
  /** Short subject of the call: a path, a pattern, a kind. */
  readonly subject: string;
  readonly outcome: CallRowOutcome;
  readonly reason?: ToolCallFailureReason;
  /** The policy that refused it. */
  readonly policy?: string;
  /** The message of the tool or the policy. */
  readonly message: string;
  readonly attempts: number;
  /** What had changed when attempts were superseded. */
  readonly conflicts: readonly string[];
  /** Undefined when the end of the call was not reported. */
  readonly durationMs: number | undefined;
  /** Files changed by the call. */
  readonly changedFiles: number;
  /** The approvals requested for the call, with their answers. */
  readonly approvals: readonly RecordedApproval[];
  /** What policies would have done that were not enforced. */
  readonly unenforced: readonly UnenforcedDecision[];
  /** Effects that remain after a call that was not committed. */
  readonly residualEffects: readonly string[];
  /** Progress updates of the last attempt, in order. */
  readonly steps: readonly string[];
  /** Calls of evaluations inside the last attempt, in the order of the requests. */
  readonly inner: readonly CallRecord[];
  /** Number of the outer call that failed, which discarded what this one had committed; undefined when it was kept. */
  readonly undoneWith: string | undefined;
}

/** The defaults of a record. */
const emptyRecord: Omit<CallRecord, 'number' | 'turn' | 'toolName' | 'subject' | 'outcome' | 'message'> = {
  attempts: 1,
  conflicts: [],
  durationMs: undefined,
  changedFiles: 0,
  approvals: [],
  unenforced: [],
  residualEffects: [],
  steps: [],
  inner: [],
  undoneWith: undefined,
};

/** The record of a call that has ended. @param clean removes what must not be shown from a text. */
export function toCallRecord(
  invocation: ToolInvokedPayload,
  { number, steps, inner }: Pick<CallRecord, 'number' | 'steps' | 'inner'>,
  clean: (text: string) => string,
): CallRecord {
  const { outcome, reason, policy, approvals = [], unenforced = [], residualEffects = [] } = invocation;
  return {
    number,
    turn: invocation.turn,
    toolName: invocation.toolName,
    subject: clean(callSubject(invocation.params)),
    outcome,
    ...present({ reason, policy }),
    message: clean(invocation.message),
    attempts: invocation.attempts,
    conflicts: invocation.conflicts.map(clean),
    durationMs: invocation.durationMs,
    changedFiles: invocation.changes.length,
    approvals: approvals.map((approval) => ({
      ...approval,
      reason: clean(approval.reason),
      ...present({ answer: approval.answer === undefined ? undefined : clean(approval.answer) }),
    })),
    unenforced: unenforced.map((finding) => ({ ...finding, reason: clean(finding.reason) })),
    residualEffects: residualEffects.map(clean),
    steps: steps.map(clean),
    inner: outcome === 'committed' ? inner : inner.map((record) => undo(record, number)),
    undoneWith: undefined,
  };
}

/** The record of a call whose end was not reported, or that the provider ran. */
export function toBareRecord(
  fields: Pick<CallRecord, 'number' | 'turn' | 'toolName' | 'subject' | 'outcome' | 'message'> &
    Partial<Pick<CallRecord, 'steps' | 'inner'>>,
  clean: (text: string) => string,
): CallRecord {
  const { steps = [], inner = [] } = fields;
  return {
    ...emptyRecord,
    ...fields,
    subject: clean(fields.subject),
    message: clean(fields.message),
    steps: steps.map(clean),
    inner: inner.map((record) => undo(record, fields.number)),
  };
}

function undo(record: CallRecord, number: string): CallRecord {
  if (record.outcome !== 'committed') return record;
  return { ...record, undoneWith: number, inner: record.inner.map((inner) => undo(inner, number)) };
}

/** True for calls run by the provider, outside of transactions and policies. */
export function isHosted(outcome: CallRowOutcome): outcome is Exclude<CallRowOutcome, ToolCallOutcome> {
  return outcome === 'hosted' || outcome === 'hosted-failed' || outcome === 'hosted-denied';
}

/** Each call, followed by the calls inside it. */
export function withInnerCalls(records: readonly CallRecord[]): readonly CallRecord[] {
  return records.flatMap((record) => [record, ...withInnerCalls(record.inner)]);
}

/** The nesting depth of a call. */
export function depthOf(record: CallRecord): number {
  return record.number.split('.').length - 1;
}

const subjectNames = [
  'kind',
  'command',
  'pattern',
  'file_path',
  'path',
  'offset',
  'section_key',
  'section_keys',
];

/** The arguments that identify what a call is about; long ones such as the content of a file are left out. */
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

/** A progress update of a handler, as text. */
export function describeUpdate(update: JsonValue): string {
  if (typeof update === 'string') return update;
  try {
    return JSON.stringify(update);
  } catch {
    return '(not JSON)';
  }
}

/** Fields of outputs that say what a hosted tool was to do, if its kind has them. */
const hostedSubjectNames = ['queries', 'url', 'pattern', 'name', 'code', 'revisedPrompt'];
/** Fields that are lists of results, with the noun for one element. */
const findings = [
  ['sources', 'source'],
  ['results', 'result'],
  ['files', 'file'],
] as const;

/** Short subject of a hosted tool's run: a query, a page, a remote tool with its arguments. */
export function hostedSubject(output: HostedToolOutput): string {
  const members = membersOf(output);
  const parts = hostedSubjectNames.flatMap((name) => {
    const value = members.get(name);
    return typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter(isText) : [];
  });
  // A remote tool has arguments like a tool of the prompt; other values have no subject.
  return [...parts, callSubject(members.get('arguments') as Parameters<typeof callSubject>[0])]
    .filter((part) => part !== '')
    .join(' ');
}

/** The results: `5 sources, 2 citations`, or an error of the remote tool; empty without any. */
export function hostedFindings(output: HostedToolOutput, citations: readonly Citation[]): string {
  const members = membersOf(output);
  const found = findings.flatMap(([name, what]) => {
    const value = members.get(name);
    return Array.isArray(value) && value.length > 0 ? [counted(value.length, what)] : [];
  });
  const exitCode = members.get('exitCode');
  const error = members.get('error');
  return [
    ...(output.errorCode === undefined ? [] : [output.errorCode]),
    ...(typeof error === 'string' ? [error] : []),
    ...(typeof exitCode === 'number' && exitCode !== 0 ? [`exit code ${exitCode}`] : []),
    ...found,
    ...(citations.length === 0 ? [] : [counted(citations.length, 'citation')]),
  ].join(', ');
}

function membersOf(output: HostedToolOutput): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(output));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
