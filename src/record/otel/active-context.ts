import { isRecord } from '../../core/internal/index.ts';
import type { OtelContext, OtelSpan } from './otel-api.ts';

/**
 * Where every copy of `@opentelemetry/api` 1.x in a process finds what was registered with another one. It is read here in place of an import, so
 * that the context is the one of the program, whichever copy made it, and this entry loads where the package is not installed.
 */
const registryKey = Symbol.for('opentelemetry.js.api.1');

/** The key of the active span in a context; the same in every copy of the package. */
const spanKey = Symbol.for('OpenTelemetry Context Key SPAN');

interface ContextManager {
  active(): OtelContext;
  with<T>(context: OtelContext, work: () => T): T;
}

/** The active context of the program; an empty one where no context manager is registered. */
export function activeContext(): OtelContext {
  return contextManager()?.active() ?? new SingleContext();
}

/** `context` with another active span. */
export function withSpan(context: OtelContext, span: OtelSpan): OtelContext {
  return context.setValue(spanKey, span);
}

/** The active span of a context. */
export function spanOf(context: OtelContext): OtelSpan | undefined {
  const span = context.getValue(spanKey);
  // The key belongs to OpenTelemetry, which puts spans there.
  return isRecord(span) && 'spanContext' in span ? (span as unknown as OtelSpan) : undefined;
}

/** Does `work` in a context; without a context manager it is done as it is. */
export function runIn<T>(context: OtelContext, work: () => T): T {
  const manager = contextManager();
  return manager === undefined ? work() : manager.with(context, work);
}

function contextManager(): ContextManager | undefined {
  const registry: unknown = Reflect.get(globalThis, registryKey);
  const manager = isRecord(registry) ? registry['context'] : undefined;
  return isContextManager(manager) ? manager : undefined;
}

function isContextManager(value: unknown): value is ContextManager {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof Reflect.get(value, 'active') === 'function' &&
    typeof Reflect.get(value, 'with') === 'function'
  );
}

/**
 * A context of its own, for programs without a context manager: it tells the tracer the parent of a span. Each one has a single value and the
 * context below it, as few are ever looked up.
 */
class SingleContext implements OtelContext {
  readonly #key: symbol | undefined;
  readonly #value: unknown;
  readonly #below: SingleContext | undefined;

  constructor(key?: symbol, value?: unknown, below?: SingleContext) {
    this.#key = key;
    this.#value = value;
    this.#below = below;
  }

  getValue(key: symbol): unknown {
    return this.#key === key ? this.#value : this.#below?.getValue(key);
  }

  setValue(key: symbol, value: unknown): OtelContext {
    return new SingleContext(key, value, this);
  }

  deleteValue(key: symbol): OtelContext {
    return this.setValue(key, undefined);
  }
}
