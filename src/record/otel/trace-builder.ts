import { isRecord, present } from '../../core/internal/index.ts';
import type { RunEvent, RunPathStep, ToolInvokedPayload, TraceContext } from '../../core/runtime/index.ts';
import type { Clock } from '../../core/session/index.ts';
import type { TokenUsage } from '../../core/tool/index.ts';
import { activeContext, spanOf, withSpan } from './active-context.ts';
import { attributesOf, shortText } from './attributes.ts';
import { callEndAttributes, isCallError } from './call-end.ts';
import { SpanMessages } from './content.ts';
import type { RunMetrics } from './metrics.ts';
import type { AttributeNames } from './names.ts';
import {
  errorStatus,
  type OtelAttributes,
  type OtelContext,
  type OtelLink,
  type OtelSpan,
  type OtelTracer,
  spanKinds,
} from './otel-api.ts';
import { remoteSpanOf } from './remote-span.ts';
import { factsOf } from './run-facts.ts';
import {
  callKey,
  changeModel,
  type OpenCallSpan,
  type OpenChat,
  type OpenSpan,
  type RunSpans,
} from './run-spans.ts';

/** What spans are made with. */
export interface TraceSettings {
  readonly tracer: OtelTracer;
  readonly metrics: RunMetrics | undefined;
  readonly names: AttributeNames;
  /** `gen_ai.operation.name` of a step; undefined: it has none. */
  readonly stepOperation: string | undefined;
  readonly hasContent: boolean;
  /** Whether a session that the caller gave is a conversation. */
  readonly hasConversation: boolean;
  readonly clock: Clock;
}

/** How a model call ended. */
export interface ChatEnd {
  readonly durationMs: number;
  readonly attributes: OtelAttributes;
  readonly usage?: TokenUsage | undefined;
  readonly responseModel?: string | undefined;
  /** Name of the model that answered, where the run has several. */
  readonly answeredBy?: string | undefined;
  readonly errorType?: string | undefined;
}

/** Error type of what was not finished when the run around it ended. */
const aborted = 'aborted';

/** In the context of a call: the call, so that evaluations inside find it whatever else has the same id. */
const callContextKey = Symbol('wink call');

/**
 * Opens and ends the spans of runs. What is ended is forgotten: a late report about it changes nothing.
 *
 * @see docs/spec/telemetry.md §1
 */
export class TraceBuilder {
  readonly settings: TraceSettings;
  readonly #runs = new Map<string, RunSpans>();
  readonly #places = new Map<string, RunSpans>();

  constructor(settings: TraceSettings) {
    this.settings = settings;
  }

  run(evaluationId: string): RunSpans | undefined {
    return this.#runs.get(evaluationId);
  }

  /** Says where a run is, among the evaluations inside one root run. */
  place(evaluationId: string, rootId: string, path: readonly RunPathStep[]): void {
    const run = this.#runs.get(evaluationId);
    if (run === undefined) return;
    run.place = placeOf(rootId, path);
    this.#places.set(run.place, run);
  }

  runAt(rootId: string, path: readonly RunPathStep[]): RunSpans | undefined {
    return this.#places.get(placeOf(rootId, path));
  }

  /** @param run `outer` is the call that it runs inside of, and `isScoped` says that the end of its work ends the span. */
  openRun(run: Pick<RunSpans, 'evaluationId' | 'path' | 'promptName' | 'outer' | 'isScoped'>): RunSpans {
    const { names, clock, hasContent } = this.settings;
    const parent = parentContext(activeContext(), run.outer);
    const opened = this.#open(`invoke_agent ${shortText(run.promptName)}`, parent, {
      [names.operation]: 'invoke_agent',
      'wink.run.id': run.evaluationId,
    });
    // Written out: the shape of an object with a spread lives only as long as a run, and the code compiled for it goes with it.
    const spans: RunSpans = {
      evaluationId: run.evaluationId,
      path: run.path,
      promptName: run.promptName,
      outer: run.outer,
      isScoped: run.isScoped,
      span: opened.span,
      context: opened.context,
      startedAtMs: clock.now(),
      steps: new Map(),
      chats: new Map(),
      calls: new Map(),
      counts: { modelCalls: 0, toolCalls: 0, committed: 0, reruns: 0 },
      // A span that is sampled out keeps nothing.
      messages: hasContent && opened.span.isRecording() ? new SpanMessages() : undefined,
      place: undefined,
      toolDefinitions: undefined,
      facts: undefined,
      finishReason: undefined,
      purpose: undefined,
      ending: undefined,
      isCompacted: false,
    };
    this.#runs.set(run.evaluationId, spans);
    run.outer?.inner.add(spans);
    return spans;
  }

  describeRun(run: RunSpans, event: Extract<RunEvent, { readonly type: 'run-start' }>): void {
    const facts = factsOf(event, this.settings.names, this.settings.hasConversation);
    run.facts = facts;
    run.span.updateName(`invoke_agent ${shortText(facts.agentName)}`);
    run.span.setAttributes(facts.agentAttributes);
  }

  /** Ends a run with all that is open in it. `errorType` when its work failed and no event says why. */
  endRun(run: RunSpans, errorType?: string): void {
    if (this.#runs.get(run.evaluationId) !== run) return;
    // First, so that nothing is kept where a tracer throws.
    this.#runs.delete(run.evaluationId);
    if (run.place !== undefined) this.#places.delete(run.place);
    run.outer?.inner.delete(run);
    for (const call of run.calls.values()) this.#abandonCall(run, call);
    for (const turn of run.steps.keys()) this.endStep(run, turn);
    for (const turn of run.chats.keys()) this.#abandonChat(run, turn);
    const { names, metrics, clock } = this.settings;
    const { counts, ending, facts, finishReason } = run;
    const hasEnded = ending !== undefined && ending.outcome !== 'failed';
    const failure = hasEnded ? undefined : (ending?.errorType ?? errorType ?? '_OTHER');
    run.span.setAttributes(
      attributesOf({
        [names.finishReasons]: finishReason === undefined ? undefined : [finishReason],
        'wink.run.turns': ending?.turns ?? counts.modelCalls,
        'wink.run.calls': counts.toolCalls,
        'wink.run.committed': counts.committed,
        'wink.run.reruns': counts.reruns,
        [names.errorType]: failure,
      }),
    );
    if (failure !== undefined) run.span.setStatus({ code: errorStatus });
    metrics?.run(
      { durationMs: clock.now() - run.startedAtMs, ...counts },
      attributesOf({
        [names.operation]: 'invoke_agent',
        ...facts?.first.modelAttributes,
        [names.agentName]: facts?.agentName,
        [names.errorType]: failure,
      }),
    );
    run.span.end();
  }

  openStep(run: RunSpans, turn: number): OpenSpan {
    const known = run.steps.get(turn);
    if (known !== undefined) return known;
    const { names, stepOperation } = this.settings;
    // Without an operation readers take it for a part of what it names, and not for a model call.
    const attributes = attributesOf({
      [names.operation]: stepOperation,
      [names.agentName]: run.facts?.agentName ?? shortText(run.promptName),
      'wink.turn': turn,
    });
    const step = this.#open(`step ${turn}`, run.context, attributes);
    run.steps.set(turn, step);
    return step;
  }

  endStep(run: RunSpans, turn: number): void {
    const step = run.steps.get(turn);
    if (step === undefined) return;
    run.steps.delete(turn);
    this.#abandonChat(run, turn);
    for (const call of run.calls.values()) {
      if (call.turn === turn) this.#abandonCall(run, call);
    }
    step.span.end();
  }

  openChat(run: RunSpans, turn: number): OpenChat {
    const known = run.chats.get(turn);
    if (known !== undefined) return known;
    const { names, clock } = this.settings;
    const { facts } = run;
    const opened = this.#open(
      facts === undefined ? 'chat' : `chat ${facts.asked.model}`,
      this.contextOfTurn(run, turn),
      attributesOf({
        [names.operation]: 'chat',
        ...facts?.asked.modelAttributes,
        ...facts?.settingsAttributes,
        'wink.purpose': run.purpose,
        [names.compacted]: run.isCompacted ? true : undefined,
      }),
      spanKinds.client,
    );
    run.purpose = undefined;
    run.isCompacted = false;
    run.counts.modelCalls += 1;
    const chat = { span: opened.span, context: opened.context, startedAtMs: clock.now() };
    run.chats.set(turn, chat);
    return chat;
  }

  endChat(run: RunSpans, turn: number, end: ChatEnd): void {
    changeModel(run, turn, end.answeredBy);
    const chat = run.chats.get(turn);
    if (chat === undefined) return;
    run.chats.delete(turn);
    const { names, metrics } = this.settings;
    chat.span.setAttributes(end.attributes);
    if (end.errorType !== undefined) {
      chat.span.setAttributes({ [names.errorType]: end.errorType });
      chat.span.setStatus({ code: errorStatus });
    }
    if (metrics !== undefined) {
      const measured = attributesOf({
        [names.operation]: 'chat',
        ...run.facts?.asked.modelAttributes,
        [names.responseModel]: end.responseModel,
        [names.errorType]: end.errorType,
      });
      metrics.modelCall(end.durationMs, measured, end.usage);
    }
    chat.span.end();
  }

  /** @param call `trace` is the span of a caller in another program: the call is part of that trace, and refers to its run by a link. */
  openCall(
    run: RunSpans,
    {
      turn,
      callId,
      toolName,
      trace,
    }: Pick<OpenCallSpan, 'turn' | 'callId'> & { readonly toolName: string; readonly trace?: TraceContext },
  ): OpenCallSpan {
    const key = callKey(turn, callId);
    const known = run.calls.get(key);
    if (known !== undefined) return known;
    const { names } = this.settings;
    const effects = run.facts?.effects ?? {};
    const knownName = Object.hasOwn(effects, toolName) ? toolName : undefined;
    const caller = trace === undefined ? undefined : remoteSpanOf(trace);
    const outer = this.contextOfTurn(run, turn);
    const opened = this.#open(
      knownName === undefined ? 'execute_tool' : `execute_tool ${knownName}`,
      caller === undefined ? outer : withSpan(outer, caller),
      attributesOf({
        [names.operation]: 'execute_tool',
        [names.toolName]: shortText(toolName),
        [names.toolType]: 'function',
        [names.toolCallId]: shortText(callId),
        [names.toolDescription]: run.toolDefinitions?.descriptions.get(toolName),
        'wink.call.effects': knownName === undefined ? undefined : effects[knownName],
      }),
      spanKinds.internal,
      caller === undefined ? undefined : [linkTo(run.span)],
    );
    const { span, context } = opened;
    const call: OpenCallSpan = { span, context, turn, callId, knownName, inner: new Set(), hasEnded: false };
    call.context = context.setValue(callContextKey, call);
    run.calls.set(key, call);
    run.counts.toolCalls += 1;
    return call;
  }

  /** @param content what the span has of what the tool says; asked for only where spans may. */
  endCall(run: RunSpans, invocation: ToolInvokedPayload, content: () => OtelAttributes): void {
    const { turn, callId, outcome, attempts, durationMs, reason } = invocation;
    const key = callKey(turn, callId);
    const call = run.calls.get(key);
    if (call === undefined) return;
    run.calls.delete(key);
    this.#endInner(call);
    const { names, metrics } = this.settings;
    const reruns = Math.max(0, attempts - 1);
    if (outcome === 'committed') run.counts.committed += 1;
    run.counts.reruns += reruns;
    const isError = isCallError(invocation);
    call.span.setAttributes(callEndAttributes(invocation, names));
    if (run.messages !== undefined) call.span.setAttributes(content());
    if (isError) call.span.setStatus({ code: errorStatus });
    if (metrics !== undefined) {
      const tool = attributesOf({ [names.toolName]: call.knownName, [names.toolType]: 'function' });
      const error = attributesOf({ [names.errorType]: isError ? (reason ?? '_OTHER') : undefined });
      metrics.toolCall(durationMs, { [names.operation]: 'execute_tool', ...tool, ...error });
      metrics.reruns(reruns, tool);
      if (outcome === 'rolled-back') metrics.rollback({ ...tool, ...error });
    }
    call.span.end();
  }

  /** A tool that the provider has run: when it began, and how long it took, is not known. */
  addHostedCall(run: RunSpans, turn: number, toolName: string): void {
    const { names } = this.settings;
    const { span } = this.#open(`execute_tool ${shortText(toolName)}`, this.contextOfTurn(run, turn), {
      [names.operation]: 'execute_tool',
      [names.toolName]: shortText(toolName),
      [names.toolType]: 'extension',
    });
    span.end();
  }

  /** Where spans of a turn belong: below its step, or below the run where there are no steps, as in a tool runtime. */
  contextOfTurn(run: RunSpans, turn: number): OtelContext {
    return (run.steps.get(turn) ?? run).context;
  }

  #open(
    name: string,
    parent: OtelContext,
    attributes: OtelAttributes,
    kind: number = spanKinds.internal,
    links?: OtelLink[],
  ): OpenSpan {
    const options = links === undefined ? { kind, attributes } : { kind, attributes, links };
    const span = this.settings.tracer.startSpan(name, options, parent);
    return { span, context: withSpan(parent, span) };
  }

  #abandonChat(run: RunSpans, turn: number): void {
    const chat = run.chats.get(turn);
    if (chat === undefined) return;
    const durationMs = this.settings.clock.now() - chat.startedAtMs;
    this.endChat(run, turn, { durationMs, attributes: {}, errorType: aborted });
  }

  #abandonCall(run: RunSpans, call: OpenCallSpan): void {
    run.calls.delete(callKey(call.turn, call.callId));
    this.#endInner(call);
    const { names } = this.settings;
    call.span.setAttributes({ 'wink.call.outcome': aborted, [names.errorType]: aborted });
    call.span.setStatus({ code: errorStatus });
    call.span.end();
  }

  /** Ends what evaluations inside a call have open: no more is reported about them once the call has ended. */
  #endInner(call: OpenCallSpan): void {
    call.hasEnded = true;
    for (const run of call.inner) this.endRun(run, aborted);
  }

  /**
   * The call that an evaluation with this path runs inside of; undefined for one that runs inside none. `unclear` where there is no context to tell
   * calls with the same ids apart: the first event of the evaluation says it then.
   */
  outerCallOf(path: readonly string[]): OpenCallSpan | 'unclear' | undefined {
    const callId = path.at(-1);
    if (callId === undefined) return undefined;
    const own = activeContext().getValue(callContextKey);
    if (isOpenCall(own) && own.callId === callId) return own;
    const outerPath = path.slice(0, -1).join('\n');
    const [first, ...others] = [...this.#runs.values()]
      .filter((run) => run.path.join('\n') === outerPath)
      .flatMap((run) => [...run.calls.values()])
      .filter((call) => call.callId === callId);
    return others.length > 0 ? 'unclear' : first;
  }
}

function placeOf(rootId: string, path: readonly RunPathStep[]): string {
  return JSON.stringify([rootId, path]);
}

function linkTo(span: OtelSpan): OtelLink {
  const { spanId, traceFlags = 0, traceId, traceState } = span.spanContext();
  return { context: { traceId, spanId, traceFlags, ...present({ traceState }) } };
}

/** The key is of this module, which puts calls there. */
function isOpenCall(value: unknown): value is OpenCallSpan {
  return isRecord(value) && value['hasEnded'] === false;
}

/** The active context where it is one of the call, so that a span of the handler can be between; else that of the call. */
function parentContext(active: OtelContext, outer: OpenCallSpan | undefined): OtelContext {
  if (outer === undefined) return active;
  const traceOf = (context: OtelContext): string | undefined => spanOf(context)?.spanContext().traceId;
  return traceOf(active) === traceOf(outer.context) ? active : outer.context;
}
