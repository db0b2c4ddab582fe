import { counted } from '../../internal/index.ts';
import type {
  RecordedApproval,
  ToolCallFailureReason,
  ToolCallOutcome,
  ToolInvokedPayload,
  UnenforcedDecision,
} from '../../runtime/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import type { Citation, HostedToolOutput } from '../../tool/index.ts';

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
  readonly unenforced: readonly UnenforcedDecision[];
  /** What a call that was not committed leaves in place. */
  readonly residualEffects: readonly string[];
  /** What the last attempt said it was doing, in its order. */
  readonly steps: readonly string[];
  /** Calls made by evaluations inside the last attempt, in the order they were asked for. */
  readonly inner: readonly CallRecord[];
  /** Number of the call around it that failed, so that what was committed into that call is gone; undefined when it stays. */
  readonly undoneWith: string | undefined;
}

/** What is the same in every record that nobody has told more of. */
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

/** The record of a call that has ended. @param clean takes out of a text what must not be shown. */
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
    ...(reason === undefined ? {} : { reason }),
    ...(policy === undefined ? {} : { policy }),
    message: clean(invocation.message),
    attempts: invocation.attempts,
    conflicts: invocation.conflicts.map(clean),
    durationMs: invocation.durationMs,
    changedFiles: invocation.changes.length,
    approvals: approvals.map((approval) => ({
      ...approval,
      reason: clean(approval.reason),
      ...(approval.answer === undefined ? {} : { answer: clean(approval.answer) }),
    })),
    unenforced: unenforced.map((finding) => ({ ...finding, reason: clean(finding.reason) })),
    residualEffects: residualEffects.map(clean),
    steps: steps.map(clean),
    inner: outcome === 'committed' ? inner : inner.map((record) => undo(record, number)),
    undoneWith: undefined,
  };
}

/** The record of a call of which nobody told how it ended, or of something that the provider ran. */
export function toBareRecord(
  told: Pick<CallRecord, 'number' | 'turn' | 'toolName' | 'subject' | 'outcome' | 'message'> &
    Partial<Pick<CallRecord, 'steps' | 'inner'>>,
  clean: (text: string) => string,
): CallRecord {
  const { steps = [], inner = [] } = told;
  return {
    ...emptyRecord,
    ...told,
    subject: clean(told.subject),
    message: clean(told.message),
    steps: steps.map(clean),
    inner: inner.map((record) => undo(record, told.number)),
  };
}

function undo(record: CallRecord, number: string): CallRecord {
  if (record.outcome !== 'committed') return record;
  return { ...record, undoneWith: number, inner: record.inner.map((inner) => undo(inner, number)) };
}

/** True for what the provider runs, outside of transactions and policies. */
export function isHosted(outcome: CallOutcome): outcome is Exclude<CallOutcome, ToolCallOutcome> {
  return outcome === 'hosted' || outcome === 'hosted-failed' || outcome === 'hosted-denied';
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

/** What a handler told of its progress, as a text. */
export function describeUpdate(update: JsonValue): string {
  if (typeof update === 'string') return update;
  try {
    return JSON.stringify(update);
  } catch {
    return '(not JSON)';
  }
}

/** Members of outputs that say what a hosted tool was to do, as far as a kind has them. */
const hostedSubjectNames = ['queries', 'url', 'pattern', 'name', 'code', 'revisedPrompt'];
/** Members that are lists of what it came to, and what one of them is. */
const findings = [
  ['sources', 'source'],
  ['results', 'result'],
  ['files', 'file'],
] as const;

/** What a hosted tool was to do, short: what was searched for, a page, a remote tool with its arguments. */
export function hostedSubject(output: HostedToolOutput): string {
  const members = membersOf(output);
  const parts = hostedSubjectNames.flatMap((name) => {
    const value = members.get(name);
    return typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter(isText) : [];
  });
  // A remote tool has arguments as a tool of the prompt has; what is no object has no subject.
  return [...parts, callSubject(members.get('arguments') as Parameters<typeof callSubject>[0])]
    .filter((part) => part !== '')
    .join(' ');
}

/** What it came to: `5 sources, 2 citations`, an error of the remote tool; empty where there is nothing to say. */
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
