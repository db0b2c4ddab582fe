import { RecordError } from '../../core/error/index.ts';
import { none, present } from '../../core/internal/index.ts';
import { type BareEvent, saidText } from '../../core/runtime/index.ts';
import type { UserItem } from '../../core/tool/index.ts';
import type { HeaderRow } from '../format/header-row.ts';
import type {
  CancelledRow,
  InputRow,
  PendingQuestion,
  PendingRow,
  ResumedRow,
} from '../format/journal-rows.ts';
import { RowReader } from '../format/row-reader.ts';
import type {
  AttemptRow,
  BlobRow,
  CommitRow,
  DeliveredRow,
  EndRow,
  RequestRow,
  ResponseRow,
  Row,
  RunRow,
  SeenRow,
} from '../format/rows.ts';
import { AttemptLives } from './attempt-lives.ts';
import {
  type BuiltCall,
  type BuiltRun,
  isDecidedFailure,
  reopenCall,
  reopenRun,
  settleCall,
  turnOf,
} from './built.ts';
import { FileTimeline } from './file-timeline.ts';
import { problemsOf } from './problems.ts';
import { type AttemptReferences, recordedAttempt, recordedContent } from './recorded-attempt.ts';
import { Redactions } from './redactions.ts';
import { RequestHistory, recordedResponse } from './requests.ts';
import type { RecordedCommit, RunRecord } from './run-record.ts';
import { type FoldListener, RunTree } from './run-tree.ts';
import { StateTimeline } from './state-timeline.ts';

/** Rows that a process may have added that did not work on the run. */
const ofOtherProcesses: ReadonlySet<Row['type']> = new Set(['answer', 'cancelled', 'life', 'resumed']);

/**
 * Folds the rows of a record, line by line: for a record that is still being written. Linear in the number of rows.
 *
 * @see docs/spec/run-record.md §7
 */
export class RunFold {
  readonly #rows = new RowReader();
  readonly #tree = new RunTree();
  readonly #commits: RecordedCommit[] = [];
  readonly #requests = new Map<BuiltRun, RequestHistory>();
  readonly #state = new StateTimeline();
  readonly #files = new FileTimeline();
  readonly #references: AttemptReferences = {
    blob: (hash) => this.#rows.blob(hash),
    callOfCommit: (seq) => this.#commits[seq - 1]?.call.id,
  };
  readonly #unknown = new Map<string, number>();
  #header: HeaderRow | undefined;
  readonly #lives = new AttemptLives();
  readonly #redactions = new Redactions();
  #cancelled: RunRecord['cancelled'];
  readonly #pauses: RunRecord['pauses'][number][] = [];
  /** Up to where a process is known to have worked on the run. */
  #workedUntilMs = 0;
  /** Calls that the end of the run cut off: resumed, it makes them again. */
  readonly #cutOff = new Set<BuiltCall>();
  readonly #listener: FoldListener | undefined;

  /** @internal */
  constructor(listener?: FoldListener) {
    this.#listener = listener;
  }

  /** All texts and bytes so far, by their hashes. @internal */
  get blobs(): ReadonlyMap<string, BlobRow> {
    return this.#rows.blobs;
  }

  /**
   * Takes the next line, without its line feed.
   *
   * @throws {RecordError} `record-malformed`, `record-version-unsupported`, `record-row-unsupported`, `record-blob-missing`.
   */
  add(line: string): void {
    const row = this.#rows.read(line);
    if (row === undefined) return;
    if (row.type === 'unknown') this.#unknown.set(row.name, (this.#unknown.get(row.name) ?? 0) + 1);
    else {
      this.#row(row);
      this.#redactions.add(row, this.#tree.runs);
      this.#listener?.(row, this.#tree.runs);
    }
  }

  /**
   * What was folded so far. What it holds grows with the next lines; take another one after them.
   *
   * @throws {RecordError} `record-empty` before the header.
   */
  record(): RunRecord {
    const header = this.#header;
    const [root] = this.#tree.runs;
    if (header === undefined || root === undefined) {
      const why =
        this.#rows.tornLine === undefined
          ? 'The record has no row: its run has not begun.'
          : `Line ${this.#rows.tornLine} is not JSON, or was cut off: the record has no row.`;
      throw new RecordError('record-empty', why);
    }
    this.#tree.settleInner();
    const calls = [...this.#tree.calls];
    const turns = [...this.#tree.turns];
    const { runtime, module, workspace, apply, params, base } = header;
    return {
      runId: header.runId,
      sessionId: header.sessionId,
      startedAtMs: header.startedAtMs,
      version: header.version,
      ...present({ runtime, module, workspace, apply, params, base, cancelled: this.#cancelled }),
      isRedacted: header.redacted,
      isToolRuntime: header.toolRuntime === true,
      isComplete: root.outcome !== undefined || this.#cancelled !== undefined,
      isTorn: this.#rows.tornLine !== undefined,
      unknownRows: Object.fromEntries(this.#unknown),
      root,
      runs: [...this.#tree.runs],
      turns,
      calls,
      commits: [...this.#commits],
      problems: problemsOf(root, turns, calls, (question) => this.#lives.isAnswered(question)),
      questions: this.#lives.questions(),
      redactions: this.#redactions.places(),
      pauses: [...this.#pauses],
      interruptions: this.#lives.interruptions,
      call: (id) => this.#tree.callById(id),
      stateAt: (seq) => this.#state.at(seq),
      filesAt: (seq) => this.#files.at(seq),
      blameLines: (path, seq) => this.#files.blame(path, seq),
    };
  }

  #row(row: Row): void {
    if ('t' in row && !ofOtherProcesses.has(row.type)) this.#workedUntilMs = row.t;
    switch (row.type) {
      case 'header':
        return this.#begin(row);
      case 'run':
        return this.#beginInner(row);
      case 'slice':
        return this.#state.declare(row);
      case 'state':
        return this.#state.add({ writes: row.writes, log: row.log, call: undefined });
      case 'seen':
        return this.#seen(row);
      case 'request':
        return this.#request(row);
      case 'response':
        return this.#response(row);
      case 'commit':
        return this.#commit(row);
      case 'attempt':
        return this.#discard(row);
      case 'delivered':
        return this.#delivered(row);
      case 'event':
        return this.#event(row.run, row.t, row.event);
      case 'end':
        return this.#end(row);
      case 'cancelled':
        return this.#cancel(row);
      case 'resumed':
        return this.#resumed(row);
      case 'life':
        return this.#lives.process(row.kind === 'begun');
      case 'pending':
        return this.#pending(row);
      case 'question':
        return this.#ask(row.question, row.t, false);
      case 'answer':
        return this.#lives.answer(row);
      case 'input':
        return this.#said(row);
      default:
        // Of these rows a record shows nothing.
        return undefined;
    }
  }

  #begin(row: HeaderRow): void {
    this.#header = row;
    // A fork is written without a process that works on it.
    this.#lives.process(row.base === undefined);
    this.#tree.begin(row, 0);
  }

  #beginInner(row: RunRow): void {
    const { parent } = row;
    const next = this.#tree.runs.length;
    if (row.run !== next) throw this.#malformed(`it is run ${row.run}, and the next one is ${next}`);
    const call = this.#tree.call(this.#run(parent.run), parent.turn, parent.callId, row.t);
    const run = this.#tree.begin(row, row.t);
    const { attempt, evaluation, policy } = parent;
    run.life = this.#lives.life;
    run.parent = { call, attempt: this.#lives.numberOf(call, attempt), evaluation, ...present({ policy }) };
    call.inner.push(run);
  }

  #cancel({ t, by, reason }: CancelledRow): void {
    this.#cancelled = { atMs: t, ...present({ by, reason }) };
  }

  #seen({ path, found, content }: SeenRow): void {
    if (found === 'directory') return;
    const recorded = content === undefined ? undefined : recordedContent(content, this.#references);
    this.#files.seen(path, recorded);
  }

  #request(row: RequestRow): void {
    const run = this.#run(row.run);
    const history = this.#requests.get(run) ?? new RequestHistory();
    this.#requests.set(run, history);
    const turn = this.#tree.turn(run, row.turn, row.t);
    turn.request = history.add(row);
  }

  #response(row: ResponseRow): void {
    const turn = this.#tree.turn(this.#run(row.run), row.turn, row.t);
    turn.response = recordedResponse(row);
    turn.endedAtMs = row.t;
  }

  #commit(row: CommitRow): void {
    const { seq } = row;
    const next = this.#commits.length + 1;
    if (seq !== undefined && seq !== next)
      throw this.#malformed(`it is commit ${seq}, and the next one is ${next}`);
    const call = this.#settle(row);
    const attempt = this.#lives.add(call, recordedAttempt(row, 'committed', this.#references));
    call.committed = { attempt: attempt.number, life: this.#lives.life };
    if (seq === undefined) return;
    call.seq = seq;
    call.isFinal = true;
    this.#state.commit();
    this.#state.add({ writes: row.writes, log: row.log, call });
    this.#files.commit(seq, attempt.files, call);
    const changes = row.writes.length + row.log.length + row.files.length > 0;
    this.#commits.push({ seq, atMs: row.t, call, attempt, changes });
  }

  #discard(row: AttemptRow): void {
    const call = row.why === 'failed' ? this.#settle(row) : this.#callOf(row);
    const outcome = row.why === 'superseded' ? 'superseded' : (row.result?.outcome ?? 'rolled-back');
    // A call that never began has no attempt.
    if (row.attempt > 0) this.#lives.add(call, recordedAttempt(row, outcome, this.#references));
    if (call.run.index > 0 || row.why !== 'failed') return;
    const isCutOff = !isDecidedFailure(row);
    if (isCutOff) this.#cutOff.add(call);
    this.#state.add({ writes: none, log: row.log, call, isCutOff });
  }

  #delivered(row: DeliveredRow): void {
    const call = this.#tree.call(this.#run(row.run), row.turn, row.callId, row.t);
    if (row.resultId !== undefined) {
      call.resultId = row.resultId;
      if (call.modelText !== undefined) call.wholeText = call.modelText;
    }
    if (row.modelText !== undefined) call.modelText = row.modelText;
    if (row.feedback !== undefined) call.feedback = row.feedback;
  }

  #event(number: number | undefined, atMs: number, event: BareEvent): void {
    const run = this.#run(number);
    if (event.type === 'tool-call-start') {
      const call = this.#tree.call(run, event.turn, event.callId, atMs);
      call.toolName = event.toolName;
      if (event.subject !== undefined) call.subject = event.subject;
      return;
    }
    if (event.type === 'tool-call-progress') {
      this.#tree.call(run, event.turn, event.callId, atMs).progress.push({ atMs, update: event.update });
      return;
    }
    if (event.type === 'approval-pending') {
      const { turn, callId, about } = event;
      const calls = run.turnsByNumber.get(turn)?.calls.filter((call) => call.callId === callId) ?? none;
      this.#lives.ask(event, { calls, fromMs: atMs, isSuspended: true, about, expiresAtMs: undefined });
    }
    this.#tree.turn(run, turnOf(event) ?? 0, atMs).events.push({ atMs, event });
  }

  #ask(question: PendingQuestion, atMs: number, isSuspended: boolean): void {
    const startedAtMs = this.#header?.startedAtMs ?? 0;
    const { askedAtMs, expiresAtMs, staged } = question;
    this.#lives.ask(question, {
      calls: this.#tree.waitingCalls(question),
      fromMs: Math.max(0, Math.min(askedAtMs - startedAtMs, atMs)),
      isSuspended,
      about: staged === undefined ? 'call' : 'changes',
      expiresAtMs: expiresAtMs === undefined ? undefined : expiresAtMs - startedAtMs,
    });
  }

  #end(row: EndRow): void {
    const run = this.#run(row.run);
    const { outcome, usage, text, output, error, t } = row;
    if (run.index === 0) this.#lives.process(false);
    reopenRun(run);
    Object.assign(run, present({ outcome, usage, endedAtMs: t, text, output, error }));
  }

  /** Questions, as observers of the run got them. */
  #pending({ questions, t }: PendingRow): void {
    const last = this.#tree.runs[0]?.turns.at(-1)?.number ?? 0;
    for (const question of questions) {
      this.#ask(question, t, true);
      const { attempt: _attempt, params: _params, key: _key, askedAtMs: _atMs, ...rest } = question;
      const { expiresAtMs: _expiresAtMs, path, staged, ...asked } = rest;
      this.#event(0, t, {
        type: 'approval-pending',
        ...asked,
        // A call inside another one waits in the turn of that one, the last of the run.
        turn: path === undefined ? asked.turn : last,
        about: staged === undefined ? 'call' : 'changes',
      });
    }
  }

  /** What was said to the run, as its observers got it; what was said when it was resumed is in the request alone. */
  #said({ turn, items, ids, by, t }: InputRow): void {
    if (ids === undefined) return;
    // The reader of rows has checked that each is a message.
    const text = saidText(items as unknown as readonly UserItem[]);
    this.#event(0, t, { type: 'input-taken', turn, ids, ...present({ by }), text });
  }

  /** What had ended the run did not. */
  #resumed({ changed, t, turn }: ResumedRow): void {
    this.#lives.next();
    this.#pauses.push({ fromMs: Math.min(this.#workedUntilMs, t), toMs: t });
    this.#workedUntilMs = t;
    for (const call of this.#cutOff) reopenCall(call);
    this.#cutOff.clear();
    this.#state.takeBack();
    const [root] = this.#tree.runs;
    if (root !== undefined) reopenRun(root);
    const runId = this.#header?.runId ?? '';
    const interruptions = this.#lives.interruptions === 0 ? undefined : this.#lives.interruptions;
    this.#event(0, t, {
      type: 'run-resumed',
      runId,
      turn,
      commits: this.#commits.length,
      changed,
      ...present({ interruptions }),
    });
  }

  /** The call of an attempt that settles it. */
  #settle(row: CommitRow | AttemptRow): BuiltCall {
    const call = this.#callOf(row);
    if (row.result !== undefined) settleCall(call, row.result, row.t);
    if (row.redacted === true) call.isRedacted = true;
    const turn = this.#tree.turn(call.run, row.turn, row.t);
    turn.endedAtMs = row.t;
    return call;
  }

  #callOf(row: CommitRow | AttemptRow): BuiltCall {
    const call = this.#tree.call(this.#run(row.run), row.turn, row.callId, row.phases.requestedAtMs);
    call.toolName = row.toolName;
    return Object.assign(call, present({ effects: row.effects, params: row.params }));
  }

  #run(number = 0): BuiltRun {
    const run = this.#tree.runs[number];
    if (run !== undefined) return this.#lives.reach(run);
    throw this.#malformed(`it belongs to run ${number}, which has not begun`);
  }

  #malformed(why: string): RecordError {
    const line = this.#rows.lines;
    return new RecordError('record-malformed', `Line ${line} is not a row of a record: ${why}.`, {
      details: { line },
    });
  }
}
