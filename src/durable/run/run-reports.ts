import { none, present } from '../../core/internal/index.ts';
import {
  type BareEvent,
  type EvaluationEnvironment,
  type EventType,
  everyEventType,
  type ModelRequest,
  type ObservedAttempt,
  type ObservedRequest,
  type ObserverCalls,
  type PendingApproval,
  type RunEvent,
  type RunScope,
  withoutRecords,
} from '../../core/runtime/index.ts';
import { sameJson } from '../../core/schema/index.ts';
import type { ConversationItem } from '../../core/tool/index.ts';
import { type Recorder, recordedEventTypes } from '../../record/index.ts';
import type { ResumedRun } from '../resume/resumed-run.ts';
import type { JournalWriter } from '../rows/journal-writer.ts';
import type { RunSummaryKeeper } from '../rows/run-summary.ts';

/** The beginning of a run, as its observers get it. */
export type RunStart = Extract<RunEvent, { readonly type: 'run-start' }>;

/** Types of the events that rows and summary are made of. */
const ownEventTypes: readonly EventType[] = [...recordedEventTypes, 'turn-start'];

/** What {@link RunReports} works with. */
export interface RunReportsOptions {
  readonly recorder: Recorder;
  readonly writer: JournalWriter;
  readonly summary: RunSummaryKeeper;
  /** Answers from the rows of the run; undefined for a new one. */
  readonly resumed: ResumedRun | undefined;
  /** Undefined until the run has begun. */
  readonly environment: () => EvaluationEnvironment | undefined;
  /** The run ends otherwise than its rows do: it continues from them. */
  readonly leaveRows: (turn: number) => void;
}

/** A request that waits until it is known whether it is made. */
interface HeldRequest {
  request: ObservedRequest | undefined;
  /** Whether rows and observers know the request before. */
  isKnown: boolean;
}

/** Passes what a run reports to the rows and to the observers of the caller, except what has happened before. */
export class RunReports {
  readonly #options: RunReportsOptions;
  #users: ObserverCalls | undefined;
  #start: RunStart | undefined;
  readonly #held = new Map<string, HeldRequest>();
  /** What began the present turn of each evaluation that is resumed. */
  readonly #turnEvents = new Map<string, RunEvent[]>();

  constructor(options: RunReportsOptions) {
    this.#options = options;
  }

  /** The beginning of the run; undefined before. */
  get start(): RunStart | undefined {
    return this.#start;
  }

  get #rootId(): string {
    return this.#start?.evaluationId ?? '';
  }

  #isResuming(evaluationId: string): boolean {
    return this.#options.resumed?.isResuming(evaluationId) === true;
  }

  /** The observers of a run, in the place of those of the caller. */
  observe(users: ObserverCalls): ObserverCalls {
    const { recorder, resumed, summary, writer } = this.#options;
    this.#users = users;
    const unlessResuming =
      <T extends { readonly evaluationId: string }>(...listeners: (((report: T) => void) | undefined)[]) =>
      (report: T): void => {
        if (this.#isResuming(report.evaluationId)) return;
        for (const listener of listeners) listener?.(report);
      };
    const { around } = users;
    return {
      // The rows of a resumed run say what has begun, and what is known, by events of any type.
      eventTypes: resumed === undefined ? new Set([...ownEventTypes, ...users.eventTypes]) : everyEventType,
      onEvent: (event) => this.#onEvent(event),
      onState: unlessResuming((state) => recorder.onState(state), users.onState),
      onRequest: (request) => this.#onRequest(request),
      onResponse: unlessResuming((response) => {
        recorder.onResponse(response);
        // Awaited with what leaves next.
        writer.flushSoon();
      }, users.onResponse),
      onCommit: unlessResuming(
        (commit) => recorder.onCommit(commit),
        (commit) => summary.committed(commit),
        (commit) => users.onCommit?.({ ...commit, ...forUsers(commit) }),
      ),
      onDiscard: unlessResuming(
        (attempt) => recorder.onDiscard(attempt),
        (attempt) => users.onDiscard?.({ ...attempt, ...forUsers(attempt) }),
      ),
      around:
        around === undefined
          ? undefined
          : <T>(scope: RunScope, work: () => T): T =>
              scope.kind !== 'run' && this.#isResuming(scope.evaluationId) ? work() : around(scope, work),
    };
  }

  /** Emits an event of the run itself to the observers of the caller alone. */
  emit(event: BareEvent): void {
    this.#emit({ ...event, evaluationId: this.#rootId, path: none });
  }

  /** The run ends with questions. */
  suspended(pending: readonly PendingApproval[]): void {
    for (const { turn, callId, toolName, policy, policyPrompt, reason, id, digest, changes } of pending) {
      this.emit({
        type: 'approval-pending',
        turn,
        callId,
        toolName,
        policy,
        reason,
        id,
        digest,
        ...present({ policyPrompt }),
        about: changes === undefined ? 'call' : 'changes',
      });
    }
  }

  /** The run continues: its turn has begun. */
  resumed(event: BareEvent): void {
    this.emit(event);
    this.goesOn(this.#rootId);
  }

  /** An evaluation continues: its turn has begun. */
  goesOn(evaluationId: string): void {
    for (const begun of this.#turnEvents.get(evaluationId) ?? none) this.#emit(begun);
    this.#turnEvents.delete(evaluationId);
  }

  /** A request is made: it is reported now. */
  asking(evaluationId: string, { conversation }: ModelRequest): void {
    const held = this.#held.get(evaluationId);
    const request = held?.request;
    if (held === undefined || request === undefined) return;
    held.request = undefined;
    const { isKnown } = held;
    held.isKnown = true;
    if (isKnown) {
      this.#options.recorder.onRequest(request);
      this.#users?.onRequest?.(request);
      return;
    }
    const before = this.#options.resumed?.at(evaluationId)?.rows.lastConversation ?? none;
    this.#options.recorder.onRequest({ ...request, edits: editsOf(before, conversation) }, before);
    this.#users?.onRequest?.({ ...request, edits: [{ at: 0, remove: 0, insert: conversation }] });
  }

  #onRequest(request: ObservedRequest): void {
    const { evaluationId } = request;
    const held = this.#held.get(evaluationId) ?? {
      request: undefined,
      isKnown: !this.#isResuming(evaluationId),
    };
    this.#held.set(evaluationId, held);
    held.request = request;
  }

  #onEvent(event: RunEvent): void {
    if (event.path.length > 0) {
      this.#onInnerEvent(event);
      return;
    }
    const { resumed, summary } = this.#options;
    summary.on(event);
    if (event.type === 'run-start') {
      this.#start = event;
      resumed?.compare(event);
      if (resumed !== undefined) this.#emit(event);
      else this.#report(event);
      return;
    }
    // All was decided, and the process was killed before it said so.
    if (event.type === 'run-end' && resumed?.isUsedUp === true && resumed.rows.end?.outcome !== event.outcome)
      this.#options.leaveRows(resumed.turn);
    if (this.#isResuming(this.#rootId)) {
      this.#beginTurn(event);
      if (event.type === 'run-end') this.#emit(event);
      return;
    }
    if (event.type !== 'tool-call-end') {
      this.#report(event);
      return;
    }
    const environment = this.#options.environment();
    // What others changed comes before a call is delivered.
    environment?.reporter?.reportChanges();
    // A stop has cut off the feedback of a call, perhaps: resumed, the run asks for it again. Of a tool runtime nothing is done again.
    const isCutOff = this.#start?.isToolRuntime !== true && environment?.stop.reason !== undefined;
    if (isCutOff) this.#emit(event);
    else this.#report(event);
  }

  #onInnerEvent(event: RunEvent): void {
    if (this.#isResuming(this.#rootId)) return;
    // The beginning of an evaluation that is resumed is reported: it is known again.
    if (event.type !== 'run-start' && this.#isResuming(event.evaluationId)) this.#beginTurn(event);
    else this.#report(event);
  }

  #report(event: RunEvent): void {
    this.#options.recorder.onEvent(event, { evaluationId: this.#rootId, path: none });
    this.#emit(event);
  }

  #emit(event: RunEvent): void {
    this.#users?.onEvent?.(event);
  }

  /** An event of an evaluation that is resumed from its rows. */
  #beginTurn(event: RunEvent): void {
    const { evaluationId } = event;
    if (event.type === 'turn-start') this.#turnEvents.set(evaluationId, [event]);
    if (event.type === 'model-call-start' || event.type === 'input-taken')
      this.#turnEvents.get(evaluationId)?.push(event);
    // Its answer is known: no call of the model continues.
    if (event.type === 'model-call-end') this.#turnEvents.get(evaluationId)?.splice(1);
  }
}

/** What makes one conversation into another. They are those of a run that continues, so they differ at the end if at all. */
function editsOf(
  before: readonly ConversationItem[],
  after: readonly ConversationItem[],
): ObservedRequest['edits'] {
  const found = after.findIndex((item, index) => !sameJson(item, before[index]));
  const at = found < 0 ? after.length : found;
  return [{ at, remove: before.length - at, insert: after.slice(at) }];
}

/** What a call did as the observers of the caller get it. What its reads found is for the rows alone. */
function forUsers(attempt: ObservedAttempt): Pick<ObservedAttempt, 'reads' | 'writes' | 'log'> {
  const reads = attempt.reads.map(({ result: _result, ...read }): ObservedAttempt['reads'][number] => read);
  return { ...withoutRecords(attempt), reads };
}
