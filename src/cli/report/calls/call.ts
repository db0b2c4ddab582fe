import { counted, isText } from '../../../core/internal/index.ts';
import type {
  RecordedApproval,
  ToolCallFailureReason,
  ToolCallOutcome,
  UnenforcedDecision,
} from '../../../core/runtime/index.ts';
import type { JsonValue } from '../../../core/schema/index.ts';
import type { Citation, HostedToolOutput } from '../../../core/tool/index.ts';
import { callArguments } from '../../../record/index.ts';

/** Outcome of a call. `hosted-…`: run by the provider; failed there; not approved. */
export type CallRowOutcome = ToolCallOutcome | 'hosted' | 'hosted-failed' | 'hosted-denied';

/**
 * A call of a run, from the request of the model to the table at the end: one object in everything that is reported about it. What is known of its end are
 * defaults until then. Texts are without what must not be shown.
 */
export interface Call {
  /**
   * Number of the call in its run, from 1, in the order the model asked: `3`. Calls of evaluations inside it are `3.1`,
   * `3.2` and so on. Calls run by the provider are counted separately, `h1` and `3.h1`, because the model does not request them from us.
   */
  readonly number: string;
  /** Number of the turn that requested it, in its own evaluation. */
  readonly turn: number;
  readonly toolName: string;
  /** Its id in its evaluation; empty for a call of the provider. */
  readonly callId: string;
  /** The outer calls, outermost first. */
  readonly outerCalls: readonly Call[];
  /** Its arguments in short, by `callArguments()`: `src/a.ts`, `target=prod`. */
  readonly subject: string;
  /** A text that is equal for equal arguments, of a call that was not committed. */
  readonly argumentsKey: string;
  readonly startedAtMs: number;
  /** Progress updates of the last attempt, in order. */
  readonly steps: readonly string[];
  /** The last of them, of the running attempt. */
  readonly progress: string | undefined;
  /** Calls of evaluations inside the last attempt, in the order of the requests; with its end. */
  readonly inner: readonly EndedCall[];
  /** Undefined until it has ended. */
  readonly outcome: CallRowOutcome | undefined;
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
  /** Number of the outer call that failed, which discarded what this one had committed; undefined when it was kept. */
  readonly undoneWith: string | undefined;
}

/** A call that has ended. */
export interface EndedCall extends Call {
  readonly outcome: CallRowOutcome;
}

/** True for calls run by the provider, outside of transactions and policies. */
export function isHosted(outcome: CallRowOutcome): outcome is Exclude<CallRowOutcome, ToolCallOutcome> {
  return outcome === 'hosted' || outcome === 'hosted-failed' || outcome === 'hosted-denied';
}

/** Each call, followed by the calls inside it. */
export function withInnerCalls(records: readonly EndedCall[]): readonly EndedCall[] {
  return records.flatMap((record) => [record, ...withInnerCalls(record.inner)]);
}

/** The nesting depth of a call. */
export function depthOf({ number }: Call): number {
  return number.split('.').length - 1;
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
  return [...parts, callArguments(members.get('arguments') as Parameters<typeof callArguments>[0])]
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
