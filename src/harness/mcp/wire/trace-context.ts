import { isRecord, present } from '../../../core/internal/index.ts';
import type { TraceContext } from '../../../core/runtime/index.ts';

/**
 * The span of the client that made a request, from its `_meta`; undefined when it names none. Whether it is written as the W3C defines it is checked where it is used.
 *
 * @see docs/spec/mcp.md §3
 */
export function traceContextOf(meta: unknown): TraceContext | undefined {
  if (!isRecord(meta)) return undefined;
  const { traceparent, tracestate } = meta;
  if (typeof traceparent !== 'string') return undefined;
  return { traceparent, ...present({ tracestate: typeof tracestate === 'string' ? tracestate : undefined }) };
}
