/*
 * The parts of `@opentelemetry/api` 1.x that the observer uses, by their structure: a tracer and a meter of that package fit, and a
 * program that imports this entry needs the package for its own tracer only.
 */

/** A value of an attribute. */
export type OtelAttributeValue = string | number | boolean | string[];

/** Attributes of a span, of an event on a span or of a measurement. */
export type OtelAttributes = Record<string, OtelAttributeValue>;

/** Immutable values that follow the flow of the program, such as the span that is active. */
export interface OtelContext {
  /** A value; undefined without one. */
  getValue(key: symbol): unknown;
  /** A context that has the value, too. */
  setValue(key: symbol, value: unknown): OtelContext;
  /** A context without the value. */
  deleteValue(key: symbol): OtelContext;
}

/** A `Span` of OpenTelemetry. */
export interface OtelSpan {
  /** Its ids, in hexadecimal digits. */
  spanContext(): { readonly traceId: string; readonly spanId: string };
  /** False for a span that is not exported. */
  isRecording(): boolean;
  /** Adds attributes, or replaces them. */
  setAttributes(attributes: OtelAttributes): unknown;
  /** Adds something that happened now. */
  addEvent(name: string, attributes?: OtelAttributes): unknown;
  /** Says how it ended; `code` is a `SpanStatusCode`. */
  setStatus(status: { code: number; message?: string }): unknown;
  /** Replaces its name. */
  updateName(name: string): unknown;
  /** Ends it now. */
  end(): void;
}

/** A `Tracer` of OpenTelemetry, such as `trace.getTracer('my-service')` returns. */
export interface OtelTracer {
  /** Begins a span below the active one of a context; `kind` is a `SpanKind`. */
  startSpan(
    name: string,
    options?: { kind?: number; attributes?: OtelAttributes },
    context?: OtelContext,
  ): OtelSpan;
}

/** What is known of an instrument when it is made. */
export interface OtelInstrumentOptions {
  description?: string;
  /** As UCUM writes it. */
  unit?: string;
  advice?: { explicitBucketBoundaries?: number[] };
}

/** A `Histogram` of OpenTelemetry. */
export interface OtelHistogram {
  /** Adds a measurement. */
  record(value: number, attributes?: OtelAttributes): void;
}

/** A `Counter` of OpenTelemetry. */
export interface OtelCounter {
  /** Adds an amount, 0 or more. */
  add(value: number, attributes?: OtelAttributes): void;
}

/** A `Meter` of OpenTelemetry, such as `metrics.getMeter('my-service')` returns. */
export interface OtelMeter {
  /** Makes a histogram. */
  createHistogram(name: string, options?: OtelInstrumentOptions): OtelHistogram;
  /** Makes a counter. */
  createCounter(name: string, options?: OtelInstrumentOptions): OtelCounter;
}

/** Numbers of `SpanKind`. */
export const spanKinds = { internal: 0, client: 2 } as const;

/** The number of `SpanStatusCode.ERROR`. */
export const errorStatus = 2;
