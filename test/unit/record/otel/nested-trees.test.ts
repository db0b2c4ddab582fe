import { context } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { openToolRuntime, ToolResult } from 'weakincentives';
import { act } from '../../../support/act.ts';
import { add, calling, delegate, modelFor, promptWith } from '../../../support/nested-setup.ts';
import { callsOf } from '../../../support/runtime-calls.ts';
import { outlineOf, tracedRuns, treesOf, withContexts } from '../../../support/span-trees.ts';

const work = act('work', () => undefined);

describe.each([
  ['with a context manager', withContexts],
  ['without a context manager', <T>(run: () => Promise<T>): Promise<T> => run()],
])('evaluations inside calls, %s', (_how, inPlace) => {
  it('are below their calls, at every depth', async () => {
    const traced = tracedRuns();
    const innermost = promptWith('innermost', [work]);
    const inner = promptWith('inner', [
      delegate(
        'state',
        async ({ adapter }) => {
          await adapter.evaluate(innermost);
          return ToolResult.ok(null, 'done');
        },
        { name: 'deeper' },
      ),
    ]);
    const outer = promptWith('outer', [
      delegate('state', async ({ adapter }) => {
        await Promise.all([adapter.evaluate(inner), adapter.evaluate(innermost)]);
        return ToolResult.ok(null, 'done');
      }),
    ]);
    await inPlace(() =>
      modelFor({
        outer: [calling('delegate')],
        inner: [calling('deeper')],
        innermost: [calling('work')],
      }).evaluate(outer, { observers: [traced.observer] }),
    );
    const trees = treesOf(traced.spans());
    expect(outlineOf(trees).filter((line) => !line.includes('chat'))).toEqual([
      'invoke_agent test/outer',
      '  step 1',
      '    execute_tool delegate',
      '      invoke_agent test/inner',
      '        step 1',
      '          execute_tool deeper',
      '            invoke_agent test/innermost',
      '              step 1',
      '                execute_tool work',
      '              step 2',
      '        step 2',
      '      invoke_agent test/innermost',
      '        step 1',
      '          execute_tool work',
      '        step 2',
      '  step 2',
    ]);
    expect(traced.spans()).toHaveLength(traced.begun());
  });
});

describe('a tool runtime', () => {
  it('is an agent with its calls directly below it, which handlers are children of', async () => {
    const traced = tracedRuns();
    const handler = act('handler', () => traced.tracer.startSpan('GET', {}, context.active()).end());
    await withContexts(async () => {
      await using runtime = await openToolRuntime(promptWith('turns', [add, handler]), {
        observers: [traced.observer],
      });
      await runtime.runCalls(callsOf('add', 'handler'));
    });
    const trees = treesOf(traced.spans());
    expect(outlineOf(trees)).toEqual([
      'invoke_agent test/turns',
      '  execute_tool add',
      '  execute_tool handler',
      '    GET',
    ]);
    expect(trees[0]?.attributes).toMatchObject({ 'wink.run.calls': 2, 'wink.run.committed': 2 });
    expect(trees[0]).not.toHaveProperty('status');
  });

  it('has evaluations of its handlers below their calls', async () => {
    const traced = tracedRuns();
    const inner = promptWith('inner', [work]);
    const handler = delegate('state', async ({ adapter }) => {
      await adapter.evaluate(inner);
      return ToolResult.ok(null, 'done');
    });
    await withContexts(async () => {
      await using runtime = await openToolRuntime(promptWith('turns', [handler]), {
        adapter: modelFor({ inner: [calling('work')] }),
        observers: [traced.observer],
      });
      await runtime.runCalls(callsOf('delegate'));
    });
    expect(outlineOf(treesOf(traced.spans())).filter((line) => !line.includes('chat'))).toEqual([
      'invoke_agent test/turns',
      '  execute_tool delegate',
      '    invoke_agent test/inner',
      '      step 1',
      '        execute_tool work',
      '      step 2',
    ]);
  });
});
