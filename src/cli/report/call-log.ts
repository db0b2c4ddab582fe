import { counted } from '../../core/internal/index.ts';
import type { RunEvent, ToolInvokedPayload } from '../../core/runtime/index.ts';
import type { JsonValue } from '../../core/schema/index.ts';
import { printable } from '../process/plain-text.ts';
import {
  type CallRecord,
  callSubject,
  describeUpdate,
  hostedFindings,
  hostedSubject,
  toBareRecord,
  toCallRecord,
  withInnerCalls,
} from './call-record.ts';
import { type CallTotals, countCalls } from './call-totals.ts';

/** Maximum number of steps recorded for a call. */
const maxSteps = 8;
/** Maximum number of calls named in a message. */
const maxNamedCalls = 3;

/** A call of a run: the same object in everything reported about it. */
export interface Call {
  /**
   * Number of the call in its run, from 1, in the order the model asked: `3`. Calls of evaluations inside it are `3.1`,
   * `3.2` and so on.
   */
  readonly number: string;
  readonly toolName: string;
  /** The outer calls, outermost first. */
  readonly outerCalls: readonly Call[];
  /** Undefined until it starts. */
  readonly params: JsonValue | undefined;
  readonly startedAtMs: number;
  /** The last progress update of its running attempt. */
  readonly progress: JsonValue | undefined;
}

/** An event, and its position in the run. */
export interface LocatedEvent {
  readonly event: RunEvent;
  /** Number of the turn of the run, not of an inner evaluation. */
  readonly turn: number;
  /** The calls around the event, outermost first; empty for the run itself. */
  readonly outerCalls: readonly Call[];
  /** The call that the event is about; undefined without one. */
  readonly call: Call | undefined;
  /** The record of the call, when the event ends it. */
  readonly record: CallRecord | undefined;
}

/** Calls of one level: of the run, or of the evaluations inside one attempt. */
interface Level {
  readonly prefix: string;
  count: number;
  /** Open calls by evaluation and id: within an evaluation ids are unique at most among open calls. */
  readonly evaluations: Map<number, Map<string, OpenCall[]>>;
  /** Calls that have started or ended, and how many have started. */
  readonly calls: Set<OpenCall>;
  begun: number;
  /** Calls run by providers, each with the number of calls that had started before it. */
  readonly hosted: { readonly record: CallRecord; readonly after: number }[];
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

interface OpenCall extends Writable<Call> {
  /** The number in its own evaluation. */
  turn: number;
  /** The calls and steps of its running attempt. */
  inner: Level;
  steps: string[];
  record: CallRecord | undefined;
}

/**
 * Tracks the calls of a run by its events, including inner calls: which are running, and the records of those that ended.
 */
export class CallLog {
  readonly #records: CallRecord[] = [];
  readonly #running = new Set<Call>();
  readonly #root = level('');
  readonly #clean: (text: string) => string;
  readonly #now: () => number;
  #last: Call | undefined;
  #turn = 0;
  #turns = 0;

  /**
   * @param clean removes what must not be shown from a text.
   * @param now milliseconds; only differences are meaningful.
   */
  constructor(clean: (text: string) => string = (text) => text, now: () => number = () => 0) {
    this.#clean = clean;
    this.#now = now;
  }

  /** The calls of the run that have ended, in order of their ends. */
  get records(): readonly CallRecord[] {
    return this.#records;
  }

  /** The running calls, in order of their starts. */
  get running(): readonly Call[] {
    return [...this.#running];
  }

  isRunning(call: Call): boolean {
    return this.#running.has(call);
  }

  totals(): CallTotals {
    return {
      turns: this.#turns,
      ...countCalls(this.#records),
      inner: countCalls(this.#records.flatMap(({ inner }) => withInnerCalls(inner))),
    };
  }

  /** To be called with every event of the run, in order. */
  observe(event: RunEvent): LocatedEvent {
    const outerCalls: OpenCall[] = [];
    let here = this.#root;
    let evaluation = openCalls(here, 1);
    for (const step of event.path) {
      const outer = openCall(here, evaluation, step, outerCalls);
      outerCalls.push(outer);
      here = outer.inner;
      evaluation = openCalls(here, step.evaluation);
    }
    if (outerCalls.length === 0 && 'turn' in event) this.#turn = event.turn;
    if (outerCalls.length === 0 && event.type === 'model-call-start') this.#turns = event.turn;
    if (event.type === 'model-call-end') {
      for (const { callId, name } of event.toolCalls) {
        announce(here, evaluation, { callId, toolName: name }, outerCalls);
      }
    }
    const hosted = hostedCall(event);
    if (hosted !== undefined) this.#addHosted(hosted, here, outerCalls.length === 0);
    const call = 'callId' in event ? openCall(here, evaluation, event, outerCalls) : undefined;
    const record = call === undefined ? undefined : this.#advance(call, event, here, evaluation);
    return { event, turn: this.#turn, outerCalls, call, record };
  }

  /**
   * Names the calls that most probably caused an error of unknown origin, as a sentence; empty before the first call. Safe
   * to print.
   */
  describeRunning(): string {
    const named = this.running.slice(0, maxNamedCalls).map(nameOf);
    const rest = this.#running.size - named.length;
    if (named.length > 0) {
      return `Running then: ${named.join(', ')}${rest > 0 ? ` and ${counted(rest, 'more call')}` : ''}.`;
    }
    return this.#last === undefined
      ? ''
      : `No call was running then; the last one was ${nameOf(this.#last)}.`;
  }

  /** @returns the record of a call that the event ends. */
  #advance(
    call: OpenCall,
    event: RunEvent,
    here: Level,
    evaluation: Map<string, OpenCall[]>,
  ): CallRecord | undefined {
    switch (event.type) {
      case 'tool-call-start':
        call.turn = event.turn;
        call.params = event.params;
        call.progress = undefined;
        call.startedAtMs = this.#now();
        this.#running.add(call);
        here.calls.add(call);
        here.begun += 1;
        return undefined;
      case 'tool-call-progress':
        call.progress = event.update;
        if (call.steps.length < maxSteps) call.steps.push(describeUpdate(event.update));
        return undefined;
      case 'tool-call-retry':
        // A superseded attempt is discarded, and with it the calls inside it.
        this.#endInner(call);
        call.inner = level(`${call.number}.`);
        call.steps = [];
        call.progress = undefined;
        return undefined;
      case 'tool-call-end':
        return this.#end(call, event.invocation, here, evaluation);
      default:
        return undefined;
    }
  }

  #end(
    call: OpenCall,
    invocation: ToolInvokedPayload,
    here: Level,
    evaluation: Map<string, OpenCall[]>,
  ): CallRecord {
    const { number, steps } = call;
    const record = toCallRecord(invocation, { number, steps, inner: this.#innerRecords(call) }, this.#clean);
    this.#running.delete(call);
    this.#endInner(call);
    this.#last = call;
    call.record = record;
    here.calls.add(call);
    if (here === this.#root) {
      this.#records.push(record);
      here.calls.delete(call);
    }
    const others = (evaluation.get(invocation.callId) ?? []).filter((other) => other !== call);
    if (others.length === 0) evaluation.delete(invocation.callId);
    else evaluation.set(invocation.callId, others);
    return record;
  }

  #endInner(outer: Call): void {
    for (const call of this.#running) if (call.outerCalls.includes(outer)) this.#running.delete(call);
  }

  /** Records of the calls inside the running attempt. Those that have not ended end with it. */
  #innerRecords({ number: outer, inner }: OpenCall): readonly CallRecord[] {
    const records = [...inner.calls].map((call) => {
      if (call.record !== undefined) return call.record;
      const { number, turn, toolName, steps } = call;
      const common = { number, turn, toolName, steps, subject: callSubject(call.params) };
      const message = `it was cancelled when call ${outer} ended`;
      return toBareRecord(
        { ...common, outcome: 'aborted', message, inner: this.#innerRecords(call) },
        this.#clean,
      );
    });
    // In the order of the requests.
    records.sort((left, right) => lastNumber(left) - lastNumber(right));
    // From the last one on, so that earlier indexes stay valid.
    for (const { record, after } of inner.hosted.toReversed()) records.splice(after, 0, record);
    return records;
  }

  #addHosted(call: HostedCall, here: Level, isOwn: boolean): void {
    const number = `${here.prefix}h${here.hosted.length + 1}`;
    const record = toBareRecord({ number, ...call }, this.#clean);
    here.hosted.push({ record, after: here.begun });
    if (isOwn) this.#records.push(record);
  }
}

function level(prefix: string): Level {
  return { prefix, count: 0, evaluations: new Map(), calls: new Set(), begun: 0, hosted: [] };
}

function openCalls(here: Level, number: number): Map<string, OpenCall[]> {
  const known = here.evaluations.get(number);
  if (known !== undefined) return known;
  const evaluation = new Map<string, OpenCall[]>();
  here.evaluations.set(number, evaluation);
  return evaluation;
}

/** The fields of an event that identify its call. */
interface NamedCall {
  readonly callId: string;
  readonly toolName: string;
}

/** The announced call; announces it if no event has done so. */
function openCall(
  here: Level,
  evaluation: Map<string, OpenCall[]>,
  named: NamedCall,
  outerCalls: readonly Call[],
): OpenCall {
  return evaluation.get(named.callId)?.[0] ?? announce(here, evaluation, named, outerCalls);
}

function announce(
  here: Level,
  evaluation: Map<string, OpenCall[]>,
  { callId, toolName }: NamedCall,
  outerCalls: readonly Call[],
): OpenCall {
  here.count += 1;
  const number = `${here.prefix}${here.count}`;
  const call: OpenCall = {
    number,
    toolName,
    outerCalls: [...outerCalls],
    params: undefined,
    startedAtMs: 0,
    progress: undefined,
    turn: 0,
    inner: level(`${number}.`),
    steps: [],
    record: undefined,
  };
  evaluation.set(callId, [...(evaluation.get(callId) ?? []), call]);
  return call;
}

type HostedCall = Pick<CallRecord, 'turn' | 'toolName' | 'subject' | 'outcome' | 'message'>;

/** A tool run by the provider, or one that was not approved; an approved one is reported when it has run. */
function hostedCall(event: RunEvent): HostedCall | undefined {
  if (event.type === 'hosted-tool-called') {
    const { turn, toolName, output, citations } = event;
    const { status } = output;
    return {
      turn,
      toolName,
      subject: hostedSubject(output),
      outcome: status === 'completed' ? 'hosted' : 'hosted-failed',
      message: [...(status === 'incomplete' ? ['it was interrupted'] : []), hostedFindings(output, citations)]
        .filter((part) => part !== '')
        .join(', '),
    };
  }
  if (event.type !== 'hosted-approval-answered' || event.approved) return undefined;
  const { turn, toolName, name, reason = 'no' } = event;
  return { turn, toolName, subject: name, outcome: 'hosted-denied', message: reason };
}

function lastNumber({ number }: CallRecord): number {
  return Number(number.slice(number.lastIndexOf('.') + 1));
}

function nameOf({ number, toolName }: Call): string {
  return `call ${number} (${printable(toolName)})`;
}
