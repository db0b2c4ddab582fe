import { isRecord, present } from '../../core/internal/index.ts';
import {
  addTokenUsage,
  PromptExecutionLog,
  type RecordedChange,
  ToolCallLog,
  type ToolInvokedPayload,
  tokenCost,
} from '../../core/runtime/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import { installedItems, type ReadonlySessionView } from '../../core/session/index.ts';
import type { TokenPrices, TokenUsage } from '../../core/tool/index.ts';
import { runCost } from '../fold/run-cost.ts';
import type { RecordedRun, RunRecord } from '../fold/run-record.ts';

/** One call of a run, as matchers see it. */
export interface CallFact {
  readonly toolName: string;
  readonly params: JsonValue | undefined;
  /** Absent: it has not ended. */
  readonly outcome?: ToolInvokedPayload['outcome'];
  readonly reason?: ToolInvokedPayload['reason'];
  /** What the model read about the call, where it is known: of a denied one the policy and its reason. */
  readonly message?: string;
  /** Committed for good: so is every call around it. */
  readonly isCommitted: boolean;
  /** How many calls it was made inside of. */
  readonly depth: number;
}

/** What matchers compare. */
export interface CheckedRun {
  readonly calls: readonly CallFact[];
  /** Net changes, by path. */
  readonly files: ReadonlyMap<string, RecordedChange['kind']>;
  readonly usage: TokenUsage;
  readonly turns: number;
  /** Where the model says what it costs. */
  readonly prices?: TokenPrices;
  /** What it has cost, where it had several models that say what they cost. */
  readonly cost?: number;
}

/**
 * Reads what matchers compare.
 *
 * @throws {TypeError} for what is neither a record nor a session, and for a session without a run that has ended.
 */
export function readRunFacts(received: unknown): CheckedRun {
  if (isRunRecord(received)) return factsOfRecord(received);
  if (isSession(received)) return factsOfSession(received);
  throw new TypeError(
    'The received value must be a RunRecord (readRunRecord) or the Session of a run that has ended (ended.session).',
  );
}

function isRunRecord(value: unknown): value is RunRecord {
  return isRecord(value) && 'root' in value && 'filesAt' in value && 'commits' in value;
}

function isSession(value: unknown): value is ReadonlySessionView {
  return isRecord(value) && typeof value['slice'] === 'function';
}

function factsOfRecord(record: RunRecord): CheckedRun {
  const { root } = record;
  const files = new NetChanges();
  for (const { attempt } of record.commits) {
    for (const { path, kind, entry } of attempt.files) if (entry === 'file') files.add(path, kind);
  }
  return {
    calls: record.calls.map((call) => ({
      toolName: call.toolName,
      params: call.params,
      ...present({ outcome: call.outcome, reason: call.reason, message: call.message }),
      isCommitted: call.isFinal && call.outcome === 'committed',
      depth: depthOf(call.run),
    })),
    files: files.byPath,
    usage: root.usage ?? record.turns.reduce((sum, turn) => addTokenUsage(sum, turn.response?.usage), {}),
    turns: root.turns.length,
    ...present({
      prices: root.models === undefined ? root.prices : undefined,
      cost: root.models === undefined ? undefined : runCost(root, root.usage, tokenCost),
    }),
  };
}

function depthOf(run: RecordedRun): number {
  return run.parent === undefined ? 0 : depthOf(run.parent.call.run) + 1;
}

function factsOfSession(session: ReadonlySessionView): CheckedRun {
  const runs = installedItems(session, PromptExecutionLog).filter(
    ({ parentCallIds }) => parentCallIds === undefined,
  );
  if (runs.length === 0) {
    throw new TypeError(
      'The received session holds no run that has ended. Pass the session to evaluate(), and await it before the assertion.',
    );
  }
  const invocations = installedItems(session, ToolCallLog);
  const files = new NetChanges();
  for (const { parentCallIds, changes } of invocations) {
    // The changes of a call hold those of the calls inside it.
    if (parentCallIds === undefined) for (const { path, kind } of changes) files.add(path, kind);
  }
  return {
    calls: invocations.map((invocation) => ({
      toolName: invocation.toolName,
      params: invocation.params,
      outcome: invocation.outcome,
      ...present({ reason: invocation.reason, message: invocation.message }),
      isCommitted: invocation.outcome === 'committed' && isOuterCommitted(invocation, invocations),
      depth: invocation.parentCallIds?.length ?? 0,
    })),
    files: files.byPath,
    usage: runs.reduce<TokenUsage>((sum, { usage }) => addTokenUsage(sum, usage), {}),
    turns: runs.reduce((sum, { turns }) => sum + turns, 0),
  };
}

/** Whether every call around an invocation was committed; a call on the root session has none around it. */
function isOuterCommitted(
  { parentCallIds: path = [] }: ToolInvokedPayload,
  invocations: readonly ToolInvokedPayload[],
): boolean {
  return path.every((callId, depth) =>
    invocations.some(
      (outer) =>
        outer.callId === callId &&
        outer.outcome === 'committed' &&
        isSamePath(outer.parentCallIds ?? [], path.slice(0, depth)),
    ),
  );
}

function isSamePath(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((callId, index) => callId === right[index]);
}

/** What changes one after the other amount to. */
class NetChanges {
  readonly byPath: Map<string, RecordedChange['kind']> = new Map();

  add(path: string, kind: RecordedChange['kind']): void {
    const before = this.byPath.get(path);
    if (before === 'created' && kind === 'removed') this.byPath.delete(path);
    else if (before === 'created') this.byPath.set(path, 'created');
    else if (before === 'removed' && kind === 'created') this.byPath.set(path, 'modified');
    else this.byPath.set(path, kind);
  }
}
