import { assertOptions, PromptValidationError } from '../../core/error/index.ts';
import { isPromiseLike, present } from '../../core/internal/index.ts';
import type {
  ObservedEvaluation,
  ObservedRequest,
  ObservedResponse,
  RunEvent,
  RunObserver,
  RunScope,
} from '../../core/runtime/index.ts';
import { type Clock, systemClock } from '../../core/session/index.ts';
import { runIn } from './active-context.ts';
import { errorTypeOf } from './attributes.ts';
import { RunMetrics } from './metrics.ts';
import { type OtelSemconv, semconvNames } from './names.ts';
import type { OtelContext, OtelMeter, OtelTracer } from './otel-api.ts';
import { reportEvent } from './report-event.ts';
import { chatEndOf, describeRequest } from './report-model-call.ts';
import { TraceBuilder, type TraceSettings } from './trace-builder.ts';

/** Options of {@link otelObserver}. */
export interface OtelObserverOptions {
  /** Makes the spans: `trace.getTracer('my-service')` of `@opentelemetry/api`. */
  readonly tracer: OtelTracer;
  /** Makes the metrics: `metrics.getMeter('my-service')`. Default: no metrics. */
  readonly meter?: OtelMeter;
  /**
   * `full`: spans also hold what models get and answer, arguments and results of calls, and messages of errors, all of it after `redact`. Traces
   * are then as secret as the data of the run. Default: `none`.
   */
  readonly content?: 'none' | 'full';
  /** Which names attributes and metrics have. Default: `main`. */
  readonly semconv?: OtelSemconv;
  /** For durations in metrics. Default: the clock of the machine. */
  readonly clock?: Clock;
}

/**
 * Reports runs to OpenTelemetry: a span for each run, turn, model call and tool call, by the semantic conventions for generative AI, and metrics.
 * Spans of a handler are children of the span of its call, where a context manager is registered, as every SDK does. One observer serves any
 * number of runs, also at the same time.
 *
 * ```ts no-run
 * const observer = otelObserver({ tracer: trace.getTracer('reviews') });
 * await adapter.evaluate(prompt, { observers: [observer] });
 * ```
 *
 * @throws {PromptValidationError} for an option of the wrong kind.
 * @see docs/spec/telemetry.md §1
 */
export function otelObserver(options: OtelObserverOptions): RunObserver {
  return createOtelObserver(options);
}

/** @internal For the command, whose runs have a session of their own, which is not a conversation. */
export function createOtelObserver(
  options: OtelObserverOptions,
  { hasConversation = true }: { readonly hasConversation?: boolean } = {},
): RunObserver {
  assertOptions('otelObserver()', options, { tracer: 'object!', meter: 'object', clock: 'object' });
  const { tracer, meter, content = 'none', semconv = 'main', clock = systemClock } = options;
  assertOneOf('content', content, ['none', 'full']);
  assertOneOf('semconv', semconv, Object.keys(semconvNames));
  const names = semconvNames[semconv];
  const hasContent = content === 'full';
  const metrics = meter === undefined ? undefined : new RunMetrics(meter, names);
  const observer = new SpanObserver({
    tracer,
    metrics,
    names: names.attributes,
    hasContent,
    hasConversation,
    clock,
  });
  return Object.freeze({
    onEvent: (event, evaluation) => observer.onEvent(event, evaluation),
    onResponse: (response) => observer.onResponse(response),
    // Requests are made for observers only when one wants them.
    ...present({
      onRequest: hasContent ? (request: ObservedRequest) => observer.onRequest(request) : undefined,
    }),
    around: (scope, work) => observer.around(scope, work),
  } satisfies RunObserver);
}

function assertOneOf(option: string, value: string, allowed: readonly string[]): void {
  if (allowed.includes(value)) return;
  throw new PromptValidationError(
    `otelObserver(): ${option} must be one of: ${allowed.map((word) => `"${word}"`).join(', ')}.`,
    { details: { option } },
  );
}

/** Finds the run that a report is about, and makes spans of it. */
class SpanObserver {
  readonly #settings: TraceSettings;
  readonly #trace: TraceBuilder;

  constructor(settings: TraceSettings) {
    this.#settings = settings;
    this.#trace = new TraceBuilder(settings);
  }

  onEvent(event: RunEvent, outermost: ObservedEvaluation): void {
    if (event.type === 'run-start') this.#begin(event, outermost);
    const run = this.#trace.run(event.evaluationId);
    if (run !== undefined) reportEvent(this.#trace, this.#settings, run, event);
  }

  onRequest(request: ObservedRequest): void {
    const run = this.#trace.run(request.evaluationId);
    if (run !== undefined) describeRequest(this.#trace, this.#settings.names, run, request);
  }

  onResponse(response: ObservedResponse): void {
    const run = this.#trace.run(response.evaluationId);
    if (run !== undefined) {
      const { names } = this.#settings;
      const end = chatEndOf(run, response, names, run.messages !== undefined);
      this.#trace.endChat(run, response.turn, end);
    }
  }

  around<T>(scope: RunScope, work: () => T): T {
    const entered = this.#enter(scope);
    if (entered === undefined) return work();
    let result: T;
    try {
      result = runIn(entered.context, work);
    } catch (error) {
      entered.leave?.(errorTypeOf(error));
      throw error;
    }
    const { leave } = entered;
    if (leave === undefined) return result;
    if (isPromiseLike(result)) {
      const left = result.then(
        () => leave(),
        (error: unknown) => leave(errorTypeOf(error)),
      );
      // A tracer that throws does so in the reports of the run, too, which are logged.
      left.then(undefined, () => undefined);
    } else {
      leave();
    }
    return result;
  }

  /** The context of a scope, and what ends it; undefined for one of a run that has ended. */
  #enter(
    scope: RunScope,
  ): { readonly context: OtelContext; readonly leave?: (errorType?: string) => void } | undefined {
    const trace = this.#trace;
    if (scope.kind === 'run') {
      const { evaluationId, path, promptName } = scope;
      // The observer is twice among those of the run.
      const known = trace.run(evaluationId);
      if (known !== undefined) return { context: known.context };
      const outer = trace.outerCallOf(path);
      if (outer === 'unclear') return undefined;
      const run = trace.openRun({ evaluationId, path, promptName, outer, isScoped: true });
      return { context: run.context, leave: (errorType) => trace.endRun(run, errorType) };
    }
    const run = trace.run(scope.evaluationId);
    if (run === undefined) return undefined;
    switch (scope.kind) {
      case 'turn': {
        const { turn } = scope;
        return { context: trace.openStep(run, turn).context, leave: () => trace.endStep(run, turn) };
      }
      case 'model-call':
        return { context: trace.openChat(run, scope.turn).context };
      case 'tool-call':
        return { context: trace.openCall(run, scope).context };
    }
  }

  /** An evaluation begins; its span is there where the work around it is observed, too. */
  #begin(
    { evaluationId, path, promptName }: Extract<RunEvent, { readonly type: 'run-start' }>,
    { evaluationId: rootId }: ObservedEvaluation,
  ): void {
    const trace = this.#trace;
    if (trace.run(evaluationId) === undefined) {
      const step = path.at(-1);
      const around = step && trace.runAt(rootId, path.slice(0, -1));
      if (step !== undefined && around === undefined) return;
      const outer = step && around && trace.openCall(around, step);
      const callIds = path.map(({ callId }) => callId);
      trace.openRun({ evaluationId, path: callIds, promptName, outer, isScoped: false });
    }
    trace.place(evaluationId, rootId, path);
  }
}
