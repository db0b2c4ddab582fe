import { context } from '@opentelemetry/api';
import { expect, test } from 'vitest';
import { ToolResult } from 'weakincentives';
import { connectionName, connections, connectServer } from '../../../../support/mcp/clients.ts';
import { delegate, promptWith } from '../../../../support/nested-setup.ts';
import { tracedRuns, withContexts } from '../../../../support/span-trees.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const spanId = 'b7ad6b7169203331';

for (const connection of connections) {
  test(`${connectionName(connection)}: the span of a call is a child of the span that its client names`, async () => {
    const traced = tracedRuns();
    await withContexts(async () => {
      const work = delegate('state', async () => {
        traced.tracer.startSpan('inside', {}, context.active()).end();
        return ToolResult.ok(null);
      });
      await using served = await connectServer(promptWith('traced', [work]), connection, {
        observers: [traced.observer],
      });
      const call = { name: 'delegate', arguments: {} };
      const trace = { traceparent: `00-${traceId}-${spanId}-01`, tracestate: 'vendor=a' };
      await served.client.callTool({ ...call, _meta: trace });
      await served.client.callTool(call);
      await served.client.callTool({ ...call, _meta: { traceparent: 'something else', tracestate: 7 } });
    });
    const spans = traced.spans();
    const run = spans.find(({ name }) => name.startsWith('invoke_agent'));
    const calls = spans.filter(({ name }) => name === 'execute_tool delegate');
    const inside = spans.filter(({ name }) => name === 'inside');
    expect(calls.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual([
      spanId,
      run?.spanContext().spanId,
      run?.spanContext().spanId,
    ]);
    expect(calls[0]?.spanContext().traceId).toBe(traceId);
    expect(calls[0]?.spanContext().traceState?.serialize()).toBe('vendor=a');
    expect(calls[0]?.links.map((link) => link.context.spanId)).toEqual([run?.spanContext().spanId]);
    expect(inside[0]?.parentSpanContext?.spanId).toBe(calls[0]?.spanContext().spanId);
  });
}
