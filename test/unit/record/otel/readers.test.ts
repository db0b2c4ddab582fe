import { convertGenAISpanAttributesToOpenInferenceSpanAttributes } from '@arizeai/openinference-genai';
import { isDefaultExportSpan } from '@langfuse/otel';
import { context } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it } from 'vitest';
import { ToolResult, tool } from 'weakincentives';
import { otelObserver } from 'weakincentives/otel';
import { z } from 'zod';
import { promptWith } from '../../../support/nested-setup.ts';
import { openOtlpCollector } from '../../../support/otlp-collector.ts';
import { type TracedRuns, tracedRuns, withContexts } from '../../../support/span-trees.ts';
import { answer, telemetryModel } from '../../../support/telemetry-model.ts';

const adapter = telemetryModel((turn) =>
  turn === 1
    ? {
        content: [{ type: 'tool-call', callId: 'c1', name: 'search', arguments: '{"query":"cats"}' }],
        finishReason: 'tool-calls',
        usage: { inputTokens: 300, outputTokens: 20, cachedInputTokens: 100, cacheWriteInputTokens: 50 },
      }
    : answer('Cats it is.'),
);

/** A run whose handler makes a span of its own. */
async function run({ observer, tracer }: Pick<TracedRuns, 'observer' | 'tracer'>): Promise<void> {
  const search = tool({
    name: 'search',
    description: 'Searches.',
    inputSchema: z.object({ query: z.string() }),
    execute: ({ query }) => {
      tracer.startSpan('GET', { attributes: { 'http.request.method': 'GET' } }, context.active()).end();
      return ToolResult.ok(null, `Found ${query}.`);
    },
  });
  await withContexts(() =>
    adapter.evaluate(promptWith('task', [search]), { input: 'Find cats.', observers: [observer] }),
  );
}

describe('other readers of traces', () => {
  it('Langfuse exports every span of a run by default, and none of the handler', async () => {
    const traced = tracedRuns();
    await run(traced);
    // Its type is that of a newer SDK; it reads attributes and the scope.
    const exported = traced.spans().filter((span) => isDefaultExportSpan(span as never));
    const others = traced.spans().filter((span) => !exported.includes(span));
    expect(exported.map(({ name }) => name)).toEqual([
      'invoke_agent test/task',
      'step 1',
      'chat test-model',
      'execute_tool search',
      'step 2',
      'chat test-model',
    ]);
    expect(others.map(({ name }) => name)).toEqual(['GET']);
  });

  it('OpenInference, which Phoenix reads, has the kinds, the tokens, the tool and the messages', async () => {
    const traced = tracedRuns({ content: 'full' });
    await run(traced);
    const converted = traced
      .spans()
      .map(({ name, attributes }) => [
        name,
        convertGenAISpanAttributesToOpenInferenceSpanAttributes(attributes),
      ]);
    const of = (name: string): Readonly<Record<string, unknown>> =>
      Object(converted.find(([own]) => own === name)?.[1]);
    expect(of('invoke_agent test/task')['openinference.span.kind']).toBe('AGENT');
    expect(of('chat test-model')).toMatchObject({
      'openinference.span.kind': 'LLM',
      'llm.model_name': 'test-model',
      'llm.token_count.prompt': 300,
      'llm.token_count.completion': 20,
      'llm.token_count.prompt_details.cache_read': 100,
      'llm.token_count.prompt_details.cache_write': 50,
    });
    // A step is a part of the agent, and no second model call.
    expect(of('step 1')['openinference.span.kind']).toBe('AGENT');
    expect(JSON.stringify(of('chat test-model'))).toContain('Find cats.');
    expect(of('execute_tool search')).toMatchObject({
      'openinference.span.kind': 'TOOL',
      'tool.name': 'search',
    });
    expect(JSON.stringify(of('execute_tool search'))).toContain('cats');
  });

  it('a collector gets every span over HTTP, by the exporter of OpenTelemetry', async () => {
    await using collector = await openOtlpCollector();
    const provider = new BasicTracerProvider({
      spanProcessors: [new SimpleSpanProcessor(new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }))],
    });
    const tracer = provider.getTracer('test');
    await run({ tracer, observer: otelObserver({ tracer, content: 'full' }) });
    await provider.forceFlush();
    await provider.shutdown();
    const byId = new Map(collector.spans.map((span) => [span.spanId, span]));
    const lines = collector.spans.map(
      ({ name, parentSpanId = '' }) => `${byId.get(parentSpanId)?.name ?? '-'} > ${name}`,
    );
    expect(lines.sort()).toEqual([
      '- > invoke_agent test/task',
      'execute_tool search > GET',
      'invoke_agent test/task > step 1',
      'invoke_agent test/task > step 2',
      'step 1 > chat test-model',
      'step 1 > execute_tool search',
      'step 2 > chat test-model',
    ]);
    expect(new Set(collector.spans.map(({ traceId }) => traceId)).size).toBe(1);
  });
});
