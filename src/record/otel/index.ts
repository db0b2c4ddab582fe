export { runIn } from './active-context.ts';
export type { OtelContext, OtelMeter, OtelTracer } from './otel-api.ts';
export { createOtelObserver } from './otel-observer.ts';
