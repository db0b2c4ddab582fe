import { context } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { openToolRuntime, ToolResult } from 'weakincentives';
import type { TraceContext } from '../../../../src/core/runtime/events/trace-context.ts';
import { delegate, promptWith } from '../../../support/nested-setup.ts';
import { tracedRuns, withContexts } from '../../../support/span-trees.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';
const traceparent = `00-${traceId}-${spanId}-01`;

/** The spans of a runtime in which a handler makes a span of its own, and one call names its caller. */
async function spansOfCall(caller: TraceContext) {
  const traced = tracedRuns();
  await withContexts(async () => {
    const work = delegate('state', async () => {
      traced.tracer.startSpan('inside', {}, context.active()).end();
      return ToolResult.ok(null);
    });
    await using runtime = await openToolRuntime(promptWith('task', [work]), { observers: [traced.observer] });
    await runtime.call({ callId: 'named', name: 'delegate', arguments: {} }, { trace: caller });
    await runtime.call({ callId: 'plain', name: 'delegate', arguments: {} });
  });
  const spans = traced.spans();
  const callOf = (id: string) => spans.find(({ attributes }) => attributes['gen_ai.tool.call.id'] === id);
  const run = spans.find(({ name }) => name.startsWith('invoke_agent'));
  return {
    run,
    named: callOf('named'),
    plain: callOf('plain'),
    inside: spans.filter(({ name }) => name === 'inside'),
  };
}

test('a call whose caller names its span is part of the trace of the caller, and refers to its run', async () => {
  const { run, named, plain, inside } = await spansOfCall({ traceparent });
  expect(named?.spanContext().traceId).toBe(traceId);
  expect(named?.parentSpanContext).toMatchObject({ traceId, spanId, isRemote: true, traceFlags: 1 });
  expect(named?.links.map((link) => link.context.spanId)).toEqual([run?.spanContext().spanId]);
  expect(inside[0]?.parentSpanContext?.spanId).toBe(named?.spanContext().spanId);
  // The next call names no one.
  expect(plain?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
  expect(plain?.links).toEqual([]);
  expect(inside[1]?.parentSpanContext?.spanId).toBe(plain?.spanContext().spanId);
});

test('what tracing systems add to the trace continues to spans inside', async () => {
  const { named, inside } = await spansOfCall({ traceparent, tracestate: 'vendor=a:1, other=b,WRONG,=x' });
  const state = named?.spanContext().traceState;
  expect(state?.serialize()).toBe('vendor=a:1,other=b');
  expect(state?.get('other')).toBe('b');
  expect(state?.set('other', 'c').serialize()).toBe('other=c,vendor=a:1');
  expect(state?.unset('vendor').serialize()).toBe('other=b');
  expect(inside[0]?.spanContext().traceState?.serialize()).toBe('vendor=a:1,other=b');
});

test('a trace that the caller did not sample is not sampled here', async () => {
  const { run, named, plain } = await spansOfCall({ traceparent: `00-${traceId}-${spanId}-00` });
  expect(named).toBeUndefined();
  expect(run).toBeDefined();
  expect(plain).toBeDefined();
});

test.each([
  ['not a trace parent', 'something else'],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['a span of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['the version that is reserved', `ff-${traceId}-${spanId}-01`],
  ['more than version 00 has', `${traceparent}-more`],
  ['capital letters', traceparent.toUpperCase()],
])('the call stays below its run for %s', async (_what, given) => {
  const { run, named } = await spansOfCall({ traceparent: given });
  expect(named?.parentSpanContext?.spanId).toBe(run?.spanContext().spanId);
  expect(named?.links).toEqual([]);
});

test('a version that is not known yet may have more fields', async () => {
  const { named } = await spansOfCall({ traceparent: `01-${traceId}-${spanId}-01-more` });
  expect(named?.parentSpanContext?.spanId).toBe(spanId);
});

test('a state that is longer than the W3C allows is left out', async () => {
  const { named } = await spansOfCall({ traceparent, tracestate: `vendor=${'x'.repeat(600)}` });
  expect(named?.parentSpanContext?.spanId).toBe(spanId);
  expect(named?.spanContext().traceState).toBeUndefined();
});
