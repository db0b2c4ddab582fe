import { none } from '../../core/internal/index.ts';
import {
  type ModelRequest,
  type ObservedAttempt,
  type ObservedRequest,
  type ObserverCalls,
  type RunEvent,
  type RunScope,
  withoutRecords,
} from '../../core/runtime/index.ts';
import { innerPlace, type Recorder } from '../../record/index.ts';
import type { JournalWriter } from '../rows/journal-writer.ts';
import type { RunSummaryKeeper } from '../rows/run-summary.ts';

/** What {@link RunReports} works with. */
export interface RunReportsOptions {
  readonly recorder: Recorder;
  readonly writer: JournalWriter;
  readonly summary: RunSummaryKeeper;
  /** Whether the rows of the run have its beginning. */
  readonly isResumed: boolean;
  /** Whether an evaluation is resumed from its rows: nothing of it is reported then. */
  isResuming(evaluationId: string): boolean;
  /** Items of the conversation in the last request of an evaluation, as the rows have it. */
  lastLength(evaluationId: string): number;
  onStart(event: Extract<RunEvent, { readonly type: 'run-start' }>): void;
  /** The run ends, perhaps without a step that was not answered. */
  onEnd(event: Extract<RunEvent, { readonly type: 'run-end' }>): void;
  /** Whether the run is ending before its answer. */
  isStopped(): boolean;
  /** Reports what others changed, before a call is delivered. */
  reportChanges(): void;
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
  #rootId = '';
  /** Nothing of a tool runtime is done again: what was cut off is cut off. */
  #isToolRuntime = false;
  readonly #held = new Map<string, HeldRequest>();
  /** Ids of evaluations inside calls, by their places. */
  readonly #idsByPlace = new Map<string, string>();
  /** What began the present turn of each evaluation that is resumed. */
  readonly #turnEvents = new Map<string, RunEvent[]>();

  constructor(options: RunReportsOptions) {
    this.#options = options;
  }

  /** The observers of a run, in the place of those of the caller. */
  observe(users: ObserverCalls): ObserverCalls {
    const { recorder, summary, writer } = this.#options;
    this.#users = users;
    const unlessResuming =
      <T extends { readonly evaluationId: string }>(...listeners: (((report: T) => void) | undefined)[]) =>
      (report: T): void => {
        if (this.#options.isResuming(report.evaluationId)) return;
        for (const listener of listeners) listener?.(report);
      };
    const { around } = users;
    return {
      onEvent: (event) => this.#onEvent(event),
      onState: unlessResuming((state) => recorder.onState(state), users.onState),
      onRequest: (request) => this.#onRequest(request),
      onResponse: unlessResuming((response) => {
        recorder.onResponse(response);
        // Begun at once, and awaited with what leaves next.
        writer.flush().catch(() => undefined);
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
              scope.kind !== 'run' && this.#options.isResuming(scope.evaluationId)
                ? work()
                : around(scope, work),
    };
  }

  /** Emits an event to the observers of the caller alone. */
  emit(event: RunEvent): void {
    this.#users?.onEvent?.(event);
  }

  /** The run goes on: its turn has begun. */
  resumed(event: RunEvent): void {
    this.emit(event);
    this.goesOn(this.#rootId);
  }

  /** An evaluation goes on: its turn has begun. */
  goesOn(evaluationId: string): void {
    for (const begun of this.#turnEvents.get(evaluationId) ?? none) this.emit(begun);
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
      this.#passOn(request);
      return;
    }
    const remove = this.#options.lastLength(evaluationId);
    this.#options.recorder.onRequest({ ...request, edits: [{ at: 0, remove, insert: conversation }] });
    this.#users?.onRequest?.({ ...request, edits: [{ at: 0, remove: 0, insert: conversation }] });
  }

  #onRequest(request: ObservedRequest): void {
    const { evaluationId } = request;
    const held = this.#held.get(evaluationId) ?? {
      request: undefined,
      isKnown: !this.#options.isResuming(evaluationId),
    };
    this.#held.set(evaluationId, held);
    held.request = request;
  }

  #passOn(request: ObservedRequest): void {
    this.#options.recorder.onRequest(request);
    this.#users?.onRequest?.(request);
  }

  #onEvent(event: RunEvent): void {
    const { isResumed, recorder, summary } = this.#options;
    summary.on(event);
    if (event.type === 'run-start') {
      this.#rootId = event.evaluationId;
      this.#isToolRuntime = event.isToolRuntime === true;
      this.#options.onStart(event);
      if (isResumed) this.emit(event);
      else this.#report(event);
      return;
    }
    if (event.type === 'run-end') this.#options.onEnd(event);
    const isResuming = this.#options.isResuming(this.#rootId);
    if (isResuming) this.#beginTurn(this.#rootId, event, event);
    if (isResuming && event.type === 'run-end') this.emit(event);
    if (isResuming || this.#isInnerResuming(event)) return;
    if (event.type === 'tool-call-end') this.#options.reportChanges();
    // A stop has cut off the feedback of a call, perhaps: resumed, the run asks for it again.
    const isCutOff = !this.#isToolRuntime && event.type === 'tool-call-end' && this.#options.isStopped();
    if (!isCutOff) recorder.onEvent(event, { evaluationId: this.#rootId, path: none });
    this.emit(event);
  }

  #report(event: RunEvent): void {
    this.#options.recorder.onEvent(event, { evaluationId: this.#rootId, path: none });
    this.emit(event);
  }

  /** Whether an event is of an evaluation inside a call that is resumed. Its beginning is reported: it is known again. */
  #isInnerResuming(event: RunEvent): boolean {
    let place = '';
    let inner = event;
    while (inner.type === 'nested-run') {
      place = innerPlace(place, inner);
      inner = inner.event;
    }
    if (inner.type === 'run-start' && place !== '') {
      this.#idsByPlace.set(place, inner.evaluationId);
      return false;
    }
    const evaluationId = this.#idsByPlace.get(place);
    if (evaluationId === undefined || !this.#options.isResuming(evaluationId)) return false;
    this.#beginTurn(evaluationId, inner, event);
    return true;
  }

  /** @param event the event of the evaluation itself. @param emitted the same as observers of the run get it. */
  #beginTurn(evaluationId: string, event: RunEvent, emitted: RunEvent): void {
    if (event.type === 'turn-start') this.#turnEvents.set(evaluationId, [emitted]);
    if (event.type === 'model-call-start') this.#turnEvents.get(evaluationId)?.push(emitted);
    // Its answer is known: no call of the model goes on.
    if (event.type === 'model-call-end') this.#turnEvents.get(evaluationId)?.splice(1);
  }
}

/** What a call did as the observers of the caller get it. What its reads found is for the rows alone. */
function forUsers(attempt: ObservedAttempt): Pick<ObservedAttempt, 'reads' | 'writes' | 'log'> {
  const reads = attempt.reads.map(({ result: _result, ...read }): ObservedAttempt['reads'][number] => read);
  return { ...withoutRecords(attempt), reads };
}
