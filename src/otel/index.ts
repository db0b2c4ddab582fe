export type { OtelSemconv } from './names.ts';
export { type OtelObserverOptions, otelObserver } from './otel-observer.ts';
