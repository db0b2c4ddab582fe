export type { OtelSemconv } from '../record/otel/names.ts';
export { type OtelObserverOptions, otelObserver } from '../record/otel/otel-observer.ts';
