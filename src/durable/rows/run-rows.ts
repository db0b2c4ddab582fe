import { PromptValidationError } from '../../core/error/index.ts';
import type { JournalRow } from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import type {
  AnswerRow,
  AttemptRow,
  BeginRow,
  BlobRow,
  CancelledRow,
  CommitRow,
  DeliveredRow,
  EndRow,
  EventRow,
  FoldPlace,
  HeaderRow,
  PendingQuestion,
  RecordedFileChange,
  RecordedRequest,
  RequestRow,
  ResponseRow,
  Row,
  RunRecord,
  RunRow,
  SeenRow,
  SliceRow,
  StateRow,
} from '../../record/index.ts';
import { isDecidedFailure, placeOf, RunFold, recordedChanges } from '../../record/index.ts';
import { callKey, EvaluationInterruptions, RunInterruptions } from './interruptions.ts';

export { callKey } from './interruptions.ts';

/** State that no call wrote, and the slices that were declared with it. */
export interface RecordedStateChange extends Pick<StateRow, 'writes' | 'log'> {
  readonly slices: readonly SliceRow[];
}

/** What a run decided in one step, in the order of the rows. */
export type Decision = (
  | { readonly kind: 'response'; readonly turn: number; readonly row: ResponseRow }
  | {
      readonly kind: 'call';
      readonly turn: number;
      readonly callId: string;
      readonly row: CommitRow | AttemptRow;
      delivered?: DeliveredRow;
    }
  | { readonly kind: 'event'; readonly turn: number; readonly row: EventRow }
) & {
  /** What others changed after it and before the next one. */
  readonly changes: RecordedStateChange[];
};

/** An answer of a model, and what it answers. */
export interface AnsweredRequest {
  readonly row: ResponseRow;
  readonly request: RecordedRequest | undefined;
}

/** What the event of a compaction says. */
export type CompactedEvent = Extract<EventRow['event'], { readonly type: 'context-compacted' }>;

/** The decision of a call. */
export type CallDecision = Extract<Decision, { readonly kind: 'call' }>;

/** The rows of one evaluation as they are needed to resume it. */
export class EvaluationRows {
  readonly description: HeaderRow | RunRow;
  /** What the keys of its calls begin with. */
  readonly key: string;
  readonly decisions: Decision[] = [];
  /** All answers, those that are not decisions any more included. */
  readonly responses: AnsweredRequest[] = [];
  /** Calls that began something that cannot be taken back; see {@link callKey}. */
  readonly begun: Set<string> = new Set();
  /** Which of its calls were interrupted. */
  readonly interruptions: EvaluationInterruptions = new EvaluationInterruptions();
  /** What was compacted before the request of a turn. */
  readonly compactions: Map<number, CompactedEvent> = new Map();
  /** How many decisions were made, those that are not decisions any more included. */
  made = 0;
  firstRequest: RequestRow | undefined;
  lastRequest: RequestRow | undefined;
  /** The same evaluation as the fold of the rows has it. */
  readonly #run: FoldPlace['run'];
  readonly #calls = new Map<string, CallDecision>();
  /** Changes of the model, in their order. */
  #models: { readonly turn: number; readonly to: string }[] = [];

  constructor(description: HeaderRow | RunRow, key: string, run: FoldPlace['run']) {
    this.description = description;
    this.key = key;
    this.#run = run;
  }

  /** The request of a turn that was made last. */
  requestOf(turn: number): RecordedRequest | undefined {
    return this.#run.turnsByNumber.get(turn)?.request;
  }

  /** The name of the model that the evaluation was with in a turn; undefined where it had not left the first one. */
  modelOf(turn: number): string | undefined {
    return this.#models.findLast((change) => change.turn <= turn)?.to;
  }

  /** The conversation of the last request; undefined before the first one. */
  get lastConversation(): RecordedRequest['conversation'] | undefined {
    return this.lastRequest && this.requestOf(this.lastRequest.turn)?.conversation;
  }

  take(row: Row): void {
    switch (row.type) {
      case 'request':
        this.#askAgain(row);
        this.interruptions.asked(row);
        this.firstRequest ??= row;
        this.lastRequest = row;
        break;
      case 'response':
        if (row.error === undefined) this.responses.push({ row, request: this.requestOf(row.turn) });
        this.interruptions.answered(row);
        if (isDecidedResponse(row)) this.#decide({ kind: 'response', turn: row.turn, row, changes: [] });
        break;
      case 'commit':
        this.#settle(row);
        break;
      case 'attempt':
        if (isDecidedFailure(row)) this.#settle(row);
        break;
      case 'delivered': {
        const call = this.#calls.get(callKey(row));
        if (call !== undefined) call.delivered = row;
        break;
      }
      case 'event':
        if (row.event.type === 'model-changed') this.#models.push(row.event);
        if (row.event.type === 'completion-checked' || row.event.type === 'hosted-approval-answered')
          this.#decide({ kind: 'event', turn: row.event.turn, row, changes: [] });
        else if (row.event.type === 'context-compacted') this.compactions.set(row.event.turn, row.event);
        break;
      case 'begin':
        this.interruptions.begun(callKey(row));
        if (row.idempotent !== true && row.again !== true) this.begun.add(callKey(row));
        break;
      default:
        break;
    }
  }

  /** The tool of a call that has begun; undefined for one that has not. */
  toolNameOf({ turn, callId }: Pick<BeginRow, 'turn' | 'callId'>): string | undefined {
    const calls = this.#run.turnsByNumber.get(turn)?.calls;
    return calls?.find((call) => call.callId === callId)?.toolName;
  }

  /** Inside a call that was entered again the model may be asked something else: what followed the request before did not happen then. */
  #askAgain({ turn }: RequestRow): void {
    if (this.description.type !== 'run') return;
    this.#drop((decision) => decision.turn >= turn);
    for (const compacted of this.compactions.keys()) if (compacted > turn) this.compactions.delete(compacted);
    this.#models = this.#models.filter((change) => change.turn <= turn);
  }

  #settle(row: CommitRow | AttemptRow): void {
    const { turn, callId } = row;
    const earlier = this.#calls.get(callKey(row));
    // So may a call that several attempts at the outer call have made.
    if (earlier !== undefined) this.#drop((decision) => decision === earlier);
    const call: CallDecision = { kind: 'call', turn, callId, row, changes: [] };
    this.#calls.set(callKey(row), call);
    this.interruptions.settled(callKey(row));
    this.#decide(call);
  }

  #decide(decision: Decision): void {
    this.made += 1;
    this.decisions.push(decision);
  }

  #drop(isGone: (decision: Decision) => boolean): void {
    if (!this.decisions.some(isGone)) return;
    const kept = this.decisions.filter((decision) => !isGone(decision));
    this.decisions.splice(0, Infinity, ...kept);
  }
}

/** The `idempotencyKey` of a call of the evaluation with this key. */
export function keyOfCall(key: string, { turn, callId }: Pick<BeginRow, 'turn' | 'callId'>): string {
  return `${key}/${turn}/${encodeURIComponent(callId)}`;
}

/** The files that a row says were changed, with their contents. */
export function changesOfRow(
  { files }: Pick<CommitRow, 'files'>,
  blobs: RunRows['blobs'],
): readonly RecordedFileChange[] {
  return recordedChanges(files, { blob: (hash) => blobs.get(hash) });
}

/** @throws {PromptValidationError} for a run that the journal does not have. */
export function readRunRows(runId: string, rows: readonly JournalRow[]): RunRows {
  const read: { run?: RunRows } = {};
  const fold = new RunFold((row, runs) => {
    const place = placeOf(row, runs);
    if (place !== undefined && row.type === 'header') read.run = new RunRows(row, place, fold, rows.length);
    else if (place !== undefined) read.run?.take(row, place);
  });
  for (const { line } of rows) fold.add(line);
  if (read.run !== undefined) return read.run;
  throw unknownRun(runId);
}

/** The error for a run that the journal does not have. */
export function unknownRun(runId: string): PromptValidationError {
  return new PromptValidationError(`The journal has no run "${runId}".`, { details: { option: 'runId' } });
}

/** The rows of a run as they are needed to resume it. */
export class RunRows {
  readonly header: HeaderRow;
  /** How many rows there are. */
  count: number;
  /** The run itself. */
  readonly root: EvaluationRows;
  /** All evaluations, by their numbers. */
  readonly byNumber: Map<number, EvaluationRows> = new Map();
  /** Evaluations inside calls, by their keys: the key of the call and the number of the evaluation. */
  readonly inner: Map<string, EvaluationRows> = new Map();
  /** Numbers of the evaluations inside calls, by their ids. */
  readonly evaluations: Map<string, number> = new Map();
  /** What the session held at the start. */
  start: RecordedStateChange | undefined;
  /** What others changed before the first decision. */
  changes: RecordedStateChange[] = [];
  /** Questions that the run ended with, by their ids; those of the last time replace those of before. */
  readonly questions: Map<string, PendingQuestion> = new Map();
  /** Ids of the questions that it ended with last. */
  pending: readonly string[] = [];
  /** Answers, by the ids of the questions. */
  readonly answers: Map<string, AnswerRow> = new Map();
  /** Names of the messages that it has taken. */
  readonly taken: Set<string> = new Set();
  /** What was said to the model, by the turn before which it was: by messages, and when the run was resumed. */
  readonly inputs: Map<number, readonly JsonObject[]> = new Map();
  /** How the run ended last; undefined when it did not end. */
  end: EndRow | undefined;
  /** Who has ended the run for good; undefined: it was not cancelled. */
  cancelled: CancelledRow | undefined;
  commits = 0;
  readonly interruptions: RunInterruptions;
  readonly seen: SeenRow[] = [];
  readonly blobs: ReadonlyMap<string, BlobRow>;
  /** The run as a record shows it. */
  readonly record: () => RunRecord;
  readonly #fold: RunFold;
  /** Slices that the next row of state declares. */
  #declared: SliceRow[] = [];

  constructor(header: HeaderRow, { run }: FoldPlace, fold: RunFold, count: number) {
    this.header = header;
    this.count = count;
    this.root = new EvaluationRows(header, encodeURIComponent(header.runId), run);
    this.byNumber.set(0, this.root);
    this.interruptions = new RunInterruptions(this.root.interruptions, header.base === undefined);
    this.#fold = fold;
    this.blobs = fold.blobs;
    this.record = () => fold.record();
  }

  /** A row was added to the run. */
  add(line: string): void {
    this.#fold.add(line);
    this.count += 1;
  }

  take(row: Row, { run }: FoldPlace): void {
    switch (row.type) {
      case 'life':
        if (row.kind === 'begun') this.interruptions.begin(this.root.made + this.answers.size);
        else this.interruptions.end();
        break;
      case 'run':
        this.#beginInner(row, run);
        break;
      case 'seen':
        this.seen.push(row);
        break;
      case 'slice':
        this.#declared.push(row);
        break;
      case 'state':
        this.#state(row);
        break;
      case 'pending':
        this.interruptions.waits(Infinity);
        this.pending = row.questions.map(({ id }) => id);
        for (const question of row.questions) this.#ask(question);
        break;
      case 'question':
        this.interruptions.waits(1);
        this.#ask(row.question);
        break;
      case 'answer':
        this.interruptions.waits(-1);
        this.answers.set(row.id, row);
        break;
      case 'end':
        this.#end(row, run.index);
        break;
      case 'cancelled':
        this.cancelled = row;
        break;
      case 'resumed':
        this.end = undefined;
        break;
      case 'input':
        for (const id of row.ids ?? []) this.taken.add(id);
        this.inputs.set(row.turn, [...(this.inputs.get(row.turn) ?? []), ...row.items]);
        break;
      default:
        // The fold has counted it.
        if (run.index === 0 && row.type === 'commit') this.commits = row.seq ?? 0;
        this.byNumber.get(run.index)?.take(row);
    }
  }

  /** The same question may have been asked before about something else, and was answered then. */
  #ask(question: PendingQuestion): void {
    const { id, digest } = question;
    if (this.answers.get(id)?.digest !== digest) this.answers.delete(id);
    this.questions.set(id, question);
  }

  #end(row: EndRow, index: number): void {
    if (index === 0) {
      this.end = row;
      this.interruptions.end();
    } else if (row.outcome === 'finished' || (row.outcome === 'failed' && !isStopped(row)))
      this.byNumber.get(index)?.interruptions.over();
  }

  #beginInner(row: RunRow, inner: FoldPlace['run']): void {
    const { run = 0, turn, callId, evaluation } = row.parent;
    const outer = this.byNumber.get(run);
    const key = `${keyOfCall(outer?.key ?? '', { turn, callId })}/${evaluation}`;
    const rows = new EvaluationRows(row, key, inner);
    outer?.interruptions.addInner(callKey({ turn, callId }), evaluation, rows.interruptions);
    this.byNumber.set(row.run, rows);
    this.evaluations.set(row.evaluationId, row.run);
    // The last attempt counts.
    this.inner.set(key, rows);
  }

  #state({ kind, writes, log }: StateRow): void {
    const change = { writes, log, slices: this.#declared };
    this.#declared = [];
    if (kind === 'start') this.start = change;
    else (this.root.decisions.at(-1)?.changes ?? this.changes).push(change);
  }
}

/** Whether the signal of the run has ended an evaluation: it continues when the run does. */
function isStopped({ error }: EndRow): boolean {
  return error?.code === 'evaluation-aborted';
}

/** An answer, or a refusal that the run continues from. With any other failure it ended: the model is asked again. */
function isDecidedResponse({ error }: ResponseRow): boolean {
  return error === undefined || error.code === 'model-context-exceeded';
}
