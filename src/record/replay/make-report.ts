import { describeError } from '../../core/error/index.ts';
import { present } from '../../core/internal/index.ts';
import type { RecordedCall, RecordedRun, RecordedTurn, RunRecord } from '../fold/run-record.ts';
import { compareCalls, endOf } from './compare-calls.ts';
import { pathOf } from './record-index.ts';
import type {
  CallDifference,
  ReplayDifference,
  ReplayedCall,
  ReplayedTurn,
  ReplayReport,
} from './replay-report.ts';
import { isIncomplete, type ReplayedRun } from './replayed-run.ts';

/** What a report is made of. */
export interface ReportParts {
  readonly record: RunRecord;
  /** What the replay left. */
  readonly now: RunRecord;
  readonly replay: ReplayedRun;
  readonly notes: readonly string[];
  /** What the replay rejected with; undefined when it finished. */
  readonly failure: unknown;
}

/** Compares a replay with its record. */
export function makeReport({ record, now, replay, notes, failure }: ReportParts): ReplayReport {
  const callsNow = new Map(now.calls.map((call) => [placeOf(call), call]));
  const known = new Set(record.calls.map(placeOf));
  const reached = reachedTurns(replay);
  const isOver = replay.isStopped || replay.isLive;
  const reordered = firstReordered(record, now);
  const calls: ReplayedCall[] = record.calls.map((call) => {
    const source = replay.sourceOf(call);
    // What a record that ends early does not know the end of cannot be compared, nor what is inside of it.
    if (isOpen(call)) return replayedCall(call, source, 'not-replayed');
    if (isOuterRecorded(call, replay)) return replayedCall(call, 'outer', 'unchecked');
    const current = callsNow.get(placeOf(call));
    if (current?.outcome === undefined || (isOver && isAborted(current) && !isAborted(call)))
      return replayedCall(call, source, 'not-replayed');
    const unknown = replay.unknownOf(call, current);
    if (unknown !== undefined) {
      const text = `It was ${endOf(call)}. ${unknown}`;
      return replayedCall(call, source, 'unrecorded', [{ part: 'outcome', text }]);
    }
    const differences = [
      ...compareCalls(call, current, { source, slices: replay.slices }),
      ...(call === reordered?.call ? [reordered.difference] : []),
    ];
    if (isIncomplete(call) && differences.every(({ part }) => part === 'text' || part === 'changes'))
      return replayedCall(call, source, 'redacted');
    return replayedCall(call, source, differences.length === 0 ? 'same' : 'changed', differences);
  });
  const added = now.calls.filter((call) => !known.has(placeOf(call)) && !isPastEnd(call, record));
  calls.push(...added.map((call) => replayedCall(call, 'live', 'new')));
  const turns = turnsOf(record, replay, reached);
  const outcome = outcomeOf({ record, now, failure, isOver });
  const difference = firstOf(turns, calls, outcome);
  const firstMessage = firstMessageOf(turns);
  return {
    runId: record.runId,
    isSame:
      difference === undefined &&
      !isOver &&
      calls.every(({ status }) => status === 'same' || status === 'redacted') &&
      turns.every(({ status }) => status === 'same'),
    ...present({ firstDifference: difference, firstMessage }),
    ending: replay.isLive ? 'live' : replay.isStopped ? 'stopped' : 'complete',
    turns,
    calls,
    ...present({ outcome }),
    notes: [...notes, ...replay.notes, ...notesOn(calls, record)],
    record: now,
  };
}

/** What the report cannot say of calls. */
function notesOn(calls: readonly ReplayedCall[], record: RunRecord): readonly string[] {
  const unrecorded = calls.find(({ status }) => status === 'unrecorded');
  const unchecked = new Set(
    calls.flatMap(({ id, status }) => {
      const outer = status === 'unchecked' ? record.call(id)?.run.parent?.call : undefined;
      return outer === undefined ? [] : [outer.toolName];
    }),
  );
  return [
    ...(unrecorded === undefined
      ? []
      : [
          `What the call ${unrecorded.id} of "${unrecorded.toolName}" would do now is not known, and what comes after it may be different.`,
        ]),
    ...[...unchecked].map(
      (name) =>
        `No policy was asked about the calls inside "${name}", since the record answered for it: tools: { ${JSON.stringify(name)}: 'live' } makes them again.`,
    ),
  ];
}

function replayedCall(
  { id, toolName, turn }: RecordedCall,
  source: ReplayedCall['source'],
  status: ReplayedCall['status'],
  differences: ReplayedCall['differences'] = [],
): ReplayedCall {
  return { id, toolName, turn, source, status, differences };
}

function placeOf({ run, turn, callId }: RecordedCall): string {
  return JSON.stringify([run.evaluationId, turn, callId]);
}

/** The first call that was committed before another one, and is committed after it now. Commits that only one side has do not count. */
function firstReordered(
  record: RunRecord,
  now: RunRecord,
): { readonly call: RecordedCall; readonly difference: CallDifference } | undefined {
  const recordedPlaces = new Set(record.commits.map(({ call }) => placeOf(call)));
  const presentPlaces = new Set(now.commits.map(({ call }) => placeOf(call)));
  const recorded = record.commits.filter(({ call }) => presentPlaces.has(placeOf(call)));
  const current = now.commits.filter(({ call }) => recordedPlaces.has(placeOf(call)));
  for (const [at, { call }] of recorded.entries()) {
    const other = current[at]?.call ?? call;
    if (placeOf(other) === placeOf(call)) continue;
    const text = `It was committed before ${other.id}, and is committed after it now.`;
    return { call, difference: { part: 'order', text } };
  }
  return undefined;
}

/** Whether a recorded call, or one around it, has no end. */
function isOpen({ outcome, run }: RecordedCall): boolean {
  return outcome === undefined || (run.parent !== undefined && isOpen(run.parent.call));
}

/** Whether a call of the replay comes after the last row of a record that ends early. */
function isPastEnd({ run, turn }: RecordedCall, record: RunRecord): boolean {
  if (record.isComplete) return false;
  const recorded = record.runs.find(({ evaluationId }) => evaluationId === run.evaluationId);
  if (recorded !== undefined && recorded.outcome !== undefined) return false;
  if (recorded !== undefined && turn < (recorded.turns.at(-1)?.number ?? 0)) return false;
  const outer = run.parent?.call;
  return outer === undefined || isUnended(outer, record);
}

/** Whether a call of the replay has no end in the record. */
function isUnended(call: RecordedCall, record: RunRecord): boolean {
  const recorded = record.calls.find((other) => placeOf(other) === placeOf(call));
  return recorded === undefined ? isPastEnd(call, record) : recorded.outcome === undefined;
}

function isAborted({ outcome }: RecordedCall): boolean {
  return outcome === 'aborted';
}

/** Whether the record answered for a call around this one, so that it was not made. */
function isOuterRecorded({ run }: RecordedCall, replay: ReplayedRun): boolean {
  const outer = run.parent?.call;
  return outer !== undefined && (replay.sourceOf(outer) === 'recorded' || isOuterRecorded(outer, replay));
}

function reachedTurns({ requests }: ReplayedRun): ReadonlyMap<string, ReplayedRun['requests'][number]> {
  return new Map(requests.map((made) => [JSON.stringify([made.path, made.turn]), made]));
}

function turnsOf(
  record: RunRecord,
  replay: ReplayedRun,
  reached: ReadonlyMap<string, ReplayedRun['requests'][number]>,
): readonly ReplayedTurn[] {
  const turns: ReplayedTurn[] = [];
  const known = new Set<string>();
  for (const turn of record.turns) {
    if (turn.request === undefined || isUnmade(turn, replay)) continue;
    const path = pathOf(turn.run);
    const key = JSON.stringify([path, turn.number]);
    known.add(key);
    const made = reached.get(key);
    const differences = made?.differences ?? [];
    const status = made === undefined ? 'not-replayed' : differences.length === 0 ? 'same' : 'changed';
    turns.push({ path, turn: turn.number, status, differences });
  }
  for (const { path, turn } of replay.requests) {
    if (!known.has(JSON.stringify([path, turn]))) turns.push({ path, turn, status: 'new', differences: [] });
  }
  return turns;
}

/** Whether a request is inside a call that the record answered for, or in an attempt that was repeated. */
function isUnmade({ run }: RecordedTurn, replay: ReplayedRun): boolean {
  const { parent } = run;
  if (parent === undefined) return false;
  if (replay.sourceOf(parent.call) === 'recorded' || isOuterRecorded(parent.call, replay)) return true;
  const last = parent.call.attempts.at(-1);
  // Where the record ends in the middle of a call it has no attempt of it.
  return last !== undefined && parent.attempt !== last.number;
}

interface OutcomeParts extends Pick<ReportParts, 'record' | 'now' | 'failure'> {
  readonly isOver: boolean;
}

function outcomeOf({ record, now, failure, isOver }: OutcomeParts): ReplayReport['outcome'] {
  if (isOver || record.root.outcome === undefined) return undefined;
  const recorded = describeEnd(record.root);
  const current = describeEnd(now.root, failure);
  if (recorded === current) return undefined;
  // The end of the record ends the replay in its own way.
  return record.root.outcome === 'failed' && isEnd(failure) ? undefined : { recorded, now: current };
}

function describeEnd({ outcome, text, output, error }: RecordedRun, failure?: unknown): string {
  if (outcome === 'finished') return `finished with ${JSON.stringify(output ?? text ?? '')}`;
  return `failed with ${JSON.stringify(error?.message ?? describeError(failure))}`;
}

/** Whether a replay ended because the record does. */
function isEnd(failure: unknown): boolean {
  for (let error = failure; error instanceof Error; error = error.cause) {
    if (error.name === 'ReplayEnd') return true;
  }
  return false;
}

/** Calls of a turn come after its request. */
function firstOf(
  turns: readonly ReplayedTurn[],
  calls: readonly ReplayedCall[],
  outcome: ReplayReport['outcome'],
): ReplayDifference | undefined {
  const found: ReplayDifference[] = [];
  for (const { path, turn, status, differences } of turns) {
    if (status === 'new') found.push({ path, turn, text: 'The record has no such request.' });
    const [first] = differences;
    if (first !== undefined) found.push({ path, turn, text: first.text });
  }
  for (const { id, turn, toolName, status, differences } of calls) {
    const path = id.split('/').slice(0, -1);
    const [first] = differences;
    if (status === 'new')
      found.push({ path, turn: turn + 0.5, callId: id, text: `The call of "${toolName}" is new.` });
    if (first !== undefined)
      found.push({ path, turn: turn + 0.5, callId: id, text: `The call of "${toolName}": ${first.text}` });
  }
  // Requests of the root run say when something was; what is inside a call comes before that call ends.
  const order = new Map(calls.map(({ id }, position) => [id, position]));
  const positionOf = ({ path, callId }: ReplayDifference): number => order.get(path[0] ?? callId ?? '') ?? -1;
  found.sort(
    (left, right) =>
      rootTurn(left, calls) - rootTurn(right, calls) ||
      positionOf(left) - positionOf(right) ||
      right.path.length - left.path.length ||
      left.turn - right.turn,
  );
  const first = found[0];
  if (first !== undefined) return { ...first, turn: Math.floor(first.turn) };
  if (outcome === undefined) return undefined;
  const last = turns.at(-1)?.turn ?? 0;
  return {
    path: [],
    turn: last,
    text: `The run ended otherwise: it ${outcome.recorded}, and ${outcome.now} now.`,
  };
}

/** The turn of the root run in which something inside a call was. */
function rootTurn({ path, turn }: ReplayDifference, calls: readonly ReplayedCall[]): number {
  const [outermost] = path;
  if (outermost === undefined) return turn;
  return (calls.find(({ id }) => id === outermost)?.turn ?? 0) + 0.5;
}

function firstMessageOf(turns: readonly ReplayedTurn[]): ReplayDifference | undefined {
  for (const { path, turn, differences } of turns) {
    const message = differences.find(({ part }) => part === 'conversation');
    if (message !== undefined) return { path, turn, text: message.text };
  }
  return undefined;
}
