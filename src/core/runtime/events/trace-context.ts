/** The span of another program that a call belongs to, as the W3C writes it in headers. From outside: the reader checks it. */
export interface TraceContext {
  /** Version, trace, span and flags: `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01`. */
  readonly traceparent: string;
  /** What tracing systems add to it. */
  readonly tracestate?: string;
}
