import { context, SpanKind, SpanStatusCode } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import type { RunObserver } from 'weakincentives';
import { type OtelObserverOptions, otelObserver } from 'weakincentives/otel';
import type { OtelTracer } from '../../src/record/otel/otel-api.ts';

/** A span with what is below it, in the order in which it began. */
export interface SpanTree {
  readonly name: string;
  readonly kind: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Absent unless it is an error. */
  readonly status?: string;
  readonly events?: readonly (readonly [string, Readonly<Record<string, unknown>>])[];
  readonly children?: readonly SpanTree[];
}

/** An observer and the spans that it has made. */
export interface TracedRuns {
  readonly observer: RunObserver;
  readonly tracer: OtelTracer;
  /** The spans that have ended, in the order in which they began. */
  spans(): readonly ReadableSpan[];
  /** How many spans have begun. */
  readonly begun: () => number;
}

/** An observer whose spans stay in memory. */
export function tracedRuns(options: Omit<OtelObserverOptions, 'tracer'> = {}): TracedRuns {
  const exporter = new InMemorySpanExporter();
  const order = new Map<string, number>();
  const provider = new BasicTracerProvider({
    spanProcessors: [
      {
        onStart: (span) => void order.set(span.spanContext().spanId, order.size),
        onEnd: () => undefined,
        forceFlush: async () => undefined,
        shutdown: async () => undefined,
      },
      new SimpleSpanProcessor(exporter),
    ],
  });
  const tracer = provider.getTracer('test');
  const placeOf = (span: ReadableSpan): number => order.get(span.spanContext().spanId) ?? -1;
  return {
    observer: otelObserver({ tracer, ...options }),
    tracer,
    spans: () => exporter.getFinishedSpans().toSorted((left, right) => placeOf(left) - placeOf(right)),
    begun: () => order.size,
  };
}

/** Does `work` where contexts follow asynchronous work, as in a program with an SDK. */
export async function withContexts<T>(work: () => Promise<T>): Promise<T> {
  const manager = new AsyncLocalStorageContextManager().enable();
  context.setGlobalContextManager(manager);
  try {
    return await work();
  } finally {
    context.disable();
  }
}

/** The spans as trees, without ids and hashes, which differ between runs. */
export function treesOf(spans: readonly ReadableSpan[]): readonly SpanTree[] {
  const below = (parentId: string | undefined): readonly SpanTree[] =>
    spans
      .filter((span) => span.parentSpanContext?.spanId === parentId)
      .map((span) => treeOf(span, below(span.spanContext().spanId)));
  const ids = new Set(spans.map((span) => span.spanContext().spanId));
  const orphans = spans.filter(
    ({ parentSpanContext }) => parentSpanContext !== undefined && !ids.has(parentSpanContext.spanId),
  );
  if (orphans.length > 0) throw new Error(`The parent of ${orphans.map(({ name }) => name)} has not ended.`);
  return below(undefined);
}

/** The spans of this name in trees. */
export function spansNamed(trees: readonly SpanTree[], name: string): readonly SpanTree[] {
  return trees.flatMap((tree) => [
    ...(tree.name === name ? [tree] : []),
    ...spansNamed(tree.children ?? [], name),
  ]);
}

/** One line for each span: its name, indented by its depth, and what it has of these attributes. */
export function outlineOf(
  trees: readonly SpanTree[],
  attributes: readonly string[] = [],
  depth = 0,
): string[] {
  return trees.flatMap((tree) => {
    const shown = attributes
      .filter((name) => tree.attributes[name] !== undefined)
      .map((name) => JSON.stringify(tree.attributes[name]).replaceAll('"', ''));
    const status = tree.status === undefined ? [] : [tree.status];
    const line = `${'  '.repeat(depth)}${[tree.name, ...shown, ...status].join(' ')}`;
    return [line, ...outlineOf(tree.children ?? [], attributes, depth + 1)];
  });
}

function treeOf(span: ReadableSpan, children: readonly SpanTree[]): SpanTree {
  const { name, kind, attributes, events, status } = span;
  return {
    name,
    kind: SpanKind[kind],
    attributes: Object.fromEntries(
      Object.entries(attributes).map(([key, value]) => [key, isVariable(key) ? '<variable>' : value]),
    ),
    ...(status.code === SpanStatusCode.UNSET
      ? {}
      : {
          status: [
            SpanStatusCode[status.code],
            ...(status.message === undefined ? [] : [status.message]),
          ].join(' '),
        }),
    ...(events.length === 0
      ? {}
      : { events: events.map((event) => [event.name, event.attributes ?? {}] as const) }),
    ...(children.length === 0 ? {} : { children }),
  };
}

const variable: ReadonlySet<string> = new Set([
  'wink.run.id',
  'gen_ai.agent.version',
  'wink.prompt.version',
  'gen_ai.conversation.id',
]);

function isVariable(key: string): boolean {
  return variable.has(key);
}
