export type { OtelSemconv } from './names.ts';
export type {
  OtelAttributes,
  OtelAttributeValue,
  OtelContext,
  OtelCounter,
  OtelHistogram,
  OtelInstrumentOptions,
  OtelLink,
  OtelMeter,
  OtelSpan,
  OtelSpanContext,
  OtelTracer,
  OtelTraceState,
} from './otel-api.ts';
export { type OtelObserverOptions, otelObserver } from './otel-observer.ts';
