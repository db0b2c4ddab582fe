import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { describe, expect, it } from 'vitest';
import type { Clock } from 'weakincentives';
import { type OtelSemconv, otelObserver } from 'weakincentives/otel';
import { act } from '../../../support/act.ts';
import { Added, Count, promptWith } from '../../../support/nested-setup.ts';
import { tracedRuns } from '../../../support/span-trees.ts';
import { telemetryModel } from '../../../support/telemetry-model.ts';

/** What a run with two model calls and four tool calls measures: one committed, one committed at the second attempt, one rolled back, one made up. */
async function measured(semconv?: OtelSemconv): Promise<Readonly<Record<string, unknown>>> {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 1_000_000 });
  const provider = new MeterProvider({ readers: [reader] });
  const { tracer } = tracedRuns();
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, schedule: () => () => undefined };
  const increment = act('increment', ({ session }) => {
    session.dispatch(Added, { by: session.slice(Count).latest()?.total ?? 1 });
    nowMs += 250;
  });
  const fails = act('fails', () => {
    throw new Error('No.');
  });
  const adapter = telemetryModel((turn) => {
    nowMs += 1500;
    const usage = { inputTokens: 300, outputTokens: 20, cachedInputTokens: 100, reasoningTokens: 4 };
    if (turn === 2) return { content: [{ type: 'text', text: 'Done.' }], finishReason: 'stop', usage };
    const calls = ['increment', 'increment', 'fails', 'invented by the model'];
    return {
      content: calls.map((name, index) => ({
        type: 'tool-call',
        callId: `call-${index}`,
        name,
        arguments: '{}',
      })),
      finishReason: 'tool-calls',
      usage,
    };
  });
  await adapter.evaluate(promptWith('task', [increment, fails]), {
    clock,
    observers: [
      otelObserver({ tracer, meter: provider.getMeter('test'), clock, ...(semconv && { semconv }) }),
    ],
  });
  await provider.forceFlush();
  const metrics = exporter
    .getMetrics()
    .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  await provider.shutdown();
  return Object.fromEntries(
    metrics.map(({ descriptor, dataPoints }) => [
      `${descriptor.name} ${descriptor.unit}`,
      dataPoints.map(({ attributes, value }) => [
        attributes,
        typeof value === 'object' && 'count' in value ? { count: value.count, sum: value.sum } : value,
      ]),
    ]),
  );
}

const model = { 'gen_ai.provider.name': 'test.provider', 'gen_ai.request.model': 'test-model' };
const chat = { 'gen_ai.operation.name': 'chat', ...model };
const agent = { 'gen_ai.operation.name': 'invoke_agent', ...model, 'gen_ai.agent.name': 'test/task' };
const tool = (name?: string): object => ({
  ...(name === undefined ? {} : { 'gen_ai.tool.name': name }),
  'gen_ai.tool.type': 'function',
});
const executed = (name?: string): object => ({ 'gen_ai.operation.name': 'execute_tool', ...tool(name) });

/** Durations and counts, as the main branch of the conventions names them. */
const common = {
  'gen_ai.client.inference.duration s': [[chat, { count: 2, sum: 3 }]],
  'gen_ai.execute_tool.duration s': [
    [executed('increment'), { count: 2, sum: expect.any(Number) }],
    [
      { ...executed('fails'), 'error.type': 'threw' },
      { count: 1, sum: expect.any(Number) },
    ],
    // The name that a model made up is not part of a metric.
    [executed(), { count: 1, sum: expect.any(Number) }],
  ],
  'gen_ai.invoke_agent.duration s': [[agent, { count: 1, sum: 3.75 }]],
  'gen_ai.invoke_agent.inference_calls {inference_call}': [[agent, { count: 1, sum: 2 }]],
  'gen_ai.invoke_agent.tool_calls {tool_call}': [[agent, { count: 1, sum: 4 }]],
  'wink.tool.reruns {attempt}': [[tool('increment'), 1]],
  'wink.tool.rollbacks {tool_call}': [[{ ...tool('fails'), 'error.type': 'threw' }, 1]],
};

const byType = [
  [
    { ...chat, 'gen_ai.token.type': 'input' },
    { count: 2, sum: 600 },
  ],
  [
    { ...chat, 'gen_ai.token.type': 'output' },
    { count: 2, sum: 40 },
  ],
];

/** What the published conventions name otherwise, or do not have. */
const publishedNames: Readonly<Record<string, string>> = {
  'gen_ai.client.inference.duration s': 'gen_ai.client.operation.duration s',
  'gen_ai.execute_tool.duration s': 'wink.tool.duration s',
  'gen_ai.invoke_agent.duration s': 'wink.run.duration s',
  'gen_ai.invoke_agent.inference_calls {inference_call}': 'wink.run.inference_calls {inference_call}',
  'gen_ai.invoke_agent.tool_calls {tool_call}': 'wink.run.tool_calls {tool_call}',
};

describe('the metrics of a run', () => {
  it('are those of the published conventions by default', async () => {
    expect(await measured()).toEqual({
      ...Object.fromEntries(
        Object.entries(common).map(([name, measurements]) => [publishedNames[name] ?? name, measurements]),
      ),
      'gen_ai.client.token.usage {token}': byType,
    });
    expect(await measured('1.45')).toEqual(await measured());
  });

  it('are those of the main branch of the conventions', async () => {
    const counted = { ...chat, 'gen_ai.token.modality': 'unknown' };
    expect(await measured('main')).toEqual({
      ...common,
      'gen_ai.client.inference.usage.input_tokens {token}': [[counted, 600]],
      'gen_ai.client.inference.usage.output_tokens {token}': [[counted, 40]],
      'gen_ai.client.inference.usage.cache_read.input_tokens {token}': [[counted, 200]],
      'gen_ai.client.inference.usage.reasoning.output_tokens {token}': [[counted, 8]],
      'gen_ai.client.inference.operation.input_tokens {token}': [[chat, { count: 2, sum: 600 }]],
      'gen_ai.client.inference.operation.output_tokens {token}': [[chat, { count: 2, sum: 40 }]],
    });
  });

  it('count tokens by their type where dashboards of the AI SDK are to read them', async () => {
    expect(await measured('ai-sdk-7')).toEqual({
      ...common,
      'gen_ai.client.token.usage {token}': byType,
    });
  });
});
