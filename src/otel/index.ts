export type { OtelSemconv } from './names.ts';
export type {
  OtelAttributes,
  OtelAttributeValue,
  OtelContext,
  OtelCounter,
  OtelHistogram,
  OtelInstrumentOptions,
  OtelMeter,
  OtelSpan,
  OtelTracer,
} from './otel-api.ts';
export { type OtelObserverOptions, otelObserver } from './otel-observer.ts';
