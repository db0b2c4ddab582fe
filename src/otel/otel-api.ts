/*
 * The parts of `@opentelemetry/api` 1.x that the observer uses, by their structure: a tracer and a meter of that package fit, and whoever imports
 * this entry needs the package for its own tracer only.
 */

/** A value of an attribute. */
export type OtelAttributeValue = string | number | boolean | string[];

/** Attributes of a span, of an event on a span or of a measurement. */
export type OtelAttributes = Record<string, OtelAttributeValue>;

/** Immutable values that follow the flow of the program, such as the span that is active. */
export interface OtelContext {
  getValue(key: symbol): unknown;
  setValue(key: symbol, value: unknown): OtelContext;
  deleteValue(key: symbol): OtelContext;
}

/** A `Span` of OpenTelemetry. */
export interface OtelSpan {
  spanContext(): { readonly traceId: string; readonly spanId: string };
  setAttributes(attributes: OtelAttributes): unknown;
  addEvent(name: string, attributes?: OtelAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  updateName(name: string): unknown;
  end(): void;
}

/** A `Tracer` of OpenTelemetry, such as `trace.getTracer('my-service')` returns. */
export interface OtelTracer {
  /** `kind` is a `SpanKind`. */
  startSpan(
    name: string,
    options?: { kind?: number; attributes?: OtelAttributes },
    context?: OtelContext,
  ): OtelSpan;
}

/** What is known of an instrument when it is made. */
export interface OtelInstrumentOptions {
  description?: string;
  unit?: string;
  advice?: { explicitBucketBoundaries?: number[] };
}

/** A `Histogram` of OpenTelemetry. */
export interface OtelHistogram {
  record(value: number, attributes?: OtelAttributes): void;
}

/** A `Counter` of OpenTelemetry. */
export interface OtelCounter {
  add(value: number, attributes?: OtelAttributes): void;
}

/** A `Meter` of OpenTelemetry, such as `metrics.getMeter('my-service')` returns. */
export interface OtelMeter {
  createHistogram(name: string, options?: OtelInstrumentOptions): OtelHistogram;
  createCounter(name: string, options?: OtelInstrumentOptions): OtelCounter;
}

/** Numbers of `SpanKind`. */
export const spanKinds = { internal: 0, client: 2 } as const;

/** The number of `SpanStatusCode.ERROR`. */
export const errorStatus = 2;
