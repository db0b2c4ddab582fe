/**
 * Runs as spans and metrics of OpenTelemetry.
 *
 * Runs in any runtime; for a tracer of the package `@opentelemetry/api`.
 *
 * @module weakincentives/otel
 */

export type { OtelSemconv } from '../record/otel/names.ts';
export { type OtelObserverOptions, otelObserver } from '../record/otel/otel-observer.ts';
