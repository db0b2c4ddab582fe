import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  Deadline,
  DeadlineExceededError,
  defineEvent,
  defineSlice,
  openToolRuntime,
  PolicyDecision,
  promptTemplate,
  type RunEvent,
  resourceToken,
  Session,
  type Slice,
  section,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { only, runCalls, startCalls } from '../../../../support/run-calls.ts';

const Touched = defineEvent({ name: 'touched', schema: z.object({ by: z.string() }) });
const Touches: Slice<{ by: string }> = defineSlice({
  name: 'touches',
  schema: z.object({ by: z.string() }),
  reducers: (on) => [on(Touched, (items, payload) => items.replace([payload]))],
});

const template = promptTemplate({
  ns: 'test',
  key: 'ends',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
});

const unheard: unknown[] = [];
const listen = (reason: unknown): void => {
  unheard.push(reason);
};
beforeEach(() => {
  unheard.length = 0;
  process.on('unhandledRejection', listen);
});
afterEach(async () => {
  await nextTurn();
  process.off('unhandledRejection', listen);
  expect(unheard).toEqual([]);
});

describe('the deadline', () => {
  test('that has passed before the first request ends the run without one', async () => {
    const clock = createManualClock();
    const deadline = Deadline.after(10, clock);
    clock.advance(10);
    let asked = 0;
    const error = await evaluationFailure(
      scriptedAdapter(() => ((asked += 1), { text: 'done' })).evaluate(template.bind(), {
        limits: { deadline },
        clock,
        input: 'Hello',
      }),
    );
    expect(error).toMatchObject({ code: 'evaluation-deadline-exceeded', promptName: template.name });
    expect(DeadlineExceededError.isInstance(error.cause)).toBe(true);
    expect(error.conversation).toEqual([{ type: 'user', content: [{ type: 'text', text: 'Hello' }] }]);
    expect(asked).toBe(0);
    expect(clock.pending).toBe(0);
  });

  test('that passes during a request ends the run at once and tells the model', async () => {
    const clock = createManualClock();
    const asked = gate();
    const run = scriptedAdapter(async () => {
      await asked.pass();
      throw new Error('the model gave up late');
    }).evaluate(template.bind(), { limits: { deadline: Deadline.after(10, clock) }, clock });
    await asked.reached;
    clock.advance(10);
    expect(await evaluationFailure(run)).toMatchObject({
      code: 'evaluation-deadline-exceeded',
      phase: 'request',
    });
    asked.open();
    expect(clock.pending).toBe(0);
  });

  test.each(['evaluate', 'stream', 'openToolRuntime'] as const)(
    'names the calls that were running, and for how long: %s',
    async (way) => {
      const clock = createManualClock();
      const inside = gate();
      let begun = 0;
      const slow = tool({
        name: 'slow',
        description: 'Waits.',
        effects: 'read',
        execute: async () => {
          begun += 1;
          if (begun === 1) clock.advance(2);
          else await inside.pass();
          return new Promise<never>(() => undefined);
        },
      });
      const quick = tool({
        name: 'quick',
        description: 'Does not wait.',
        effects: 'read',
        execute: () => ToolResult.ok(null, 'done'),
      });
      const prompt = promptTemplate({
        ns: 'test',
        key: 'slow',
        sections: [section({ title: 'Task', key: 'task', template: 'Do it.', tools: [slow, quick] })],
      }).bind();
      const calls = ['quick', 'slow', 'slow', 'slow'].map((name, index) => ({
        name,
        callId: `c${index}`,
        arguments: '{}',
      }));
      const options = { clock, limits: { deadline: Deadline.after(10, clock), maxConcurrentCalls: 2 } };
      const adapter = scriptedAdapter([{ toolCalls: calls }]);
      const run = async (): Promise<void> => {
        if (way === 'evaluate') await adapter.evaluate(prompt, options);
        else if (way === 'stream') for await (const _event of adapter.stream(prompt, options));
        else {
          await using runtime = await openToolRuntime(prompt, options);
          await runtime.runCalls(calls);
        }
      };
      const failed = evaluationFailure(run());
      await inside.reached;
      clock.advance(8);
      const error = await failed;
      expect(error).toMatchObject({ code: 'evaluation-deadline-exceeded', phase: 'tool' });
      expect(error.message).toBe(
        'The deadline passed before the run was finished. Running then: the calls "c1" of "slow" for 10 ms, "c2" of "slow" for 8 ms. (prompt "slow", turn 1)',
      );
      expect(error.details).toMatchObject({
        calls: [
          { callId: 'c1', toolName: 'slow', durationMs: 10 },
          { callId: 'c2', toolName: 'slow', durationMs: 8 },
        ],
      });
    },
  );

  test('that passes between two requests ends the run before the next one', async () => {
    const clock = createManualClock();
    let asked = 0;
    const { finished, invocations } = startCalls({
      clock,
      limits: { deadline: Deadline.after(10, clock) },
      tools: [
        tool({
          name: 'work',
          description: 'Works.',
          effects: 'state',
          execute: () => ToolResult.ok(null, 'worked'),
        }),
      ],
      turns: [[{ name: 'work' }], [{ name: 'work' }]],
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'model-call-start') asked += 1;
            if (event.type === 'tool-call-end') clock.advance(10);
          },
        },
      ],
    });
    const error = await evaluationFailure(finished);
    expect(error).toMatchObject({ code: 'evaluation-deadline-exceeded', phase: 'tool' });
    expect(asked).toBe(1);
    expect(invocations.map(({ outcome }) => outcome)).toEqual(['committed']);
    expect(error.conversation.map(({ type }) => type)).toEqual(['assistant', 'tool-result']);
  });

  test('is looked at before a handler is started, also when no timer has told', async () => {
    const clock = createManualClock();
    let now = clock.now();
    const lagging = { now: () => now, schedule: () => () => undefined };
    let ran = 0;
    const { finished, invocations } = startCalls({
      limits: { deadline: Deadline.after(10, lagging) },
      tools: [
        tool({ name: 'work', description: 'Works.', execute: () => ((ran += 1), ToolResult.ok(null)) }),
      ],
      calls: [{ name: 'work' }],
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-start') now += 10;
          },
        },
      ],
    });
    expect(await evaluationFailure(finished)).toMatchObject({
      code: 'evaluation-deadline-exceeded',
      phase: 'tool',
    });
    expect(ran).toBe(0);
    expect(only(invocations)).toMatchObject({ outcome: 'aborted', reason: 'deadline' });
  });

  test('whose timer comes too early is waited for again', async () => {
    const clock = createManualClock();
    // Timers of a machine may fire a moment before its clock has come that far, and none waits longer than 24.8 days.
    const hasty = {
      now: clock.now,
      schedule: (delayMs: number, callback: () => void) => clock.schedule(Math.min(delayMs, 7), callback),
    };
    const asked = gate();
    const run = scriptedAdapter(async () => {
      await asked.pass();
      return { text: 'too late' };
    }).evaluate(template.bind(), { limits: { deadline: Deadline.after(20, hasty) } });
    await asked.reached;
    clock.advance(7);
    expect(clock.pending).toBe(1);
    clock.advance(7);
    expect(clock.pending).toBe(1);
    clock.advance(6);
    expect(await evaluationFailure(run)).toMatchObject({
      code: 'evaluation-deadline-exceeded',
      phase: 'request',
    });
    expect(clock.pending).toBe(0);
  });

  test('leaves no timer behind when the run ends in time', async () => {
    const clock = createManualClock();
    await runCalls({
      clock,
      limits: { deadline: Deadline.after(10, clock) },
      tools: [
        tool({
          name: 'work',
          description: 'Works.',
          timeoutMs: 5,
          execute: async () => Promise.resolve(ToolResult.ok(null)),
        }),
      ],
      calls: [{ name: 'work' }, { name: 'work' }],
    });
    expect(clock.pending).toBe(0);
  });

  test('is what the handler sees', async () => {
    const clock = createManualClock();
    const deadline = Deadline.after(10, clock);
    const seen: unknown[] = [];
    await runCalls({
      clock,
      limits: { deadline },
      tools: [
        tool({
          name: 'look',
          description: 'Looks.',
          execute: (_params, context) => {
            seen.push(context.deadline, context.deadline?.remainingMs());
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'look' }],
    });
    expect(seen).toEqual([deadline, 10]);
  });
});

describe('the abort signal of the caller', () => {
  const reason = new Error('operator pressed stop');

  test('that is aborted already ends the run before anything is done', async () => {
    let asked = 0;
    const session = new Session();
    const run = scriptedAdapter(() => ((asked += 1), { text: 'done' })).evaluate(template.bind(), {
      session,
      signal: AbortSignal.abort(reason),
      input: 'Hello',
    });
    const error = await evaluationFailure(run);
    expect(error).toMatchObject({ code: 'evaluation-aborted', phase: 'render', cause: reason });
    expect(error.conversation).toHaveLength(1);
    expect(asked).toBe(0);
    session.hold()();
  });

  test('ends a request, also one that does not listen, and reaches the model', async () => {
    const abort = new AbortController();
    const asked = gate();
    const { providerAdapter } = await import('weakincentives/provider');
    const signals: AbortSignal[] = [];
    const run = providerAdapter({
      model: {
        name: 'deaf',
        generate: async (_request, { signal }) => {
          signals.push(signal);
          await asked.pass();
          throw new Error('late');
        },
      },
    }).evaluate(template.bind(), { signal: abort.signal });
    await asked.reached;
    expect(only(signals).aborted).toBe(false);
    abort.abort(reason);
    expect(await evaluationFailure(run)).toMatchObject({
      code: 'evaluation-aborted',
      phase: 'request',
      cause: reason,
    });
    expect(only(signals).reason).toBe(reason);
    asked.open();
  });

  test('that a request answers by throwing is still the reason of the end', async () => {
    const abort = new AbortController();
    const run = scriptedAdapter(() => {
      abort.abort(reason);
      throw new Error('aborted, says the SDK');
    }).evaluate(template.bind(), { signal: abort.signal });
    expect(await evaluationFailure(run)).toMatchObject({
      code: 'evaluation-aborted',
      phase: 'request',
      cause: reason,
    });
  });

  test('reaches handlers, and what they reject with afterwards is heard', async () => {
    const abort = new AbortController();
    const reached = gate();
    const waiting = gate();
    const signals: AbortSignal[] = [];
    const run = startCalls({
      signal: abort.signal,
      slices: [Touches],
      tools: [
        tool({
          name: 'wait',
          description: 'Waits.',
          effects: 'state',
          execute: async (_params, context) => {
            signals.push(context.signal);
            context.session.dispatch(Touched, { by: context.callId });
            if (context.callId === 'call-1-3') void reached.pass();
            await waiting.pass();
            throw new Error('too late');
          },
        }),
      ],
      calls: [{ name: 'wait' }, { name: 'wait' }, { name: 'wait' }],
    });
    await reached.reached;
    abort.abort(reason);
    const error = await evaluationFailure(run.finished);
    expect(error).toMatchObject({ code: 'evaluation-aborted', phase: 'tool', cause: reason });
    expect(signals.map((signal) => signal.reason as unknown)).toEqual([reason, reason, reason]);
    expect(run.invocations.map(({ outcome, reason: why }) => [outcome, why])).toEqual(
      Array.from({ length: 3 }, () => ['aborted', 'aborted']),
    );
    expect(error.conversation.filter(({ type }) => type === 'tool-result')).toHaveLength(3);
    expect(run.session.slice(Touches).all()).toEqual([]);
    waiting.open();
    await nextTurn();
  });

  test('takes the timers of handlers that are left behind with it', async () => {
    const clock = createManualClock();
    const abort = new AbortController();
    const waiting = gate();
    const run = startCalls({
      clock,
      signal: abort.signal,
      tools: [
        tool({
          name: 'wait',
          description: 'Waits.',
          timeoutMs: 1_000,
          execute: async () => {
            await waiting.pass();
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'wait' }],
    });
    await waiting.reached;
    expect(clock.pending).toBe(1);
    abort.abort();
    await evaluationFailure(run.finished);
    expect(clock.pending).toBe(0);
    waiting.open();
  });

  test('is not listened to any more after the run', async () => {
    const abort = new AbortController();
    const listeners = new Set<unknown>();
    const { signal } = abort;
    const add = signal.addEventListener.bind(signal);
    const remove = signal.removeEventListener.bind(signal);
    signal.addEventListener = (...parts: Parameters<typeof add>) => {
      listeners.add(parts[1]);
      add(...parts);
    };
    signal.removeEventListener = (...parts: Parameters<typeof remove>) => {
      listeners.delete(parts[1]);
      remove(...parts);
    };
    await scriptedAdapter([{ text: 'done' }]).evaluate(template.bind(), { signal });
    expect(listeners.size).toBe(0);
  });

  test('keeps calls that have not begun from it: no policy is asked, no attempt is made', async () => {
    const abort = new AbortController();
    const waiting = gate();
    const asked: string[] = [];
    const run = startCalls({
      signal: abort.signal,
      limits: { maxConcurrentCalls: 1 },
      tools: [
        tool({
          name: 'wait',
          description: 'Waits.',
          effects: 'state',
          execute: async () => {
            await waiting.pass();
            return ToolResult.ok(null);
          },
        }),
      ],
      policies: [
        {
          name: 'observer',
          check: ({ callId }) => {
            asked.push(callId);
            return PolicyDecision.allow();
          },
        },
      ],
      calls: [{ name: 'wait' }, { name: 'wait' }],
    });
    await waiting.reached;
    abort.abort();
    await evaluationFailure(run.finished);
    expect(asked).toEqual(['call-1-1']);
    expect(run.invocations.map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['aborted', 1],
      ['aborted', 0],
    ]);
    waiting.open();
  });

  test('does not wait for a resource that does not end', async () => {
    const abort = new AbortController();
    const waiting = gate();
    const Stubborn = resourceToken<AsyncDisposable>('stubborn');
    const run = startCalls({
      signal: abort.signal,
      resources: [
        binding(Stubborn, {
          create: () => ({ [Symbol.asyncDispose]: () => new Promise<void>(() => undefined) }),
          scope: 'tool-call',
        }),
      ],
      tools: [
        tool({
          name: 'wait',
          description: 'Waits.',
          effects: 'state',
          execute: async (_params, { resources }) => {
            await resources.get(Stubborn);
            await waiting.pass();
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'wait' }],
    });
    await waiting.reached;
    abort.abort();
    expect(await evaluationFailure(run.finished)).toMatchObject({ code: 'evaluation-aborted' });
    waiting.open();
  });

  test('keeps a call from being run again', async () => {
    const abort = new AbortController();
    const session = new Session();
    session.install(Touches);
    let runs = 0;
    const run = startCalls({
      session,
      signal: abort.signal,
      tools: [
        tool({
          name: 'disturbed',
          description: 'Is disturbed.',
          effects: 'state',
          execute: (_params, context) => {
            runs += 1;
            context.session.slice(Touches).all();
            session.dispatch(Touched, { by: 'outside' });
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'disturbed' }],
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-retry') abort.abort();
          },
        },
      ],
    });
    expect(await evaluationFailure(run.finished)).toMatchObject({ code: 'evaluation-aborted' });
    expect(runs).toBe(1);
    expect(only(run.invocations)).toMatchObject({ outcome: 'aborted', conflicts: ['slice touches'] });
  });
});

describe('a handler that was given up on', () => {
  const late = async (
    give: (context: ToolContext) => void,
    end: (clock: ReturnType<typeof createManualClock>, abort: AbortController) => void,
  ): Promise<readonly RunEvent[]> => {
    const clock = createManualClock();
    const abort = new AbortController();
    const waiting = gate();
    const stuck: AnyTool = tool({
      name: 'stuck',
      description: 'Is stuck.',
      effects: 'state',
      timeoutMs: 100,
      execute: async (_params, context) => {
        context.beat();
        context.progress({ percent: 1 });
        give(context);
        await waiting.pass();
        return ToolResult.ok(null);
      },
    });
    const run = startCalls({ clock, signal: abort.signal, tools: [stuck], calls: [{ name: 'stuck' }] });
    await waiting.reached;
    end(clock, abort);
    await run.finished.catch(() => undefined);
    return run.events;
  };

  test.each([
    ['its time limit', (clock: ReturnType<typeof createManualClock>) => clock.advance(100)],
    ['an abort', (_clock: ReturnType<typeof createManualClock>, abort: AbortController) => abort.abort()],
  ])('because of %s has nothing to tell observers any more', async (_what, end) => {
    let context: ToolContext | undefined;
    const events = await late((given) => (context = given), end);
    expect(
      events.filter(({ type }) => type === 'tool-call-heartbeat' || type === 'tool-call-progress'),
    ).toHaveLength(2);
    const count = events.length;
    context?.beat();
    context?.progress({ percent: 99 });
    expect(events).toHaveLength(count);
    expect(events.at(-1)?.type).toBe('run-end');
  });
});

describe('the number of turns', () => {
  test('is limited: the model that still wants to call is not asked again', async () => {
    let asked = 0;
    const adapter = scriptedAdapter(() => {
      asked += 1;
      return { toolCalls: [{ name: 'again' }], usage: { inputTokens: 5 } };
    });
    const error = await evaluationFailure(adapter.evaluate(template.bind(), { limits: { maxTurns: 3 } }));
    expect(error).toMatchObject({
      code: 'evaluation-turns-exceeded',
      phase: 'request',
      usage: { inputTokens: 15 },
      details: { turn: 3 },
    });
    expect(error.message).toContain('called 3 times');
    expect(asked).toBe(3);
    expect(error.conversation.map(({ type }) => type)).toEqual(
      Array.from({ length: 3 }, () => ['assistant', 'tool-result']).flat(),
    );
  });

  test('is 100 when nothing is said', async () => {
    let asked = 0;
    const adapter = scriptedAdapter(
      () => ((asked += 1), { toolCalls: [{ name: 'again', arguments: { asked } }] }),
    );
    await evaluationFailure(adapter.evaluate(template.bind()));
    expect(asked).toBe(100);
  });
});
