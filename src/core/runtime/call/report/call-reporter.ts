import { describeError } from '../../../error/index.ts';
import { none, type Writable } from '../../../internal/index.ts';
import type { JsonObject } from '../../../schema/index.ts';
import type { Clock, StateDifference, StateMark } from '../../../session/index.ts';
import type { EvaluationOrigin, Logger, ToolEffects } from '../../../tool/index.ts';
import type {
  CallCommit,
  CallPhases,
  DiscardedAttempt,
  ObservedAttempt,
  ObservedEvaluation,
  PolicyAnswer,
  ReadConflict,
} from '../../observer/observed.ts';
import type { ObserverCalls } from '../../observer/run-observer.ts';
import type { ToolCall, ToolCallResult } from '../tool-call/tool-call.ts';
import type { CallTransaction, SessionRoot } from '../transaction/transaction.ts';
import { withoutRecords } from './record-slices.ts';
import type { RunLedger } from './run-ledger.ts';

/** What a {@link CallReporter} works with. */
export interface CallReporterOptions {
  readonly observers: ObserverCalls;
  readonly origin: EvaluationOrigin;
  readonly session: SessionRoot;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Present for an evaluation on a root session: numbers the commits, and knows the state that observers know. */
  readonly ledger: RunLedger | undefined;
  /** Whether reports have what the library recorded of evaluations inside calls, in `log`: a journal needs it, and no one else. */
  readonly includesRecords: boolean;
  /** Whether reads have their results, so that it can be found out later whether they would find the same. */
  readonly includesResults: boolean;
  /** The effects of a tool that is offered; undefined for an unknown one. */
  effectsOf(toolName: string): ToolEffects | undefined;
}

/** What is reported of an attempt. */
export interface ReportedAttempt {
  readonly number: number;
  readonly idempotencyKey: string;
  readonly tool: { readonly effects: ToolEffects };
  readonly resolved: { readonly call: ToolCall; readonly params: JsonObject };
  readonly transaction: Pick<CallTransaction, 'observe'>;
  readonly trace: AttemptTrace | undefined;
}

/** A call as far as it is known when it is settled. */
interface SettledCall {
  readonly call: ToolCall;
  readonly requestedAtMs: number;
  readonly attempt: ReportedAttempt | undefined;
}

/** Tells the observers of a run what its calls did. Made only when an observer wants to know. Never throws. */
export class CallReporter {
  readonly #options: CallReporterOptions;
  readonly #evaluation: ObservedEvaluation;

  private constructor(options: CallReporterOptions) {
    const { evaluationId, parentCallIds } = options.origin;
    this.#options = options;
    this.#evaluation = { evaluationId, path: parentCallIds ?? none };
  }

  /** A reporter for the calls of an evaluation; undefined when no observer wants to know of calls or of state. */
  static for(options: CallReporterOptions): CallReporter | undefined {
    const { onState, onCommit, onDiscard } = options.observers;
    return (onState ?? onCommit ?? onDiscard) === undefined ? undefined : new CallReporter(options);
  }

  now(): number {
    return this.#options.clock.now();
  }

  /** The evaluation begins: what its session holds is reported. */
  start(): void {
    this.#guarded(() => this.#options.ledger?.start());
  }

  /** It ends: what others changed since the last commit is reported. */
  end(): void {
    this.reportChanges();
  }

  /** An attempt begins. */
  beginAttempt(requestedAtMs: number = this.now()): AttemptTrace {
    const base = this.#options.ledger?.commits;
    return { requestedAtMs, startedAtMs: this.now(), base, approvals: [], policies: [] };
  }

  /** A patch is about to be applied: reports what others changed since the last commit. @returns the state before the patch. */
  beforeApply(): StateMark {
    this.reportChanges();
    return this.#options.session.mark();
  }

  /** A call was committed. @param before what {@link beforeApply} returned. */
  committed(
    settled: SettledCall,
    { invocation, attachments }: ToolCallResult,
    before: StateMark,
  ): number | undefined {
    const { observers, session, ledger } = this.#options;
    const seq = ledger?.commit();
    this.#guarded(() => {
      const { writes, log } = this.#reported(session.changesSince(before));
      const isFinal = seq !== undefined;
      const commit: Writable<CallCommit> = Object.assign(this.#attempt(settled), {
        writes,
        log,
        isFinal,
        invocation,
      });
      if (seq !== undefined) commit.seq = seq;
      if (attachments !== undefined) commit.attachments = attachments;
      observers.onCommit?.(commit);
    });
    return seq;
  }

  /** A call that was made before was applied. @returns the number of its commit; undefined when it has none. */
  takenOver({ invocation }: ToolCallResult): number | undefined {
    const { ledger } = this.#options;
    if (invocation.success) return ledger?.commit();
    ledger?.skip();
    return undefined;
  }

  /** Reports what others changed since the last commit. */
  reportChanges(): void {
    this.#guarded(() => this.#options.ledger?.reportChanges());
  }

  /** What has changed since the last commit is known. */
  skipChanges(): void {
    this.#options.ledger?.skip();
  }

  /** A call ended without a commit; of its last attempt only log entries remain. */
  failed(settled: SettledCall, { invocation, attachments }: ToolCallResult, before: StateMark): void {
    const { observers, session, ledger } = this.#options;
    ledger?.skip();
    this.#guarded(() => {
      const attempt = this.#attempt(settled);
      const { log } = this.#reported(session.changesSince(before));
      const conflicts = invocation.reason === 'conflict' ? toConflicts(invocation.conflicts, attempt) : none;
      const why = 'failed' as const;
      const discarded: Writable<DiscardedAttempt> = Object.assign(attempt, {
        log,
        why,
        conflicts,
        invocation,
      });
      if (attachments !== undefined) discarded.attachments = attachments;
      observers.onDiscard?.(discarded);
    });
  }

  /** An attempt was discarded, and another one takes its place. */
  superseded(attempt: ReportedAttempt, conflicts: readonly string[]): void {
    this.#guarded(() => {
      const { call } = attempt.resolved;
      const requestedAtMs = attempt.trace?.requestedAtMs ?? this.now();
      const observed = this.#attempt({ call, attempt, requestedAtMs });
      const changed = toConflicts(conflicts, observed);
      const { writes, log } = withoutRecords(observed);
      const why = 'superseded' as const;
      this.#options.observers.onDiscard?.(Object.assign(observed, { writes, log, why, conflicts: changed }));
    });
  }

  #reported(difference: StateDifference): StateDifference {
    return this.#options.includesRecords ? difference : withoutRecords(difference);
  }

  /** What cannot be reported, such as a listing of files that can no longer be read, changes nothing for the call. */
  #guarded(report: () => void): void {
    try {
      report();
    } catch (error) {
      this.#options.logger.error('What a call did could not be reported to observers.', {
        error: describeError(error),
      });
    }
  }

  /** A new object. Written out: one made by spreads costs many times as much, and so does everything that reads or freezes it. */
  #attempt({ call, attempt, requestedAtMs }: SettledCall): Writable<ObservedAttempt> {
    const { callId, toolName, turn } = call;
    const { evaluationId, path } = this.#evaluation;
    const effects = attempt?.tool.effects ?? this.#options.effectsOf(toolName);
    const params = attempt?.resolved.params;
    const trace = attempt?.trace;
    const phases = this.#phases(trace, requestedAtMs);
    const { reads, writes, log, events, files } =
      attempt?.transaction.observe({ results: this.#options.includesResults }) ?? nothingDone;
    const observed: Writable<ObservedAttempt> = {
      evaluationId,
      path,
      turn,
      callId,
      toolName,
      attempt: attempt?.number ?? 0,
      phases,
      policies: trace?.policies ?? none,
      reads,
      writes,
      log,
      events,
      files,
      isRedacted: false,
    };
    if (effects !== undefined) observed.effects = effects;
    if (attempt !== undefined && effects === 'external') observed.key = attempt.idempotencyKey;
    if (params !== undefined) observed.params = params;
    if (trace?.base !== undefined) observed.base = trace.base;
    return observed;
  }

  #phases(trace: AttemptTrace | undefined, requestedAtMs: number): CallPhases {
    const settledAtMs = this.now();
    if (trace === undefined) return { requestedAtMs, settledAtMs, approvals: none };
    const { startedAtMs, handlerStartedAtMs, handlerEndedAtMs, endedAtMs, approvals } = trace;
    const phases: Writable<CallPhases> = { requestedAtMs: trace.requestedAtMs, settledAtMs, approvals };
    if (startedAtMs !== undefined) phases.startedAtMs = startedAtMs;
    if (handlerStartedAtMs !== undefined) phases.handlerStartedAtMs = handlerStartedAtMs;
    if (handlerEndedAtMs !== undefined) phases.handlerEndedAtMs = handlerEndedAtMs;
    if (endedAtMs !== undefined) phases.endedAtMs = endedAtMs;
    return phases;
  }
}

const nothingDone = {
  reads: none,
  writes: none,
  log: none,
  events: none,
  files: none,
} satisfies Partial<ObservedAttempt>;

function toConflicts(names: readonly string[], { reads }: ObservedAttempt): readonly ReadConflict[] {
  return names.map((what) => {
    const read = reads.find((each) => each.what === what);
    return read === undefined ? { what } : { what, read };
  });
}

/** What is noted of an attempt while it happens, for observers. Without observers of calls there is none. */
export interface AttemptTrace extends Writable<Omit<CallPhases, 'settledAtMs' | 'approvals'>> {
  /** Number of the last commit on the root session before the attempt; undefined inside another call. */
  readonly base: number | undefined;
  readonly approvals: { readonly fromMs: number; readonly toMs: number }[];
  readonly policies: PolicyAnswer[];
}
