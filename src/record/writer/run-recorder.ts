import { assertOptions, keptName, oneOf } from '../../core/error/index.ts';
import { none, present } from '../../core/internal/index.ts';
import type {
  CallCommit,
  DiscardedAttempt,
  EventType,
  ObservedEvaluation,
  ObservedRequest,
  ObservedResponse,
  ObservedState,
  OpenQuestion,
  RunEvent,
  RunObserver,
  RunPathStep,
} from '../../core/runtime/index.ts';
import type { JsonObject } from '../../core/schema/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import type { ConversationItem } from '../../core/tool/index.ts';
import { type HeaderRow, recordVersion } from '../format/header-row.ts';
import type { PendingQuestion } from '../format/journal-rows.ts';
import { lineOf, toReferences, withoutReferences } from '../format/references.ts';
import type { RunPart } from '../format/row-parts.ts';
import type { Row, SeenRow } from '../format/rows.ts';
import { AttemptRows } from './attempt-rows.ts';
import { BlobWriter, type Sha256 } from './blob-writer.ts';
import {
  deliveredRow,
  describeRun,
  eventOf,
  heldElsewhere,
  RequestEstimate,
  RunNumbers,
  recordedEventTypes,
  requestRow,
  responseRow,
  stateRow,
} from './plain-rows.ts';

/** Options of {@link runRecorder}. */
export interface RunRecorderOptions {
  /**
   * Takes the record line by line, each without its line feed, in order: the next one is not given before the promise of the last one has resolved. It may
   * throw or reject: the record then ends there.
   */
  readonly write: (line: string) => void | Promise<void>;
  /** Name of the run in the record. Default: the id of the evaluation. */
  readonly runId?: string;
  /**
   * Whether the record keeps what the run read: `'content'` keeps the first content that it saw of each file, up to 1 MiB a file, so that files
   * can be shown and replayed; `'digest'` keeps sizes and digests. What calls wrote is kept in both. Default: `'content'`.
   */
  readonly reads?: 'content' | 'digest';
  /** Where the run takes place, such as `node 22.11.0`, for readers. Default: not said. */
  readonly runtime?: string;
  /** Module of the agent, for `wink replay`. Default: not said. */
  readonly module?: string;
  /** Name of the folder that the agent works on, without the way to it, for `wink replay`. Default: not said. */
  readonly workspace?: string;
  /** When the program writes changes of files to the folder: with each call, at the end of the run, or never, for readers. Default: not said. */
  readonly apply?: 'each' | 'end' | 'never';
  /** Params that were given for the run, for `wink replay`. They are recorded as they are, without the redaction of the run. Default: not said. */
  readonly params?: JsonObject;
  /** The clock of the run. Default: the system's. */
  readonly clock?: Pick<Clock, 'now'>;
  /** Called once with what `write` threw or rejected with, or why a row could not be made. Must not throw. Default: it is not reported. */
  readonly onFailure?: (error: unknown) => void;
}

/** Records one run. */
export interface RunRecorder extends RunObserver {
  /** Resolves once everything so far was written, or could not be. */
  flush(): Promise<void>;
}

/**
 * An observer that writes the record of one run, `wink-run/1`: pass it in `observers`. It records the first run that it observes, with the
 * evaluations inside its calls. Text and data are those of the run: with `redact` they are redacted.
 *
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @see docs/spec/run-record.md §1
 */
export function runRecorder(options: RunRecorderOptions): RunRecorder {
  return createRunRecorder(options);
}

/** @internal For Node, which has a faster SHA-256. */
export function createRunRecorder(options: RunRecorderOptions, sha256?: Sha256): RunRecorder {
  assertOptions('runRecorder()', options, {
    reads: 'any',
    write: 'function!',
    runId: keptName,
    runtime: 'string',
    module: 'string',
    workspace: 'string',
    apply: oneOf(['each', 'end', 'never']),
    params: 'object',
    clock: 'object',
    onFailure: 'function',
  });
  return new Recorder(options, sha256);
}

/** What a recorder of a journal knows beside the options. */
export interface JournalRecorderOptions extends Omit<RunRecorderOptions, 'write'> {
  /** Takes the rows, one after the other. Must not throw. */
  readonly write: (line: string, type: Row['type']) => void;
  /** Larger contents of files are not kept. Default: 1 MiB. */
  readonly maxContentBytes?: number;
  /** Whether the delivery of each call is a row, for a journal, whose rows are never redacted. Default: only with feedback. */
  readonly marksDeliveries?: boolean;
}

/** The rows that a recorder continues from. */
export interface ContinuedRows {
  readonly header: HeaderRow;
  /** Numbers of the evaluations that have begun, by their ids, the root run not among them. */
  readonly evaluations: ReadonlyMap<string, number>;
  readonly commits: number;
  /** By their hashes. */
  readonly blobs: ReadonlyMap<string, unknown>;
  readonly seen: Iterable<SeenRow>;
}

const defaultMaxContentBytes = 1_048_576;

/** Makes the rows of one run from what observers get. */
export class Recorder implements RunRecorder {
  readonly eventTypes: readonly EventType[] = recordedEventTypes;
  readonly #options: RunRecorderOptions | JournalRecorderOptions;
  readonly #marksDeliveries: boolean;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #blobs: BlobWriter;
  readonly #numbers = new RunNumbers();
  readonly #estimates = new Map<number, RequestEstimate>();
  readonly #attempts: AttemptRows;
  #rootId: string | undefined;
  #startedAtMs = 0;
  /** Commits on the root session so far. */
  #commits = 0;
  #hasFailed = false;
  #writing: Promise<void> | undefined;

  /** @param sha256 Default: the one for every runtime. */
  constructor(options: RunRecorderOptions | JournalRecorderOptions, sha256?: Sha256) {
    const {
      marksDeliveries = false,
      maxContentBytes = defaultMaxContentBytes,
    }: Partial<JournalRecorderOptions> = options;
    this.#options = options;
    this.#marksDeliveries = marksDeliveries;
    this.#clock = options.clock ?? systemClock;
    this.#blobs = new BlobWriter((row) => this.#line(row), maxContentBytes, sha256);
    this.#attempts = new AttemptRows(this.#blobs, options.reads ?? 'content');
  }

  /** Continues after the rows of a run. Before anything is observed. */
  continueAfter({ header, evaluations, commits, blobs, seen }: ContinuedRows): void {
    this.#rootId = header.evaluationId;
    this.#startedAtMs = header.startedAtMs;
    this.#commits = commits;
    this.#numbers.begin(header.evaluationId, none);
    this.#numbers.continueWith(evaluations);
    this.#blobs.known(blobs.keys());
    this.#attempts.known(seen);
  }

  /** A row of the root run, or of the evaluation with this id, that no observation makes. @param row with the members that all such rows have. */
  add(make: (part: RunPart) => Row, evaluationId: string | undefined = this.#rootId): void {
    this.#observed(evaluationId, this.#clock.now(), (part) => this.#row(make(part)));
  }

  /** The run ends with questions. */
  suspend(questions: readonly OpenQuestion[]): void {
    this.add((part) => ({
      type: 'pending',
      ...part,
      questions: questions.map(({ pending, attempt, staged }) => ({
        ...questionOf(pending, attempt),
        ...present({ staged: staged === undefined ? undefined : this.#attempts.staged(staged) }),
      })),
    }));
  }

  /** Someone is asked while the run continues. */
  ask({ pending, attempt }: OpenQuestion): void {
    this.add((part) => ({ type: 'question', ...part, question: questionOf(pending, attempt) }));
  }

  onEvent(event: RunEvent, evaluation: ObservedEvaluation): void {
    if (this.#rootId === undefined && event.type === 'run-start') this.#rootId = evaluation.evaluationId;
    if (evaluation.evaluationId === this.#rootId) this.#guarded(() => this.#event(event));
  }

  onState(state: ObservedState): void {
    this.#observed(state.evaluationId, state.atMs, (part) => {
      for (const slice of state.slices) this.#row({ type: 'slice', t: part.t, ...slice });
      this.#row(stateRow(state, part));
    });
  }

  /** @param before the conversation of the request before, which rows of another process have. Default: there was none. */
  onRequest(request: ObservedRequest, before: readonly ConversationItem[] = none): void {
    this.#observed(request.evaluationId, request.atMs, (part) => {
      const { run = 0 } = part;
      const estimate = this.#estimates.get(run) ?? new RequestEstimate(before);
      this.#estimates.set(run, estimate);
      this.#row(requestRow(request, estimate, part));
    });
  }

  onResponse(response: ObservedResponse): void {
    this.#observed(response.evaluationId, response.atMs, (part) => this.#row(responseRow(response, part)));
  }

  onCommit(commit: CallCommit): void {
    this.#observed(commit.evaluationId, commit.phases.settledAtMs, (part) => {
      this.#checkOrder(commit);
      for (const row of this.#attempts.commit(commit, part, this.#startedAtMs)) this.#row(row);
    });
  }

  onDiscard(attempt: DiscardedAttempt): void {
    this.#observed(attempt.evaluationId, attempt.phases.settledAtMs, (part) => {
      for (const row of this.#attempts.discard(attempt, part, this.#startedAtMs)) this.#row(row);
    });
  }

  /** Makes the rows of an evaluation that was seen to begin. */
  #observed(evaluationId: string | undefined, atMs: number, make: (part: RunPart) => void): void {
    this.#guarded(() => {
      const run = evaluationId === undefined ? undefined : this.#numbers.of(evaluationId);
      if (run !== undefined) make(this.#part(run, this.#after(atMs)));
    });
  }

  async flush(): Promise<void> {
    while (this.#writing !== undefined) await this.#writing;
  }

  /** The run continues when it cannot report a commit; the state after that one is not known. */
  #checkOrder({ seq }: CallCommit): void {
    if (seq === undefined) return;
    const next = this.#commits + 1;
    if (seq !== next) throw new RangeError(`Commit ${next} was not reported.`);
    this.#commits = seq;
  }

  #event(event: RunEvent): void {
    const t = this.#after(this.#clock.now());
    if (event.type === 'run-start') {
      const step = event.path.at(-1);
      if (step === undefined) this.#begin(event);
      else this.#beginInner(event, step, t);
      return;
    }
    const run = this.#numbers.of(event.evaluationId);
    if (run === undefined) return;
    const part = this.#part(run, t);
    if (event.type === 'run-end') {
      const { type: _type, evaluationId: _id, path: _path, ...end } = event;
      this.#row({ type: 'end', ...part, ...end });
    } else if (event.type === 'tool-call-end') {
      const row = deliveredRow(event, part, this.#marksDeliveries);
      if (row !== undefined) this.#row(row);
    } else if (!this.#isHeldElsewhere(event)) {
      this.#row({ type: 'event', ...part, event: eventOf(event) });
    }
  }

  /** A journal has a row of its own for what is said, from which it is said again. */
  #isHeldElsewhere({ type }: RunEvent): boolean {
    return heldElsewhere.has(type) || (type === 'input-taken' && this.#marksDeliveries);
  }

  #begin(event: Extract<RunEvent, { readonly type: 'run-start' }>): void {
    const { runId = event.evaluationId, reads = 'content' } = this.#options;
    const { runtime, module, workspace, apply, params } = this.#options;
    this.#startedAtMs = this.#clock.now();
    this.#numbers.begin(event.evaluationId, none);
    this.#row({
      type: 'header',
      version: recordVersion,
      runId,
      sessionId: event.sessionId,
      startedAtMs: this.#startedAtMs,
      ...present({ runtime, module, workspace, apply, params }),
      reads,
      // A journal gets everything before it is redacted; only the observers of the run do not.
      redacted: event.isRedacted && !this.#marksDeliveries,
      ...present({ toolRuntime: event.isToolRuntime === true ? (true as const) : undefined }),
      ...describeRun(event),
    });
  }

  #beginInner(
    event: Extract<RunEvent, { readonly type: 'run-start' }>,
    { turn, callId, attempt, evaluation, policy }: RunPathStep,
    t: number,
  ): void {
    const outer = this.#numbers.around(event.path);
    if (outer === undefined) return;
    // An evaluation that is gone on with has its row.
    if (this.#numbers.beginAgain(event.evaluationId, event.path)) return;
    const run = this.#numbers.begin(event.evaluationId, event.path);
    this.#row({
      type: 'run',
      run,
      t,
      parent: {
        ...present({ run: outer === 0 ? undefined : outer }),
        turn,
        callId,
        attempt,
        evaluation,
        ...present({ policy }),
      },
      ...describeRun(event),
    });
  }

  #part(run: number, t: number): { readonly run?: number; readonly t: number } {
    return run === 0 ? { t } : { run, t };
  }

  /** Milliseconds after the start of the run. */
  #after(atMs: number): number {
    return atMs - this.#startedAtMs;
  }

  #row(row: Row): void {
    // Nothing is read of a row but plain JSON.
    const encoded =
      row.type === 'header'
        ? withoutReferences(row)
        : toReferences(row, (text) => this.#blobs.keepText(text));
    this.#write(lineOf(encoded), row.type);
  }

  /** Makes rows. A row that cannot be made ends the record: a reader would take what comes after for all that there was. */
  #guarded(make: () => void): void {
    if (this.#hasFailed) return;
    try {
      make();
    } catch (error) {
      this.#fail(error);
    }
  }

  /** A row as it is: what it holds is what others refer to. */
  #line(row: Row): void {
    this.#write(lineOf(row), row.type);
  }

  #write(line: string, type: Row['type']): void {
    if (this.#hasFailed) return;
    if (this.#writing !== undefined) {
      this.#follow(this.#writing.then(() => (this.#hasFailed ? undefined : this.#options.write(line, type))));
      return;
    }
    try {
      const written = this.#options.write(line, type);
      if (written !== undefined) this.#follow(Promise.resolve(written));
    } catch (error) {
      this.#fail(error);
    }
  }

  /** Lines wait for this promise until it is the last one. */
  #follow(written: Promise<void>): void {
    const settled = written
      .catch((error: unknown) => this.#fail(error))
      .then(() => {
        if (this.#writing === settled) this.#writing = undefined;
      });
    this.#writing = settled;
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#options.onFailure?.(error);
  }
}

/** A question as rows have it: what the changes are is in what the call has done. */
function questionOf(
  { changes: _changes, ...asked }: OpenQuestion['pending'],
  attempt: number,
): PendingQuestion {
  return { ...asked, attempt };
}
