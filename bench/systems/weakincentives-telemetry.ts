import { BasicTracerProvider, BatchSpanProcessor, type SpanExporter } from '@opentelemetry/sdk-trace-base';
import { otelObserver } from 'weakincentives/otel';
import { countingAgent } from './counting-agent.ts';
import { runSystem } from './run-system.ts';

/** Takes the spans and sends them nowhere. */
const exporter: SpanExporter = {
  export: (_spans, done) => done({ code: 0 }),
  shutdown: async () => undefined,
};
const provider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
const observer = otelObserver({ tracer: provider.getTracer('bench') });

/** With a span for each run, turn, model call and tool call, in batches as a service sends them. */
await runSystem((stage) => countingAgent(stage, async () => ({ observers: [observer] })));
