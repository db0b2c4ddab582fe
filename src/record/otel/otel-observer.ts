import { assertOptions, oneOf } from '../../core/error/index.ts';
import { isPromiseLike, present } from '../../core/internal/index.ts';
import type {
  ObservedEvaluation,
  ObservedRequest,
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
import { reportEvent, tracedEventTypes } from './report-event.ts';
import { chatEndOf, describeRequest } from './report-model-call.ts';
import { TraceBuilder } from './trace-builder.ts';

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
  /** Which names attributes and metrics have. Default: `1.45`, the published conventions. */
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
 * import { trace } from '@opentelemetry/api';
 * import { type AnyAgent, runAgent } from 'weakincentives';
 * import { otelObserver } from 'weakincentives/otel';
 *
 * export const traced = (agent: AnyAgent) =>
 *   runAgent(agent, { observers: [otelObserver({ tracer: trace.getTracer('reviews') })] });
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
  assertOptions('otelObserver()', options, {
    content: oneOf(['none', 'full']),
    semconv: oneOf(['1.45', 'main', 'ai-sdk-7']),
    tracer: 'object!',
    meter: 'object',
    clock: 'object',
  });
  const { tracer, meter, content = 'none', semconv = '1.45', clock = systemClock } = options;
  const names = semconvNames[semconv];
  const hasContent = content === 'full';
  const metrics = meter === undefined ? undefined : new RunMetrics(meter, names);
  const trace = new TraceBuilder({
    tracer,
    metrics,
    names: names.attributes,
    stepOperation: names.stepOperation,
    hasContent,
    hasConversation,
    clock,
  });
  return Object.freeze({
    eventTypes: tracedEventTypes,
    onEvent: (event, outermost) => {
      if (event.type === 'run-start') beginRun(trace, event, outermost);
      const run = trace.run(event.evaluationId);
      if (run !== undefined) reportEvent(trace, run, event);
    },
    onResponse: (response) => {
      const run = trace.run(response.evaluationId);
      if (run === undefined) return;
      const end = chatEndOf(run, response, names.attributes, run.messages !== undefined);
      trace.endChat(run, response.turn, end);
    },
    // Requests are made for observers only when one wants them.
    ...present({
      onRequest: hasContent
        ? (request: ObservedRequest) => {
            const run = trace.run(request.evaluationId);
            if (run !== undefined) describeRequest(trace, names.attributes, run, request);
          }
        : undefined,
    }),
    around: (scope, work) => workIn(enter(trace, scope), work),
  } satisfies RunObserver);
}

/** Where the work of a scope is done, and what ends the span that was opened for it. */
interface Entered {
  readonly context: OtelContext;
  readonly leave?: (errorType?: string) => void;
}

/** Undefined for a scope of a run that has ended. */
function enter(trace: TraceBuilder, scope: RunScope): Entered | undefined {
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

function workIn<T>(entered: Entered | undefined, work: () => T): T {
  if (entered === undefined) return work();
  const { context, leave } = entered;
  let result: T;
  try {
    result = runIn(context, work);
  } catch (error) {
    leave?.(errorTypeOf(error));
    throw error;
  }
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

/** An evaluation begins; its span is there where the work around it is observed, too. */
function beginRun(
  trace: TraceBuilder,
  { evaluationId, path, promptName }: Extract<RunEvent, { readonly type: 'run-start' }>,
  { evaluationId: rootId }: ObservedEvaluation,
): void {
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
