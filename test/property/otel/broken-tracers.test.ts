import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type AnyTool, ToolResult } from 'weakincentives';
import { otelObserver } from 'weakincentives/otel';
import type { OtelSpan, OtelTracer } from '../../../src/record/otel/otel-api.ts';
import { act } from '../../support/act.ts';
import { draws, seenAtLeast } from '../../support/draws.ts';
import { add, calling, delegate, modelFor, promptWith } from '../../support/nested-setup.ts';
import { recordingLogger } from '../../support/recording-logger.ts';
import { withContexts } from '../../support/span-trees.ts';
import { unheardRejections } from '../../support/unheard-rejections.ts';

/** A tracer whose calls throw where the list says so, again and again. */
function brokenTracer(throws: readonly boolean[]): OtelTracer & { readonly thrown: () => number } {
  let calls = 0;
  let thrown = 0;
  const fails = (): void => {
    calls += 1;
    if (throws[calls % throws.length] !== true) return;
    thrown += 1;
    throw new Error('The tracer is broken.');
  };
  const span: OtelSpan = {
    spanContext: () => ({ traceId: '1'.repeat(32), spanId: '1'.repeat(16) }),
    isRecording: () => true,
    setAttributes: fails,
    addEvent: fails,
    setStatus: fails,
    updateName: fails,
    end: fails,
  };
  return {
    startSpan: () => {
      fails();
      return span;
    },
    thrown: () => thrown,
  };
}

const inner = promptWith('inner', [add]);
const tools: readonly AnyTool[] = [
  add,
  act('fails', () => {
    throw new Error('It fails.');
  }),
  delegate('state', async ({ adapter }) => {
    const { text } = await adapter.evaluate(inner);
    return ToolResult.ok(null, text);
  }),
];

/** The result of a run, with this tracer. */
async function run(tracer: OtelTracer | undefined, content: 'none' | 'full'): Promise<unknown> {
  const logger = recordingLogger();
  const response = await modelFor({
    outer: [calling('add', 'fails', 'delegate', 'add'), calling('add')],
    inner: [calling('add')],
  }).evaluate(promptWith('outer', tools), {
    logger,
    observers: tracer === undefined ? [] : [otelObserver({ tracer, content })],
  });
  return { conversation: response.conversation, usage: response.usage, text: response.text };
}

it('a tracer that throws anywhere changes nothing in a run, and no rejection is left', async () => {
  const expected = await run(undefined, 'none');
  let thrown = 0;
  const unheard = await unheardRejections(async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }),
        fc.constantFrom('none', 'full'),
        fc.boolean(),
        async (throws, content, hasContexts) => {
          const tracer = brokenTracer(throws);
          const observed = (): Promise<unknown> => run(tracer, content);
          expect(await (hasContexts ? withContexts(observed) : observed())).toEqual(expected);
          thrown += tracer.thrown();
        },
      ),
      { numRuns: draws(80) },
    );
  });
  expect(unheard).toEqual([]);
  expect(thrown).toBeGreaterThan(seenAtLeast(100));
});
