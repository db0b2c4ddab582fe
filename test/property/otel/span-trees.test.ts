import { SpanStatusCode } from '@opentelemetry/api';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type AnyTool,
  openToolRuntime,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  section,
  ToolResult,
  type ToolRuntimeOptions,
} from 'weakincentives';
import { type ScriptedToolCall, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { act } from '../../support/act.ts';
import { draws } from '../../support/draws.ts';
import { Added, Count, delegate, promptWith } from '../../support/nested-setup.ts';
import { callsOf } from '../../support/runtime-calls.ts';
import { tracedRuns, withContexts } from '../../support/span-trees.ts';

type CallName = 'ok' | 'fails' | 'denied' | 'increment' | 'made-up' | 'nested' | 'unawaited';

interface Plan {
  /** Calls of each turn. */
  readonly turns: readonly (readonly CallName[])[];
  /** The turn in which the model fails. */
  readonly failsAt: number | undefined;
  /** After how many events the run is aborted. */
  readonly abortAfter: number | undefined;
  /** Whether the calls are those of a tool runtime, without a model. */
  readonly isRuntime: boolean;
}

const names = fc.constantFrom<CallName>(
  'ok',
  'fails',
  'denied',
  'increment',
  'made-up',
  'nested',
  'unawaited',
);
const plans: fc.Arbitrary<Plan> = fc.record({
  turns: fc.array(fc.array(names, { minLength: 1, maxLength: 4 }), { maxLength: 4 }),
  failsAt: fc.option(fc.integer({ min: 1, max: 4 }), { nil: undefined }),
  abortAfter: fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined, freq: 2 }),
  isRuntime: fc.boolean(),
});

const increment = act('increment', async ({ session }) => {
  const total = session.slice(Count).latest()?.total ?? 0;
  await Promise.resolve();
  session.dispatch(Added, { by: total + 1 });
});
const simple: readonly AnyTool[] = [
  act('ok', () => undefined),
  act('denied', () => undefined),
  act('fails', () => {
    throw new Error('It fails.');
  }),
  increment,
];
const inner = promptWith('inner', [increment]);
const evaluating: readonly AnyTool[] = [
  delegate(
    'state',
    async ({ adapter }) => {
      await Promise.all([adapter.evaluate(inner), adapter.evaluate(inner)]);
      return ToolResult.ok(null, 'Evaluated.');
    },
    { name: 'nested' },
  ),
  delegate(
    'state',
    async ({ adapter }) => {
      // It continues when the call has ended, which aborts it.
      void adapter.evaluate(inner).catch(() => undefined);
      await Promise.resolve();
      return ToolResult.ok(null, 'Begun.');
    },
    { name: 'unawaited' },
  ),
];
const outer: Prompt<undefined> = promptTemplate({
  ns: 'test',
  key: 'outer',
  policies: [
    {
      name: 'no-denied',
      check: ({ tool }) => (tool.name === 'denied' ? PolicyDecision.deny('No.') : PolicyDecision.allow()),
    },
  ],
  sections: [
    section({
      title: 'Outer',
      key: 'outer',
      template: 'This is outer.',
      tools: [...simple, ...evaluating],
      slices: [Count],
    }),
  ],
}).bind();

/** The model of a plan; inside calls it makes one call and is done. */
function adapterFor(plan: Plan): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((_conversation, { instructions, turn }): ScriptedTurn => {
    const usage = { inputTokens: 10, outputTokens: 1 };
    if (instructions.includes('This is inner.')) {
      return turn === 1 ? { toolCalls: [{ name: 'increment' }], usage } : { text: 'Inner is done.', usage };
    }
    if (turn === plan.failsAt) throw new Error('The model fails.');
    const calls = plan.turns[turn - 1];
    if (calls === undefined) return { text: 'Done.', usage };
    return { toolCalls: calls.map((name): ScriptedToolCall => ({ name })), usage };
  });
}

/** The calls of a plan, in a tool runtime. */
async function runInRuntime(
  plan: Plan,
  options: Pick<ToolRuntimeOptions, 'signal' | 'observers'>,
): Promise<void> {
  await using runtime = await openToolRuntime(outer, { ...options, adapter: adapterFor(plan) });
  for (const calls of plan.turns) await runtime.runCalls(callsOf(...calls));
}

it('every span ends, has its own id, and has its parent in its trace, whatever happens in runs at the same time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(plans, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (all, hasContexts) => {
        const traced = tracedRuns({ content: 'full' });
        let reruns = 0;
        const run = async (plan: Plan): Promise<void> => {
          const controller = new AbortController();
          let events = 0;
          const count = (): void => {
            events += 1;
            if (events === plan.abortAfter) controller.abort();
          };
          const options = {
            signal: controller.signal,
            observers: [{ onEvent: count }, traced.observer],
          };
          const done = plan.isRuntime
            ? runInRuntime(plan, options)
            : adapterFor(plan).evaluate(outer, options);
          await done.catch(() => undefined);
        };
        const runAll = (): Promise<unknown> => Promise.all(all.map(run));
        await (hasContexts ? withContexts(runAll) : runAll());
        const spans = traced.spans();
        expect(spans).toHaveLength(traced.begun());
        const ids = new Map(spans.map((span) => [span.spanContext().spanId, span]));
        expect(ids.size).toBe(spans.length);
        const roots = spans.filter(({ parentSpanContext }) => parentSpanContext === undefined);
        expect(roots.map(({ name }) => name)).toEqual(all.map(() => 'invoke_agent test/outer'));
        expect(new Set(roots.map((span) => span.spanContext().traceId)).size).toBe(all.length);
        for (const span of spans) {
          const { attributes, name, parentSpanContext: parent } = span;
          const operation = operationOf(attributes);
          if (parent !== undefined) {
            const above = ids.get(parent.spanId);
            expect(above?.spanContext().traceId).toBe(span.spanContext().traceId);
            expect(`${operationOf(above?.attributes)} > ${operation}`).toMatch(
              /^(invoke_agent > (step|execute_tool)|step > (chat|execute_tool)|execute_tool > invoke_agent)$/,
            );
          }
          // What is counted twice in a trace is paid twice in a report.
          const hasUsage = Object.keys(attributes).some((key) => key.startsWith('gen_ai.usage.'));
          expect(hasUsage && operation !== 'chat').toBe(false);
          const { 'wink.call.outcome': outcome, 'error.type': errorType } = attributes;
          if (operation === 'execute_tool') {
            expect(span.status.code === SpanStatusCode.ERROR, name).toBe(
              outcome === 'rolled-back' || outcome === 'aborted',
            );
            reruns += Math.max(0, Number(attributes['wink.call.attempts'] ?? 0) - 1);
          }
          expect(span.status.code === SpanStatusCode.ERROR, name).toBe(errorType !== undefined);
        }
        expect(
          spans.reduce((sum, { attributes }) => sum + Number(attributes['wink.run.reruns'] ?? 0), 0),
        ).toBe(reruns);
      },
    ),
    { numRuns: draws(60) },
  );
});

/** What a span is of; a step has a number of its own. */
function operationOf(attributes: Readonly<Record<string, unknown>> | undefined): string {
  return 'wink.turn' in Object(attributes) ? 'step' : String(attributes?.['gen_ai.operation.name']);
}
