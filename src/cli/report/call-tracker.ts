import type { RunEvent } from '../../runtime/index.ts';

/** An event without the calls around it. */
export type BareEvent = Exclude<RunEvent, { readonly type: 'nested' }>;

/** A call of a run: the same object for everything that is told of it. */
export interface TrackedCall {
  /**
   * Number of the call among those of its run, from 1, in the order the model asked: `3`. The calls that are made inside of
   * it, by all of its evaluations, are `3.1`, `3.2` and so on.
   */
  readonly number: string;
  readonly toolName: string;
}

/** An event, and where in the run it happened. */
export interface Sighting {
  readonly event: BareEvent;
  /** Number of the turn of the run, not of an evaluation inside a call. */
  readonly turn: number;
  /** The calls around the event, outermost first; empty for what the run itself does. */
  readonly around: readonly TrackedCall[];
  /** The call that the event is about; undefined when it is about none. */
  readonly call: TrackedCall | undefined;
}

/** Calls of one level: of the run, or of the evaluations inside one attempt at a call. */
interface Level {
  readonly prefix: string;
  count: number;
  readonly evaluations: Map<number, Evaluation>;
}

/** Calls that were asked for and have not ended, by their ids: unique in an evaluation at most while they run. */
type Evaluation = Map<string, OpenCall[]>;

interface OpenCall extends TrackedCall {
  /** What its last attempt does. */
  inside: Level;
}

/** Tells apart the calls of a run, also those inside other calls, whose ids may be the same. */
export class CallTracker {
  readonly #root = level('');
  #turn = 0;

  /** Every event of the run, in its order. */
  see(told: RunEvent): Sighting {
    const around: OpenCall[] = [];
    let here = this.#root;
    let evaluation = evaluationOf(here, 1);
    let event = told;
    while (event.type === 'nested') {
      const outer = openCall(here, evaluation, event.callId, event.toolName);
      around.push(outer);
      here = outer.inside;
      evaluation = evaluationOf(here, event.evaluation);
      event = event.event;
    }
    if (around.length === 0) this.#turn = turnOf(event) ?? this.#turn;
    if (event.type === 'model-call-end') {
      for (const { callId, name } of event.toolCalls) announce(here, evaluation, callId, name);
    }
    return { event, turn: this.#turn, around, call: seeCall(here, evaluation, event) };
  }
}

function seeCall(here: Level, evaluation: Evaluation, event: BareEvent): TrackedCall | undefined {
  const subject = event.type === 'tool-call-end' ? event.invocation : event;
  if (!('callId' in subject)) return undefined;
  const call = openCall(here, evaluation, subject.callId, subject.toolName);
  // What the superseded attempt did inside counts no more.
  if (event.type === 'tool-call-rerun') call.inside = level(`${call.number}.`);
  if (event.type === 'tool-call-end') {
    const others = (evaluation.get(subject.callId) ?? []).filter((other) => other !== call);
    if (others.length === 0) evaluation.delete(subject.callId);
    else evaluation.set(subject.callId, others);
  }
  return call;
}

/** The call as it was announced; one that was not is announced now. */
function openCall(here: Level, evaluation: Evaluation, callId: string, toolName: string): OpenCall {
  return evaluation.get(callId)?.[0] ?? announce(here, evaluation, callId, toolName);
}

function announce(here: Level, evaluation: Evaluation, callId: string, toolName: string): OpenCall {
  here.count += 1;
  const number = `${here.prefix}${here.count}`;
  const call = { number, toolName, inside: level(`${number}.`) };
  evaluation.set(callId, [...(evaluation.get(callId) ?? []), call]);
  return call;
}

function level(prefix: string): Level {
  return { prefix, count: 0, evaluations: new Map() };
}

function evaluationOf(here: Level, number: number): Evaluation {
  const known = here.evaluations.get(number);
  if (known !== undefined) return known;
  const evaluation: Evaluation = new Map();
  here.evaluations.set(number, evaluation);
  return evaluation;
}

function turnOf(event: BareEvent): number | undefined {
  return 'turn' in event ? event.turn : undefined;
}
