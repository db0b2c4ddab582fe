import { RecordError } from '../../error/index.ts';
import { none, present } from '../../internal/index.ts';
import type { RunEvent } from '../../runtime/index.ts';
import { isDecidedFailure } from '../format/decided.ts';
import { RowReader } from '../format/row-reader.ts';
import type {
  AttemptRow,
  CommitRow,
  ContentReference,
  DeliveredRow,
  EndRow,
  HeaderRow,
  PendingRow,
  RequestRow,
  ResponseRow,
  ResumedRow,
  Row,
  RowConflict,
  RowFileChange,
  RowRead,
  RunRow,
} from '../format/rows.ts';
import {
  type BuiltCall,
  type BuiltRun,
  type BuiltTurn,
  builtRun,
  isTakenIn,
  reopenCall,
  reopenRun,
  settleCall,
  turnOf,
} from './built.ts';
import { CallsById } from './calls-by-id.ts';
import { FileTimeline } from './file-timeline.ts';
import { problemsOf } from './problems.ts';
import { RequestHistory } from './requests.ts';
import { recordedResponse } from './responses.ts';
import type {
  RecordedAttempt,
  RecordedCommit,
  RecordedConflict,
  RecordedContent,
  RecordedFileChange,
  RecordedRead,
  RunRecord,
} from './run-record.ts';
import { StateTimeline } from './state-timeline.ts';

/**
 * Folds the rows of a record, line by line: for a record that is still being written. Linear in the number of rows.
 *
 * @see docs/spec/run-record.md §7
 */
export class RunFold {
  readonly #rows = new RowReader();
  readonly #runs: BuiltRun[] = [];
  readonly #turns: BuiltTurn[] = [];
  readonly #calls: BuiltCall[] = [];
  readonly #callsByPlace = new Map<string, BuiltCall>();
  readonly #callsById = new CallsById();
  readonly #commits: RecordedCommit[] = [];
  readonly #requests = new Map<BuiltRun, RequestHistory>();
  readonly #state = new StateTimeline();
  readonly #files = new FileTimeline();
  readonly #unknown = new Map<string, number>();
  #header: HeaderRow | undefined;
  /** How often the run was resumed. */
  #life = 0;
  /** Calls that the end of the run cut off: resumed, it makes them again. */
  readonly #cutOff = new Set<BuiltCall>();

  /**
   * Takes the next line, without its line feed.
   *
   * @throws {RecordError} `record-malformed`, `record-version-unsupported`, `record-blob-missing`.
   */
  add(line: string): void {
    const row = this.#rows.read(line);
    if (row === undefined) return;
    if (row.type === 'unknown') this.#unknown.set(row.name, (this.#unknown.get(row.name) ?? 0) + 1);
    else this.#row(row);
  }

  /**
   * What was folded so far. What it holds grows with the next lines; take another one after them.
   *
   * @throws {RecordError} `record-empty` before the header.
   */
  record(): RunRecord {
    const header = this.#header;
    const [root] = this.#runs;
    if (header === undefined || root === undefined)
      throw new RecordError(
        'record-empty',
        'The record holds no row: the run has not begun, or nothing was written.',
      );
    this.#settleInner();
    const calls = [...this.#calls];
    const turns = [...this.#turns];
    const { runtime, module, workspace, params, base } = header;
    return {
      runId: header.runId,
      sessionId: header.sessionId,
      startedAtMs: header.startedAtMs,
      version: header.version,
      ...present({ runtime, module, workspace, params, base }),
      isRedacted: header.redacted,
      isComplete: root.outcome !== undefined,
      isTorn: this.#rows.isTorn,
      unknownRows: Object.fromEntries(this.#unknown),
      root,
      runs: [...this.#runs],
      turns,
      calls,
      commits: [...this.#commits],
      problems: problemsOf(root, turns, calls),
      call: (id) => this.#callsById.get(id),
      stateAt: (seq) => this.#state.at(seq),
      filesAt: (seq) => this.#files.at(seq),
      blameLines: (path, seq) => this.#files.blame(path, seq),
    };
  }

  #row(row: Row): void {
    switch (row.type) {
      case 'header':
        return this.#begin(row);
      case 'run':
        return this.#beginInside(row);
      case 'slice':
        return this.#state.declare(row);
      case 'state':
        return this.#state.add({ writes: row.writes, log: row.log, call: undefined });
      case 'seen':
        if (row.found !== 'directory') this.#files.seen(row.path, this.#content(row.content));
        return undefined;
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
      case 'resumed':
        return this.#resumed(row);
      case 'pending':
        return this.#pending(row);
      case 'begin':
      case 'input':
      case 'answer':
      case 'blob':
        return undefined;
    }
  }

  #begin(row: HeaderRow): void {
    this.#header = row;
    this.#runs.push(builtRun(0, row, 0));
  }

  #beginInside(row: RunRow): void {
    const { parent } = row;
    const next = this.#runs.length;
    if (row.run !== next) throw this.#malformed(`it is run ${row.run}, and number ${next} is the next one`);
    const call = this.#callAt(this.#run(parent.run), parent.turn, parent.callId, row.t);
    const run = builtRun(next, row, row.t);
    const { attempt, evaluation, policy } = parent;
    run.life = this.#life;
    run.parent = { call, attempt, evaluation, ...present({ policy }) };
    call.inner.push(run);
    this.#runs.push(run);
  }

  #request(row: RequestRow): void {
    const run = this.#run(row.run);
    const history = this.#requests.get(run) ?? new RequestHistory();
    this.#requests.set(run, history);
    const turn = this.#turn(run, row.turn, row.t);
    turn.request = history.add(row);
  }

  #response(row: ResponseRow): void {
    const turn = this.#turn(this.#run(row.run), row.turn, row.t);
    turn.response = recordedResponse(row);
    turn.endedAtMs = row.t;
  }

  #commit(row: CommitRow): void {
    const { seq } = row;
    const call = this.#settle(row);
    const attempt = this.#attempt(row, 'committed', none);
    call.attempts.push(attempt);
    call.committed = { attempt: row.attempt, life: this.#life };
    if (seq === undefined) return;
    const next = this.#commits.length + 1;
    if (seq !== next) throw this.#malformed(`it is commit ${seq}, and number ${next} is the next one`);
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
    if (row.attempt > 0) call.attempts.push(this.#attempt(row, outcome, row.conflicts));
    const isOfRoot = call.run.index === 0;
    if (!isOfRoot || row.why !== 'failed') return;
    const isCutOff = !isDecidedFailure(row);
    if (isCutOff) this.#cutOff.add(call);
    this.#state.add({ writes: none, log: row.log, call, ...(isCutOff ? { isCutOff } : {}) });
  }

  #delivered(row: DeliveredRow): void {
    const call = this.#callAt(this.#run(row.run), row.turn, row.callId, row.t);
    if (row.modelText !== undefined) call.modelText = row.modelText;
    if (row.feedback !== undefined) call.feedback = row.feedback;
  }

  #event(number: number | undefined, atMs: number, event: RunEvent): void {
    const run = this.#run(number);
    if (event.type === 'tool-call-start') {
      this.#callAt(run, event.turn, event.callId, atMs).toolName = event.toolName;
      return;
    }
    if (event.type === 'tool-call-progress') {
      this.#callAt(run, event.turn, event.callId, atMs).progress.push({ atMs, update: event.update });
      return;
    }
    this.#turn(run, turnOf(event) ?? 0, atMs).events.push({ atMs, event });
  }

  #end(row: EndRow): void {
    const run = this.#run(row.run);
    const { outcome, usage, text, output, error, t } = row;
    reopenRun(run);
    Object.assign(run, present({ outcome, usage, endedAtMs: t, text, output, error }));
  }

  /** Questions, as observers of the run got them. */
  #pending({ questions, t }: PendingRow): void {
    const last = this.#runs[0]?.turns.at(-1)?.number ?? 0;
    for (const {
      callId,
      toolName,
      path,
      policy,
      policyPrompt,
      reason,
      id,
      digest,
      staged,
      ...asked
    } of questions) {
      // A call inside another one waits in the turn of that one, the last of the run.
      const turn = path === undefined ? asked.turn : last;
      this.#event(0, t, {
        ...{ type: 'approval-pending', turn, callId, toolName, policy, reason, id, digest },
        ...present({ policyPrompt }),
        about: staged === undefined ? 'call' : 'changes',
      });
    }
  }

  /** What had ended the run did not. */
  #resumed({ changed, t, turn }: ResumedRow): void {
    this.#life += 1;
    for (const call of this.#cutOff) reopenCall(call);
    this.#cutOff.clear();
    this.#state.takeBack();
    const [root] = this.#runs;
    if (root !== undefined) reopenRun(root);
    const runId = this.#header?.runId ?? '';
    this.#event(0, t, { type: 'run-resumed', runId, turn, commits: this.#commits.length, changed });
  }

  /** The call of an attempt that settles it. */
  #settle(row: CommitRow | AttemptRow): BuiltCall {
    const call = this.#callOf(row);
    if (row.result !== undefined) settleCall(call, row.result, row.t);
    if (row.redacted === true) call.isRedacted = true;
    const turn = this.#turn(call.run, row.turn, row.t);
    turn.endedAtMs = row.t;
    return call;
  }

  #callOf(row: CommitRow | AttemptRow): BuiltCall {
    const call = this.#callAt(this.#run(row.run), row.turn, row.callId, row.phases.requestedAtMs);
    call.toolName = row.toolName;
    return Object.assign(call, present({ effects: row.effects, params: row.params }));
  }

  #attempt(
    row: CommitRow | AttemptRow,
    outcome: RecordedAttempt['outcome'],
    conflicts: readonly RowConflict[],
  ): RecordedAttempt {
    const { attempt, phases, base, policies, writes, log } = row;
    return {
      number: attempt,
      outcome,
      phases,
      ...present({ base }),
      reads: row.reads.map((read) => this.#read(read)),
      policies,
      conflicts: conflicts.map((conflict) => this.#conflict(conflict)),
      writes,
      log,
      events: row.events,
      files: row.files.map((change) => this.#change(change)),
    };
  }

  #conflict({ what, by }: RowConflict): RecordedConflict {
    return { what, by: by.flatMap((seq) => this.#commits[seq - 1]?.call.id ?? []) };
  }

  #read(read: RowRead): RecordedRead {
    const { content, ...rest } = read;
    // The kinds of the row are those of the reads that it was made from.
    return present({ ...rest, content: this.#content(content) }) as RecordedRead;
  }

  #change({ before, after, ...rest }: RowFileChange): RecordedFileChange {
    return { ...rest, ...present({ before: this.#content(before), after: this.#content(after) }) };
  }

  #content(reference: ContentReference | undefined): RecordedContent | undefined {
    if (reference === undefined) return undefined;
    const { hash, bytes, omitted } = reference;
    const blob = omitted === true ? undefined : this.#rows.blob(hash);
    if (blob === undefined) return { hash, bytes, isOmitted: true };
    const { text, base64 } = blob;
    return { hash, bytes, ...present({ text, base64 }) };
  }

  #run(number = 0): BuiltRun {
    const run = this.#runs[number];
    if (run !== undefined) return run;
    throw this.#malformed(`it belongs to run ${number}, which has not begun`);
  }

  #malformed(why: string): RecordError {
    const line = this.#rows.lines;
    return new RecordError('record-malformed', `Line ${line} is not a row of a record: ${why}.`, {
      details: { line },
    });
  }

  #turn(run: BuiltRun, number: number, atMs: number): BuiltTurn {
    const known = run.turnsByNumber.get(number);
    if (known !== undefined) return known;
    const turn: BuiltTurn = { run, number, startedAtMs: atMs, calls: [], events: [] };
    run.turnsByNumber.set(number, turn);
    run.turns.push(turn);
    this.#turns.push(turn);
    return turn;
  }

  #callAt(run: BuiltRun, turnNumber: number, callId: string, atMs: number): BuiltCall {
    const place = JSON.stringify([run.index, turnNumber, callId]);
    const known = this.#callsByPlace.get(place);
    if (known !== undefined) return known;
    const turn = this.#turn(run, turnNumber, atMs);
    const call: BuiltCall = {
      id: this.#callsById.newId(run, callId),
      run,
      turn: turnNumber,
      callId,
      toolName: '',
      isFinal: false,
      attempts: [],
      feedback: none,
      approvals: none,
      residualEffects: none,
      openedSections: none,
      startedAtMs: atMs,
      inner: [],
      progress: [],
      isRedacted: false,
      committed: undefined,
    };
    this.#callsByPlace.set(place, call);
    this.#callsById.add(call);
    this.#calls.push(call);
    turn.calls.push(call);
    return call;
  }

  /** Calls inside others are final when all calls around them were committed with that very attempt. Outer runs come first. */
  #settleInner(): void {
    for (const run of this.#runs) {
      if (run.parent === undefined) continue;
      const outer = run.parent.call;
      const isIn = isTakenIn(run);
      for (const call of run.turns.flatMap(({ calls }) => calls)) {
        call.isFinal = isIn && call.outcome === 'committed';
        if (call.isFinal && outer.seq !== undefined) call.seq = outer.seq;
      }
    }
  }
}
