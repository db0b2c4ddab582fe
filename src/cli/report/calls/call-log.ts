import { createHash } from 'node:crypto';
import { counted, isRecord, present } from '../../../core/internal/index.ts';
import type { RunEvent, ToolInvokedPayload } from '../../../core/runtime/index.ts';
import type { JsonSchema, JsonValue } from '../../../core/schema/index.ts';
import { callArguments } from '../../../record/index.ts';
import { printable } from '../../process/plain-text.ts';
import {
  type Call,
  describeUpdate,
  type EndedCall,
  hostedFindings,
  hostedSubject,
  withInnerCalls,
} from './call.ts';
import { type CallTotals, countCalls } from './call-totals.ts';

/** Maximum number of steps recorded for a call. */
const maxSteps = 8;
/** Maximum number of calls named in a message. */
const maxNamedCalls = 3;

/** An event, and its position in the run. */
export interface LocatedEvent {
  readonly event: RunEvent;
  /** Number of the turn of the run, not of an inner evaluation. */
  readonly turn: number;
  /** The calls around the event, outermost first; empty for the run itself. */
  readonly outerCalls: readonly Call[];
  /** The call that the event is about; undefined without one. After the event that ends it, it has its outcome. */
  readonly call: Call | undefined;
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
  readonly hosted: { readonly call: EndedCall; readonly after: number }[];
}

type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** A call about which more may be reported. */
interface OpenCall extends Writable<Omit<Call, 'steps'>> {
  /** Those of its running attempt. */
  level: Level;
  steps: string[];
  /** What its tool says that it is about. */
  toolSubject: string | undefined;
}

/**
 * Tracks the calls of a run by its events, including inner calls: which are running, and the records of those that ended.
 */
export class CallLog {
  readonly #records: EndedCall[] = [];
  readonly #running = new Set<Call>();
  readonly #root = level('');
  readonly #clean: (text: string) => string;
  readonly #now: () => number;
  readonly #schemaOf: (toolName: string) => JsonSchema | undefined;
  #last: Call | undefined;
  #turn = 0;
  #turns = 0;
  #interruptions: number | undefined;

  /**
   * @param clean removes what must not be shown from a text.
   * @param now milliseconds; only differences are meaningful.
   * @param schemaOf the schema of a tool, in whose order arguments are shown. Default: that of the arguments.
   */
  constructor(
    clean: (text: string) => string = (text) => text,
    now: () => number = () => 0,
    schemaOf: (toolName: string) => JsonSchema | undefined = () => undefined,
  ) {
    this.#clean = clean;
    this.#now = now;
    this.#schemaOf = schemaOf;
  }

  /** The calls of the run that have ended, in order of their ends. */
  get records(): readonly EndedCall[] {
    return this.#records;
  }

  /** The running calls, in order of their starts. */
  get running(): readonly Call[] {
    return [...this.#running];
  }

  /** The calls of the run itself that were asked for and have not ended, in the order of the requests. */
  get open(): readonly Call[] {
    const { evaluations } = this.#root;
    const calls = [...evaluations.values()].flatMap((evaluation) => [...evaluation.values()].flat());
    return calls.filter(({ outcome }) => outcome === undefined).sort((a, b) => lastNumber(a) - lastNumber(b));
  }

  isRunning(call: Call): boolean {
    return this.#running.has(call);
  }

  totals(): CallTotals {
    return {
      turns: this.#turns,
      ...present({ interruptions: this.#interruptions }),
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
      here = outer.level;
      evaluation = openCalls(here, step.evaluation);
    }
    if (outerCalls.length === 0 && 'turn' in event) this.#turn = event.turn;
    if (outerCalls.length === 0 && event.type === 'model-call-start') this.#turns = event.turn;
    if (event.type === 'run-resumed') this.#interruptions = event.interruptions;
    if (event.type === 'model-call-end') {
      for (const { callId, name, arguments: json } of event.toolCalls) {
        const call = announce(here, evaluation, { callId, toolName: name }, outerCalls);
        call.turn = event.turn;
        call.subject = this.#argumentsOf(name, parsed(json));
      }
    }
    const hosted = hostedCall(event);
    if (hosted !== undefined) this.#addHosted(hosted, here, outerCalls);
    const call = 'callId' in event ? openCall(here, evaluation, event, outerCalls) : undefined;
    if (call !== undefined) this.#advance(call, event, here, evaluation);
    return { event, turn: this.#turn, outerCalls, call };
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

  #advance(call: OpenCall, event: RunEvent, here: Level, evaluation: Map<string, OpenCall[]>): void {
    switch (event.type) {
      case 'tool-call-start':
        call.turn = event.turn;
        call.toolSubject = event.subject === undefined ? undefined : this.#clean(event.subject);
        call.subject = call.toolSubject ?? this.#argumentsOf(event.toolName, event.params);
        call.progress = undefined;
        call.startedAtMs = this.#now();
        this.#running.add(call);
        here.calls.add(call);
        here.begun += 1;
        return;
      case 'tool-call-progress':
        call.progress = this.#clean(describeUpdate(event.update));
        if (call.steps.length < maxSteps) call.steps.push(call.progress);
        return;
      case 'tool-call-retry':
        // A superseded attempt is discarded, and with it the calls inside it.
        this.#endInner(call);
        call.level = level(`${call.number}.`);
        call.steps = [];
        call.progress = undefined;
        return;
      case 'tool-call-end':
        this.#end(call, event.invocation, here, evaluation);
        return;
      default:
    }
  }

  #end(
    call: OpenCall,
    invocation: ToolInvokedPayload,
    here: Level,
    evaluation: Map<string, OpenCall[]>,
  ): void {
    const { turn, toolName, params, outcome, reason, policy, attempts, durationMs } = invocation;
    const { approvals = [], unenforced = [], residualEffects = [], message, conflicts, changes } = invocation;
    const clean = this.#clean;
    const inner = this.#innerCalls(call);
    const ended: EndedCall = Object.assign(call, {
      turn,
      toolName,
      // What does not fit a tool, it may have misread.
      subject:
        outcome === 'rejected' || call.toolSubject === undefined
          ? this.#argumentsOf(toolName, params)
          : call.toolSubject,
      argumentsKey: outcome === 'committed' ? '' : keyOf(params),
      outcome,
      ...present({ reason, policy }),
      message: clean(message),
      attempts,
      conflicts: conflicts.map(clean),
      durationMs,
      changedFiles: changes.length,
      approvals: approvals.map((approval) => ({
        ...approval,
        reason: clean(approval.reason),
        ...present({ answer: approval.answer === undefined ? undefined : clean(approval.answer) }),
      })),
      unenforced: unenforced.map((finding) => ({ ...finding, reason: clean(finding.reason) })),
      residualEffects: residualEffects.map(clean),
      inner: outcome === 'committed' ? inner : inner.map((each) => undone(each, call.number)),
    });
    call.level = level('');
    this.#running.delete(call);
    this.#endInner(call);
    this.#last = call;
    if (here === this.#root) {
      this.#records.push(ended);
      here.calls.delete(call);
    } else here.calls.add(call);
    const others = (evaluation.get(invocation.callId) ?? []).filter((other) => other !== call);
    if (others.length === 0) evaluation.delete(invocation.callId);
    else evaluation.set(invocation.callId, others);
  }

  #argumentsOf(toolName: string, params: JsonValue | undefined): string {
    return callArguments(params, { clean: this.#clean, inputSchema: this.#schemaOf(toolName) });
  }

  #endInner(outer: Call): void {
    for (const call of this.#running) if (call.outerCalls.includes(outer)) this.#running.delete(call);
  }

  /** The calls inside the running attempt. Those that have not ended end with it. */
  #innerCalls({ number: outer, level: { calls, hosted } }: OpenCall): readonly EndedCall[] {
    const ended = [...calls].map((call): EndedCall => {
      const { outcome } = call;
      if (outcome !== undefined) return { ...call, outcome };
      const inner = this.#innerCalls(call).map((each) => undone(each, call.number));
      return { ...call, outcome: 'aborted', message: `it was cancelled when call ${outer} ended`, inner };
    });
    // In the order of the requests.
    ended.sort((left, right) => lastNumber(left) - lastNumber(right));
    // From the last one on, so that earlier indexes stay valid.
    for (const { call, after } of hosted.toReversed()) ended.splice(after, 0, call);
    return ended;
  }

  #addHosted(
    { turn, toolName, subject, outcome, message }: HostedCall,
    here: Level,
    outerCalls: readonly Call[],
  ): void {
    const number = `${here.prefix}h${here.hosted.length + 1}`;
    const call: EndedCall = {
      ...newCall(number, { callId: '', toolName }, outerCalls),
      turn,
      subject: this.#clean(subject),
      argumentsKey: subject,
      outcome,
      message: this.#clean(message),
    };
    here.hosted.push({ call, after: here.begun });
    if (here === this.#root) this.#records.push(call);
  }
}

function keyOf(params: JsonValue | undefined): string {
  return createHash('sha256')
    .update(JSON.stringify(params) ?? '')
    .digest('base64url');
}

/** The arguments that a model has written; undefined for what is not an object. */
function parsed(json: string): JsonValue | undefined {
  try {
    const value: unknown = JSON.parse(json);
    // What was parsed is JSON.
    return isRecord(value) ? (value as JsonValue) : undefined;
  } catch {
    return undefined;
  }
}

/** What a call inside one that was not committed had committed is discarded. */
function undone(call: EndedCall, outer: string): EndedCall {
  if (call.outcome !== 'committed') return call;
  return { ...call, undoneWith: outer, inner: call.inner.map((inner) => undone(inner, outer)) };
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
  const call = newCall(number, { callId, toolName }, outerCalls);
  evaluation.set(callId, [...(evaluation.get(callId) ?? []), call]);
  return call;
}

function newCall(number: string, { callId, toolName }: NamedCall, outerCalls: readonly Call[]): OpenCall {
  return {
    number,
    turn: 0,
    toolName,
    callId,
    outerCalls: [...outerCalls],
    subject: '',
    toolSubject: undefined,
    argumentsKey: '',
    startedAtMs: 0,
    steps: [],
    progress: undefined,
    inner: [],
    level: level(`${number}.`),
    outcome: undefined,
    message: '',
    attempts: 1,
    conflicts: [],
    durationMs: undefined,
    changedFiles: 0,
    approvals: [],
    unenforced: [],
    residualEffects: [],
    undoneWith: undefined,
  };
}

type HostedCall = Pick<EndedCall, 'turn' | 'toolName' | 'subject' | 'outcome' | 'message'>;

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

function lastNumber({ number }: Call): number {
  return Number(number.slice(number.lastIndexOf('.') + 1));
}

function nameOf({ number, toolName }: Call): string {
  return `call ${number} (${printable(toolName)})`;
}
