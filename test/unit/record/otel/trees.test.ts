import { context, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  type Clock,
  PolicyDecision,
  promptTemplate,
  Session,
  section,
  type ToolPolicy,
  ToolResult,
} from 'weakincentives';
import { ModelResponseError, ThrottleError } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { act } from '../../../support/act.ts';
import { gate } from '../../../support/gate.ts';
import { Added, Count, calling, delegate, modelFor, promptWith } from '../../../support/nested-setup.ts';
import { runCalls } from '../../../support/run-calls.ts';
import { outlineOf, spansNamed, tracedRuns, treesOf, withContexts } from '../../../support/span-trees.ts';
import { answer, call, telemetryModel } from '../../../support/telemetry-model.ts';

const work = act('work', () => undefined);

const callAttributes = ['wink.call.outcome', 'wink.call.reason', 'wink.call.attempts', 'error.type'];

function policy(name: string, members: Omit<ToolPolicy, 'name'>): ToolPolicy {
  return { name, ...members };
}

describe('a run', () => {
  it('is an agent with steps, model calls and tool calls, and says all that is known of them', async () => {
    const traced = tracedRuns();
    const adapter = telemetryModel((turn) =>
      turn === 1
        ? { ...call('work'), usage: { inputTokens: 100, outputTokens: 10 } }
        : {
            ...answer('All done.'),
            responseId: 'response-2',
            responseModel: 'test-model-2026',
            usage: {
              inputTokens: 200,
              outputTokens: 20,
              cachedInputTokens: 150,
              cacheWriteInputTokens: 30,
              reasoningTokens: 5,
            },
          },
    );
    await using session = new Session();
    await withContexts(() =>
      adapter.evaluate(promptWith('task', [work]), {
        session,
        agentName: 'worker',
        settings: { topP: 0.9, seed: 7, stopSequences: ['END'], reasoningEffort: 'high', temperature: 0.1 },
        observers: [traced.observer],
      }),
    );
    const request = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'test.provider',
      'gen_ai.request.model': 'test-model',
      'gen_ai.request.max_tokens': 1000,
      'gen_ai.request.temperature': 0.1,
      'gen_ai.request.top_p': 0.9,
      'gen_ai.request.stop_sequences': ['END'],
      'gen_ai.request.seed': 7,
      'wink.request.reasoning.level': 'high',
    };
    expect(treesOf(traced.spans())).toEqual([
      {
        name: 'invoke_agent worker',
        kind: 'INTERNAL',
        attributes: {
          'gen_ai.operation.name': 'invoke_agent',
          'gen_ai.agent.name': 'worker',
          'gen_ai.agent.version': '<variable>',
          'gen_ai.prompt.name': 'test/task',
          'wink.prompt.version': '<variable>',
          'gen_ai.provider.name': 'test.provider',
          'gen_ai.request.model': 'test-model',
          'gen_ai.conversation.id': '<variable>',
          'gen_ai.output.type': 'text',
          'gen_ai.response.finish_reasons': ['stop'],
          'wink.run.id': '<variable>',
          'wink.run.turns': 2,
          'wink.run.calls': 1,
          'wink.run.committed': 1,
          'wink.run.reruns': 0,
        },
        children: [
          {
            name: 'step 1',
            kind: 'INTERNAL',
            attributes: { 'gen_ai.agent.name': 'worker', 'wink.turn': 1 },
            children: [
              {
                name: 'chat test-model',
                kind: 'CLIENT',
                attributes: {
                  ...request,
                  'gen_ai.response.finish_reasons': ['tool_call'],
                  'gen_ai.usage.input_tokens': 100,
                  'gen_ai.usage.output_tokens': 10,
                },
              },
              {
                name: 'execute_tool work',
                kind: 'INTERNAL',
                attributes: {
                  'gen_ai.operation.name': 'execute_tool',
                  'gen_ai.tool.name': 'work',
                  'gen_ai.tool.type': 'function',
                  'gen_ai.tool.call.id': 'call-1',
                  'wink.call.outcome': 'committed',
                  'wink.call.attempts': 1,
                  'wink.call.effects': 'state',
                },
              },
            ],
          },
          {
            name: 'step 2',
            kind: 'INTERNAL',
            attributes: { 'gen_ai.agent.name': 'worker', 'wink.turn': 2 },
            children: [
              {
                name: 'chat test-model',
                kind: 'CLIENT',
                attributes: {
                  ...request,
                  'gen_ai.response.id': 'response-2',
                  'gen_ai.response.model': 'test-model-2026',
                  'gen_ai.response.finish_reasons': ['stop'],
                  'gen_ai.usage.input_tokens': 200,
                  'gen_ai.usage.output_tokens': 20,
                  'gen_ai.usage.cache_read.input_tokens': 150,
                  'gen_ai.usage.cache_creation.input_tokens': 30,
                  'gen_ai.usage.reasoning.output_tokens': 5,
                },
              },
            ],
          },
        ],
      },
    ]);
    const root = traced.spans()[0]?.attributes;
    expect(root?.['gen_ai.conversation.id']).toBe(session.id);
    expect(root?.['gen_ai.agent.version']).toBe(root?.['wink.prompt.version']);
  });

  it('without a session of the caller is no conversation, and is named after its prompt', async () => {
    const traced = tracedRuns();
    await telemetryModel(() => answer('Done.')).evaluate(promptWith('task', []), {
      observers: [traced.observer],
    });
    expect(traced.spans()[0]?.name).toBe('invoke_agent test/task');
    expect(traced.spans()[0]?.attributes).not.toHaveProperty(['gen_ai.conversation.id']);
  });

  it('that streams tells when the first piece came', async () => {
    const traced = tracedRuns();
    const adapter = scriptedAdapter([{ text: 'One word.' }]);
    for await (const _event of adapter.stream(promptWith('task', []), { observers: [traced.observer] })) {
      // Every event is read.
    }
    const [chat] = spansNamed(treesOf(traced.spans()), 'chat scripted model');
    expect(chat?.attributes['gen_ai.request.stream']).toBe(true);
    expect(chat?.attributes['gen_ai.response.time_to_first_chunk']).toBeTypeOf('number');
  });

  it('that cannot be rendered ends with its error, and has nothing below it', async () => {
    const traced = tracedRuns();
    const broken = promptTemplate({
      ns: 'test',
      key: 'broken',
      sections: [
        section({
          title: 'Task',
          key: 'task',
          template: 'Work.',
          enabled: () => {
            throw new Error('The secret is 42.');
          },
        }),
      ],
    });
    const run = withContexts(() =>
      scriptedAdapter([]).evaluate(broken.bind(), { observers: [traced.observer] }),
    );
    await expect(run).rejects.toMatchObject({ phase: 'render' });
    const [tree, ...others] = treesOf(traced.spans());
    expect(others).toEqual([]);
    expect(tree).toMatchObject({
      name: 'invoke_agent broken',
      status: 'ERROR',
      attributes: { 'error.type': 'evaluation-render-failed', 'wink.run.turns': 0 },
    });
    expect(tree).not.toHaveProperty('children');
    expect(JSON.stringify(tree)).not.toContain('secret');
  });

  it('whose model fails is an error with the code of the failure, and so is the model call', async () => {
    const traced = tracedRuns();
    const adapter = telemetryModel(() => {
      throw new Error('The secret is 42.');
    });
    await expect(
      withContexts(() => adapter.evaluate(promptWith('task', []), { observers: [traced.observer] })),
    ).rejects.toMatchObject({ code: 'evaluation-request-failed' });
    const trees = treesOf(traced.spans());
    expect(outlineOf(trees, ['error.type'])).toEqual([
      'invoke_agent test/task evaluation-request-failed ERROR',
      '  step 1',
      '    chat test-model Error ERROR',
    ]);
    expect(JSON.stringify(trees)).not.toContain('secret');
  });

  it('that is aborted in a handler ends every span', async () => {
    const traced = tracedRuns();
    const reached = gate();
    const controller = new AbortController();
    const waits = act('waits', () => reached.pass());
    const run = withContexts(() =>
      runCalls({
        tools: [waits],
        calls: [{ name: 'waits' }],
        signal: controller.signal,
        observers: [traced.observer],
      }),
    );
    await reached.reached;
    controller.abort();
    await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
    reached.open();
    expect(outlineOf(treesOf(traced.spans()), callAttributes)).toEqual([
      'invoke_agent test/calls evaluation-aborted ERROR',
      '  step 1',
      '    chat scripted model',
      '    execute_tool waits aborted aborted 1 aborted ERROR',
    ]);
    expect(traced.spans()).toHaveLength(traced.begun());
  });

  it('that is aborted while the model answers ends every span', async () => {
    const traced = tracedRuns();
    const reached = gate();
    const controller = new AbortController();
    const adapter = telemetryModel(async () => {
      await reached.pass();
      return answer('Too late.');
    });
    const run = adapter.evaluate(promptWith('task', []), {
      signal: controller.signal,
      observers: [traced.observer],
    });
    await reached.reached;
    controller.abort();
    await expect(run).rejects.toMatchObject({ code: 'evaluation-aborted' });
    reached.open();
    expect(outlineOf(treesOf(traced.spans()), ['error.type'])).toEqual([
      'invoke_agent test/task evaluation-aborted ERROR',
      '  step 1',
      '    chat test-model evaluation-aborted ERROR',
    ]);
  });

  it('below a span of the caller continues its trace', async () => {
    const traced = tracedRuns();
    await withContexts(async () => {
      const span = traced.tracer.startSpan('request');
      // The tracer of the test is one of the SDK.
      const active = trace.setSpan(context.active(), span as never);
      await context.with(active, () =>
        telemetryModel(() => answer('Done.')).evaluate(promptWith('task', []), {
          observers: [traced.observer],
        }),
      );
      span.end();
    });
    expect(outlineOf(treesOf(traced.spans()))).toEqual([
      'request',
      '  invoke_agent test/task',
      '    step 1',
      '      chat test-model',
    ]);
  });

  it('beside others of the same observer keeps to its own trace, also without a context manager', async () => {
    const traced = tracedRuns();
    const run = (): Promise<unknown> =>
      runCalls({ tools: [work], calls: [{ name: 'work' }], observers: [traced.observer] });
    await Promise.all([run(), run(), run()]);
    const outlines = treesOf(traced.spans()).map((tree) => outlineOf([tree]).join('\n'));
    expect(outlines).toHaveLength(3);
    expect(new Set(outlines)).toEqual(
      new Set([
        [
          'invoke_agent test/calls',
          '  step 1',
          '    chat scripted model',
          '    execute_tool work',
          '  step 2',
          '    chat scripted model',
        ].join('\n'),
      ]),
    );
  });
});

describe('a model call', () => {
  it('is the parent of what the provider traces', async () => {
    const traced = tracedRuns();
    const adapter = telemetryModel(async () => {
      await Promise.resolve();
      traced.tracer.startSpan('POST', {}, context.active()).end();
      return answer('Done.');
    });
    await withContexts(() => adapter.evaluate(promptWith('task', []), { observers: [traced.observer] }));
    expect(outlineOf(treesOf(traced.spans()))).toEqual([
      'invoke_agent test/task',
      '  step 1',
      '    chat test-model',
      '      POST',
    ]);
  });

  it('that is sent again is one span with an event for each wait', async () => {
    const traced = tracedRuns();
    let nowMs = 0;
    const clock: Clock = {
      now: () => nowMs,
      schedule: (delayMs, callback) => {
        nowMs += delayMs;
        queueMicrotask(callback);
        return () => undefined;
      },
    };
    let asked = 0;
    const adapter = telemetryModel(() => {
      asked += 1;
      if (asked > 2) return answer('Done.');
      throw new ThrottleError('Not now.', { kind: 'rate-limit', retryAfterMs: 1500 });
    });
    await adapter.evaluate(promptWith('task', []), { clock, observers: [traced.observer] });
    const [chat] = spansNamed(treesOf(traced.spans()), 'chat test-model');
    expect(chat?.events).toEqual([
      ['wink.model.retry', { attempt: 2, delay_ms: 1500, reason: 'rate-limit' }],
      ['wink.model.retry', { attempt: 3, delay_ms: 1500, reason: 'rate-limit' }],
    ]);
    expect(chat).not.toHaveProperty('status');
  });

  it('after results were dropped has a compacted conversation', async () => {
    const traced = tracedRuns();
    const long = act('long', () => ToolResult.ok(null, 'x'.repeat(5000)));
    const adapter = telemetryModel((turn) => {
      if (turn <= 2) return call('long', `call-${turn}`);
      if (turn === 3) throw new ModelResponseError('model-context-exceeded', 'Too long.');
      return answer('Done.');
    });
    await adapter.evaluate(promptWith('task', [long]), {
      context: { overflow: 'drop-tool-results' },
      observers: [traced.observer],
    });
    const trees = treesOf(traced.spans());
    const chats = spansNamed(trees, 'chat test-model');
    expect(chats.map(({ attributes }) => attributes['wink.conversation.compacted'])).toEqual([
      undefined,
      undefined,
      undefined,
      true,
    ]);
    expect(chats[2]?.attributes['error.type']).toBe('model-context-exceeded');
    const events = trees[0]?.children?.[2]?.events;
    expect(events).toEqual([['wink.results.dropped', { calls: 1, characters: expect.any(Number) }]]);
  });

  it('after the provider shortened the conversation has a compacted conversation', async () => {
    const traced = tracedRuns();
    const short = act('short', () => ToolResult.ok(null, 'ok'));
    const adapter = telemetryModel((turn) => {
      if (turn === 3) return answer('Done.');
      return { ...call('short', `call-${turn}`), isCompacted: turn === 1 };
    });
    await adapter.evaluate(promptWith('task', [short]), { observers: [traced.observer] });
    const trees = treesOf(traced.spans());
    const chats = spansNamed(trees, 'chat test-model');
    expect(chats.map(({ attributes }) => attributes['wink.conversation.compacted'])).toEqual([
      undefined,
      true,
      undefined,
    ]);
    const steps = trees[0]?.children ?? [];
    expect(steps.map(({ events = [] }) => events)).toEqual([
      [['wink.context.compacted', { by: 'provider' }]],
      [],
      [],
    ]);
  });
});

describe('a stream that is left', () => {
  it('has ended every span by then', async () => {
    const traced = tracedRuns();
    const slow = act('slow', () => new Promise(() => undefined));
    const adapter = scriptedAdapter([{ toolCalls: [{ name: 'slow' }] }]);
    for await (const event of adapter.stream(promptWith('task', [slow]), { observers: [traced.observer] })) {
      if (event.type === 'tool-call-start') break;
    }
    expect(outlineOf(treesOf(traced.spans()), ['error.type'])).toEqual([
      'invoke_agent test/task evaluation-aborted ERROR',
      '  step 1',
      '    chat scripted model',
      '    execute_tool slow aborted ERROR',
    ]);
    expect(traced.spans()).toHaveLength(traced.begun());
  });
});

describe('a tool call', () => {
  it('whose handler throws is an error with our reason', async () => {
    const traced = tracedRuns();
    const fails = act('fails', () => {
      throw new Error('The secret is 42.');
    });
    await runCalls({ tools: [fails], calls: [{ name: 'fails' }], observers: [traced.observer] });
    const trees = treesOf(traced.spans());
    expect(outlineOf(trees, callAttributes).slice(0, 4)).toEqual([
      'invoke_agent test/calls',
      '  step 1',
      '    chat scripted model',
      '    execute_tool fails rolled-back threw 1 threw ERROR',
    ]);
    expect(JSON.stringify(trees)).not.toContain('secret');
  });

  it('that is denied or rejected is none, and says who denied it', async () => {
    const traced = tracedRuns();
    const no = policy('no-work', { check: () => PolicyDecision.deny('The secret is 42.') });
    const other = act('other', () => undefined);
    await runCalls({
      tools: [work, other],
      policies: [no],
      calls: [{ name: 'work' }, { name: 'x'.repeat(500) }, { name: 'other', arguments: { no: 1 } }],
      observers: [traced.observer],
    });
    const trees = treesOf(traced.spans());
    const [denied] = spansNamed(trees, 'execute_tool work');
    expect(denied).not.toHaveProperty('status');
    expect(denied?.attributes).toMatchObject({
      'wink.call.outcome': 'denied',
      'wink.call.reason': 'denied',
      'wink.call.policy': 'no-work',
    });
    // The name is the model's: it is not part of the name of the span, and is cut.
    const [unknown] = spansNamed(trees, 'execute_tool');
    expect(unknown?.attributes['gen_ai.tool.name']).toBe(`${'x'.repeat(255)}…`);
    expect(unknown?.attributes['wink.call.reason']).toBe('unknown-tool');
    const [invalid] = spansNamed(trees, 'execute_tool other');
    expect(invalid?.attributes['wink.call.reason']).toBe('invalid-arguments');
    for (const span of [denied, unknown, invalid]) {
      expect(span).not.toHaveProperty('status');
      expect(span?.attributes).not.toHaveProperty(['error.type']);
    }
    expect(JSON.stringify(trees)).not.toContain('secret');
  });

  it('that is tried again is one span, active in every attempt', async () => {
    const traced = tracedRuns();
    const active: unknown[] = [];
    const increment = act('increment', ({ session }) => {
      active.push(trace.getActiveSpan()?.spanContext().spanId);
      session.dispatch(Added, { by: 1 + (session.slice(Count).latest()?.total ?? 0) });
    });
    await withContexts(() =>
      runCalls({
        tools: [increment],
        slices: [Count],
        calls: [{ name: 'increment' }, { name: 'increment' }],
        observers: [traced.observer],
      }),
    );
    const trees = treesOf(traced.spans());
    const [first, second] = spansNamed(trees, 'execute_tool increment');
    expect(first).not.toHaveProperty('events');
    expect(second?.events).toEqual([['wink.rerun', { attempt: 2, conflicts: ['slice count'] }]]);
    expect(second?.attributes).toMatchObject({
      'wink.call.attempts': 2,
      'wink.call.outcome': 'committed',
      'wink.call.conflicts': ['slice count'],
    });
    expect(trees[0]?.attributes['wink.run.reruns']).toBe(1);
    const ids = traced
      .spans()
      .filter(({ name }) => name === 'execute_tool increment')
      .map((span) => span.spanContext().spanId);
    expect(active).toEqual([ids[0], ids[1], ids[1]]);
  });

  it('has the answer about it as an event, with the time it waited', async () => {
    let nowMs = 1000;
    const clock: Clock = { now: () => nowMs, schedule: () => () => undefined };
    const traced = tracedRuns({ clock });
    const asks = policy('careful', { check: () => PolicyDecision.ask('The secret is 42.') });
    await runCalls({
      tools: [work],
      policies: [asks],
      calls: [{ name: 'work' }],
      approve: () => {
        nowMs += 2500;
        return true;
      },
      observers: [traced.observer],
    });
    const trees = treesOf(traced.spans());
    expect(spansNamed(trees, 'execute_tool work')[0]?.events).toEqual([
      ['wink.approval', { policy: 'careful', about: 'call', approved: true, waited_ms: 2500 }],
    ]);
    expect(JSON.stringify(trees)).not.toContain('secret');
  });

  it('has what unenforced policies would have done as events', async () => {
    const traced = tracedRuns();
    const no = policy('no-work', { check: () => PolicyDecision.deny('Not today.') });
    await runCalls({
      tools: [work],
      policies: [no],
      calls: [{ name: 'work' }],
      enforce: false,
      observers: [traced.observer],
    });
    expect(spansNamed(treesOf(traced.spans()), 'execute_tool work')[0]?.events).toEqual([
      ['wink.policy.unenforced', { policy: 'no-work', outcome: 'deny', attempt: 1 }],
    ]);
  });

  it('names the files that it changed, 32 at most', async () => {
    const traced = tracedRuns();
    const writes: AnyTool = delegate('state', async ({ filesystem }) => {
      for (let number = 0; number < 40; number += 1) await filesystem.write(`f${10 + number}.md`, 'text');
      return ToolResult.ok(null, 'Written.');
    });
    await runCalls({ tools: [writes], calls: [{ name: 'delegate' }], observers: [traced.observer] });
    const [span] = spansNamed(treesOf(traced.spans()), 'execute_tool delegate');
    expect(span?.attributes['wink.files.changed']).toEqual(
      Array.from({ length: 32 }, (_, number) => `f${10 + number}.md`),
    );
  });

  it('is the parent of spans of its handler, and of what runs in them', async () => {
    const traced = tracedRuns();
    const inner = promptWith('inner', []);
    const handler = delegate('state', async ({ adapter }) => {
      const span = traced.tracer.startSpan('GET', {}, context.active());
      // The tracer of the test is one of the SDK.
      await context.with(trace.setSpan(context.active(), span as never), () => adapter.evaluate(inner));
      span.end();
      return ToolResult.ok(null, 'done');
    });
    await withContexts(() =>
      modelFor({ outer: [calling('delegate')] }).evaluate(promptWith('outer', [handler]), {
        observers: [traced.observer],
      }),
    );
    expect(outlineOf(treesOf(traced.spans()))).toEqual([
      'invoke_agent test/outer',
      '  step 1',
      '    chat scripted model',
      '    execute_tool delegate',
      '      GET',
      '        invoke_agent test/inner',
      '          step 1',
      '            chat scripted model',
      '  step 2',
      '    chat scripted model',
    ]);
  });
});
