// Spans and metrics of a run, as an exact tree.
import assert from 'node:assert/strict';
import { context, SpanStatusCode } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  promptTemplate,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { otelObserver } from 'weakincentives/otel';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

// What NodeSDK does, with spans that stay in memory.
const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
const tracer = provider.getTracer('example');

// Adds a line to a file. Two such calls in one turn read the same file: the second one runs again.
const append = tool({
  name: 'append',
  description: 'Append a line to a file.',
  inputSchema: z.object({ path: z.string(), line: z.string() }),
  effects: 'state',
  execute: async ({ path, line }, { filesystem }) => {
    const before = await filesystem.read(path);
    // What a handler traces is below its call.
    const span = tracer.startSpan('format', {}, context.active());
    const text = `${before.text}${line}\n`;
    span.end();
    if (text.length > 60) throw new Error('The file would be too long.');
    await filesystem.write(path, text);
    return ToolResult.ok(null, `Appended to ${path}.`);
  },
});
const onlyNotes: ToolPolicy = {
  name: 'only-notes',
  check: ({ params }) =>
    z.object({ path: z.literal('notes.md') }).safeParse(params).success
      ? PolicyDecision.allow()
      : PolicyDecision.deny('Only notes.md may be changed.'),
};
const template = promptTemplate({
  ns: 'examples/telemetry',
  key: 'notes',
  sections: [
    section({
      title: 'Notes',
      key: 'notes',
      template: 'Take notes.',
      tools: [append],
      policies: [onlyNotes],
    }),
  ],
});
const line = (text: string, path = 'notes.md') => ({ name: 'append', arguments: { path, line: text } });
const adapter = scriptedAdapter([
  { toolCalls: [line('one'), line('two')], usage: { inputTokens: 400, outputTokens: 40 } },
  { toolCalls: [line('x', 'main.ts'), line('x'.repeat(60))], usage: { inputTokens: 500, outputTokens: 60 } },
  { text: 'Noted.', usage: { inputTokens: 600, outputTokens: 5 } },
]);

const files = new MemoryFilesystem({ files: { 'notes.md': '' } });
await adapter.evaluate(template.bind({}, { resources: [binding(Filesystem, { instance: files })] }), {
  agentName: 'notes',
  observers: [otelObserver({ tracer })],
});
context.disable();

/** One line for each span, below its parent. */
function outline(spans: readonly ReadableSpan[], parentId?: string, depth = 0): string[] {
  return spans
    .filter((span) => span.parentSpanContext?.spanId === parentId)
    .flatMap((span) => {
      const { attributes, events, status } = span;
      const notes = [
        attributes['wink.call.outcome'],
        attributes['wink.call.policy'],
        attributes['error.type'],
        attributes['gen_ai.usage.input_tokens'] &&
          `${String(attributes['gen_ai.usage.input_tokens'])} tokens in`,
        ...events.map(({ name }) => name),
        status.code === SpanStatusCode.ERROR ? 'ERROR' : undefined,
      ].filter((note) => note !== undefined);
      const text = `${'  '.repeat(depth)}${span.name}`;
      return [
        `${text.padEnd(34)}${notes.join(', ')}`.trimEnd(),
        ...outline(spans, span.spanContext().spanId, depth + 1),
      ];
    });
}

const spans = exporter.getFinishedSpans().toSorted((left, right) => {
  const [leftSeconds, leftNanos] = left.startTime;
  const [rightSeconds, rightNanos] = right.startTime;
  return leftSeconds - rightSeconds || leftNanos - rightNanos;
});
const lines = outline(spans);
console.log(lines.join('\n'));

// In the order in which they ended.
const calls = exporter.getFinishedSpans().filter(({ name }) => name === 'execute_tool append');
assert.deepEqual(
  calls.map(({ attributes, status }) => [
    attributes['wink.call.outcome'],
    attributes['wink.call.attempts'],
    status.code,
  ]),
  [
    ['committed', 1, 0],
    ['committed', 2, 0],
    // A denial is not an error, a handler that throws is one.
    ['denied', 1, 0],
    ['rolled-back', 1, 2],
  ],
);
assert.equal(lines[0], 'invoke_agent notes');
