import type { RunEvent } from '../runtime/index.ts';
import type { JsonValue } from '../schema/index.ts';
import {
  type CallRecord,
  type CallSurroundings,
  toCallRecord,
  toGivenUpRecord,
  withInnerCalls,
} from './call-record.ts';
import { type CallTotals, countCalls } from './call-totals.ts';
import { type BareEvent, CallTracker, type TrackedCall } from './call-tracker.ts';

/** Steps of one call that are kept. */
const MAX_STEPS = 8;

type Start = Extract<BareEvent, { readonly type: 'tool-call-start' }>;

/** What is known of an attempt at a call that has not ended. */
interface Attempt {
  readonly steps: string[];
  /** Calls inside of it that ended, and those that only began. */
  readonly ended: Map<TrackedCall, CallRecord>;
  readonly begun: Map<TrackedCall, Start>;
}

/** Collects the calls of a run from its events, each with the calls inside of it. */
export class CallLog {
  readonly #records: CallRecord[] = [];
  readonly #tracker = new CallTracker();
  readonly #attempts = new WeakMap<TrackedCall, Attempt>();
  readonly #clean: (text: string) => string;
  #turns = 0;

  /** @param clean takes out of a text what must not be shown. */
  constructor(clean: (text: string) => string = (text) => text) {
    this.#clean = clean;
  }

  /** The calls of the run in the order they ended. */
  get records(): readonly CallRecord[] {
    return this.#records;
  }

  totals(): CallTotals {
    return {
      turns: this.#turns,
      ...countCalls(this.#records),
      inner: countCalls(this.#records.flatMap(({ inner }) => withInnerCalls(inner))),
    };
  }

  observe(told: RunEvent): void {
    const { event, around, call } = this.#tracker.see(told);
    const outer = around.at(-1);
    if (event.type === 'model-call-start' && outer === undefined) this.#turns = event.turn;
    if (call === undefined) return;
    if (event.type === 'tool-call-start' && outer !== undefined) this.#attempt(outer).begun.set(call, event);
    // A superseded attempt leaves nothing, and nothing inside of it does.
    if (event.type === 'tool-call-rerun') this.#attempts.delete(call);
    if (event.type === 'tool-progress') this.#noteStep(call, event.update);
    if (event.type === 'tool-call-end') {
      const record = toCallRecord(event.invocation, { call, ...this.#takeAttempt(call) });
      if (outer === undefined) this.#records.push(record);
      else this.#attempt(outer).ended.set(call, record);
    }
  }

  #noteStep(call: TrackedCall, update: JsonValue): void {
    const { steps } = this.#attempt(call);
    if (steps.length < MAX_STEPS) steps.push(typeof update === 'string' ? update : describeUpdate(update));
  }

  /** What there is to say of the call's last attempt, which has ended now; what is inside of it ends with it. */
  #takeAttempt(call: TrackedCall): Omit<CallSurroundings, 'call'> {
    const attempt = this.#attempts.get(call);
    this.#attempts.delete(call);
    const clean = this.#clean;
    if (attempt === undefined) return { steps: [], inner: [], clean };
    const inner = [...attempt.ended.values()];
    for (const [begun, start] of attempt.begun) {
      if (attempt.ended.has(begun)) continue;
      inner.push(toGivenUpRecord(start, call, { call: begun, ...this.#takeAttempt(begun) }));
    }
    return { steps: attempt.steps, inner: inner.sort(byNumber), clean };
  }

  #attempt(call: TrackedCall): Attempt {
    const known = this.#attempts.get(call);
    if (known !== undefined) return known;
    const attempt: Attempt = { steps: [], ended: new Map(), begun: new Map() };
    this.#attempts.set(call, attempt);
    return attempt;
  }
}

/** Of calls inside one call, in the order they were asked for. */
function byNumber(left: CallRecord, right: CallRecord): number {
  return lastNumber(left) - lastNumber(right);
}

function lastNumber({ number }: CallRecord): number {
  return Number(number.slice(number.lastIndexOf('.') + 1));
}

/** A handler written in JavaScript may report what JSON cannot hold. */
function describeUpdate(update: JsonValue): string {
  try {
    return JSON.stringify(update);
  } catch {
    return '(not JSON)';
  }
}
