import { none } from '../../core/internal/index.ts';
import type { RunHeader } from '../format/header-row.ts';
import type { PendingQuestion } from '../format/journal-rows.ts';
import type { Row } from '../format/rows.ts';
import { type BuiltCall, type BuiltRun, type BuiltTurn, builtRun, isTakenIn } from './built.ts';

/** The runs of a record with their turns and calls, each found by its numbers or made when a row first names it. */
export class RunTree {
  readonly runs: BuiltRun[] = [];
  readonly turns: BuiltTurn[] = [];
  readonly calls: BuiltCall[] = [];
  readonly #callsByPlace = new Map<string, BuiltCall>();
  readonly #callsById = new Map<string, BuiltCall>();
  /** How often an id came, so that the next one need not be looked for. */
  readonly #counts = new Map<string, number>();

  begin(description: RunHeader, startedAtMs: number): BuiltRun {
    const run = builtRun(this.runs.length, description, startedAtMs);
    this.runs.push(run);
    return run;
  }

  turn(run: BuiltRun, number: number, atMs: number): BuiltTurn {
    const known = run.turnsByNumber.get(number);
    if (known !== undefined) return known;
    const turn: BuiltTurn = { run, number, startedAtMs: atMs, calls: [], events: [] };
    run.turnsByNumber.set(number, turn);
    run.turns.push(turn);
    this.turns.push(turn);
    return turn;
  }

  call(run: BuiltRun, turnNumber: number, callId: string, atMs: number): BuiltCall {
    const place = JSON.stringify([run.index, turnNumber, callId]);
    const known = this.#callsByPlace.get(place);
    if (known !== undefined) return known;
    const turn = this.turn(run, turnNumber, atMs);
    const call: BuiltCall = {
      id: this.#newId(run, callId),
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
      numbering: { life: 0, before: 0 },
      waited: undefined,
    };
    this.#callsByPlace.set(place, call);
    this.#callsById.set(call.id, call);
    this.calls.push(call);
    turn.calls.push(call);
    return call;
  }

  /** The calls that wait for the answer to a question, outermost first, as far as they are known. */
  waitingCalls({ turn, callId, path }: PendingQuestion): readonly BuiltCall[] {
    const [root] = this.runs;
    // A call inside another one waits in the turn of that one, the last of the run.
    let turns = [path === undefined ? root?.turnsByNumber.get(turn) : root?.turns.at(-1)];
    const found: BuiltCall[] = [];
    for (const id of [...(path ?? none).map((outer) => outer.callId), callId]) {
      const calls: readonly BuiltCall[] = turns.flatMap((each) => each?.calls ?? []);
      const call = calls.findLast((each) => each.callId === id);
      if (call === undefined) break;
      found.push(call);
      turns = call.inner.flatMap((run) => run.turns);
    }
    return found;
  }

  callById(id: string): BuiltCall | undefined {
    return this.#callsById.get(id);
  }

  /** Ids come again where a model counts its calls in each answer, or an evaluation is made again. */
  #newId({ parent }: BuiltRun, callId: string): string {
    const id = parent === undefined ? callId : `${parent.call.id}/${callId}`;
    for (let count = (this.#counts.get(id) ?? 0) + 1; ; count += 1) {
      const unique = count === 1 ? id : `${id}#${count}`;
      if (this.#callsById.has(unique)) continue;
      this.#counts.set(id, count);
      return unique;
    }
  }

  /** Calls inside others are final when all calls around them were committed with that very attempt. Outer runs come first. */
  settleInner(): void {
    for (const run of this.runs) {
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

/**
 * Gets each row once it is folded in, in order, but for blobs and rows that this version does not know. What it throws is thrown by `RunFold.add()`.
 *
 * @param runs those that have begun, by their numbers; see {@link placeOf}.
 */
export type FoldListener = (row: Row, runs: readonly BuiltRun[]) => void;

/** What a row is about, as far as the rows up to it say. The objects are those of the record: later rows change them. */
export interface FoldPlace {
  /** The run that it belongs to; the root run where it belongs to none. */
  readonly run: BuiltRun;
  /** Undefined for a row of the run itself. */
  readonly turn: BuiltTurn | undefined;
  /** Undefined for a row that is about no call. */
  readonly call: BuiltCall | undefined;
}

/** Where a row belongs in what was folded. Undefined before the header. */
export function placeOf(row: Row, runs: readonly BuiltRun[]): FoldPlace | undefined {
  const run = runs[('run' in row ? row.run : undefined) ?? 0];
  if (run === undefined) return undefined;
  const what = row.type === 'event' ? row.event : row;
  const number = 'turn' in what ? what.turn : undefined;
  const callId = 'callId' in what ? what.callId : undefined;
  const turn = number === undefined ? undefined : run.turnsByNumber.get(number);
  // Most rows are about one of the last calls.
  const call = callId === undefined ? undefined : turn?.calls.findLast((each) => each.callId === callId);
  return { run, turn, call };
}
