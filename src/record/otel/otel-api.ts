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

/** A `TraceState` of OpenTelemetry: immutable members that tracing systems add to a trace. */
export interface OtelTraceState {
  /** The value of a member; undefined without one. */
  get(key: string): string | undefined;
  /** A state with the member, which is its first one. */
  set(key: string, value: string): OtelTraceState;
  /** A state without the member. */
  unset(key: string): OtelTraceState;
  /** As in a header. */
  serialize(): string;
}

/** A `SpanContext` of OpenTelemetry: what of a span other programs get. */
export interface OtelSpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  /** Bit 0: the trace is sampled. Every real span has them. */
  readonly traceFlags?: number;
  /** Whether the span is one of another program. */
  readonly isRemote?: boolean;
  /** What tracing systems add. */
  readonly traceState?: OtelTraceState;
}

/** A `Link` of OpenTelemetry: a span that another one belongs to without being below it. */
export interface OtelLink {
  /** Of the other span. */
  context: OtelSpanContext & { readonly traceFlags: number };
}

/** A `Span` of OpenTelemetry. */
export interface OtelSpan {
  /** Its ids, and what else other programs get of it. */
  spanContext(): OtelSpanContext;
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
    options?: { kind?: number; attributes?: OtelAttributes; links?: OtelLink[] },
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
