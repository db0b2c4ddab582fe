import type { RunEvent } from '../../runtime/index.ts';
import type { JsonValue } from '../../schema/index.ts';
import {
  type CallRecord,
  type CallSurroundings,
  toCallRecord,
  toGivenUpRecord,
  toHostedRecord,
  withInnerCalls,
} from './call-record.ts';
import { type CallTotals, countCalls } from './call-totals.ts';
import { type BareEvent, CallTracker, type TrackedCall } from './call-tracker.ts';
import { describeUpdate } from './describe-update.ts';
import { hostedFindings, hostedSubject } from './hosted-call.ts';

/** Steps of one call that are kept. */
const MAX_STEPS = 8;

type Start = Extract<BareEvent, { readonly type: 'tool-call-start' }>;

/** What is known of an attempt at a call that has not ended. */
interface Attempt {
  readonly steps: string[];
  /** Calls inside of it that ended, and those that only began. */
  readonly ended: Map<TrackedCall, CallRecord>;
  readonly begun: Map<TrackedCall, Start>;
  /** What providers ran inside of it, each with how many calls had begun before it. */
  readonly hosted: { readonly record: CallRecord; readonly after: number }[];
}

/** Collects the calls of a run from its events, each with the calls inside of it. */
export class CallLog {
  readonly #records: CallRecord[] = [];
  readonly #tracker = new CallTracker();
  readonly #attempts = new WeakMap<TrackedCall, Attempt>();
  readonly #clean: (text: string) => string;
  #turns = 0;
  /** What providers ran for the run's own model. */
  #hosted = 0;

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
    this.#noteHosted(event, outer);
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

  /** What the provider ran, or was not allowed to; what it was allowed to is told when it has run. */
  #noteHosted(event: BareEvent, outer: TrackedCall | undefined): void {
    const told = toldOfHosted(event);
    if (told === undefined) return;
    const attempt = outer === undefined ? undefined : this.#attempt(outer);
    const before = attempt === undefined ? this.#hosted : attempt.hosted.length;
    const number = `${outer === undefined ? '' : `${outer.number}.`}h${before + 1}`;
    const record = toHostedRecord({ number, ...told }, this.#clean);
    if (attempt !== undefined) attempt.hosted.push({ record, after: attempt.begun.size });
    else {
      this.#hosted += 1;
      this.#records.push(record);
    }
  }

  #noteStep(call: TrackedCall, update: JsonValue): void {
    const { steps } = this.#attempt(call);
    if (steps.length < MAX_STEPS) steps.push(describeUpdate(update));
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
    inner.sort(byNumber);
    // From the last one on, so that the places of the others stay as they are.
    for (const { record, after } of attempt.hosted.toReversed()) inner.splice(after, 0, record);
    return { steps: attempt.steps, inner, clean };
  }

  #attempt(call: TrackedCall): Attempt {
    const known = this.#attempts.get(call);
    if (known !== undefined) return known;
    const attempt: Attempt = { steps: [], ended: new Map(), begun: new Map(), hosted: [] };
    this.#attempts.set(call, attempt);
    return attempt;
  }
}

function toldOfHosted(
  event: BareEvent,
): Pick<CallRecord, 'turn' | 'toolName' | 'subject' | 'outcome' | 'message'> | undefined {
  if (event.type === 'hosted-tool-call') {
    const { turn, toolName, output, citations } = event;
    const { status } = output;
    return {
      turn,
      toolName,
      subject: hostedSubject(output),
      outcome: status === 'completed' ? 'hosted' : 'hosted-failed',
      message: [...(status === 'incomplete' ? ['it was broken off'] : []), hostedFindings(output, citations)]
        .filter((part) => part !== '')
        .join(', '),
    };
  }
  if (event.type !== 'hosted-approval' || event.approved) return undefined;
  const { turn, toolName, name, reason = 'no' } = event;
  return { turn, toolName, subject: name, outcome: 'hosted-denied', message: reason };
}

/** Of calls inside one call, in the order they were asked for. */
function byNumber(left: CallRecord, right: CallRecord): number {
  return lastNumber(left) - lastNumber(right);
}

function lastNumber({ number }: CallRecord): number {
  return Number(number.slice(number.lastIndexOf('.') + 1));
}
