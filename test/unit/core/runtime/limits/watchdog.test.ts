import { describe, expect, test } from 'vitest';
import {
  binding,
  PolicyDecision,
  PromptEvaluationError,
  promptTemplate,
  type RunEvent,
  resourceToken,
  Session,
  section,
  ToolCallLog,
  type ToolContext,
  type ToolPolicy,
  ToolResult,
  TransactionClosedError,
} from 'weakincentives';
import { ThrottleError } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { act } from '../../../../support/act.ts';
import { evaluationFailure } from '../../../../support/failure.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import {
  Added,
  add,
  Count,
  calling,
  delegate,
  modelFor,
  promptWith,
} from '../../../../support/nested-setup.ts';
import { only, startCalls } from '../../../../support/run-calls.ts';

const template = promptTemplate({
  ns: 'test',
  key: 'watchdog',
  sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
});

describe('a run that is silent for too long', () => {
  test('ends where it was: while the model is asked', async () => {
    const clock = createManualClock();
    const asked = gate();
    const run = scriptedAdapter(async (_conversation, { turn }) => {
      await asked.pass();
      return { text: `too late, turn ${turn}` };
    }).evaluate(template.bind(), { clock, limits: { idleTimeoutMs: 100 } });
    await asked.reached;
    clock.advance(99);
    expect(clock.pending).toBe(1);
    clock.advance(1);
    const error = await evaluationFailure(run);
    expect(error).toMatchObject({ code: 'evaluation-idle', phase: 'request' });
    expect(error.message).toContain(
      'no activity for 100 ms (limits.idleTimeoutMs); the last event was model-call-start',
    );
    expect(error.cause).toMatchObject({ name: 'TimeoutError' });
    expect(clock.pending).toBe(0);
    asked.open();
  });

  test('leaves a handler that ignores its signal behind with a closed transaction', async () => {
    const clock = createManualClock();
    const stuck = gate();
    let late: unknown;
    let signal: AbortSignal | undefined;
    const left = gate();
    const { finished, session, invocations } = startCalls({
      clock,
      limits: { idleTimeoutMs: 100 },
      slices: [Count],
      tools: [
        act('stick', async (context) => {
          signal = context.signal;
          context.session.dispatch(Added, { by: 1 });
          await stuck.pass();
          try {
            context.session.dispatch(Added, { by: 1 });
          } catch (error) {
            late = error;
          }
          context.beat();
          void left.pass();
        }),
      ],
      calls: [{ name: 'stick' }],
    });
    await stuck.reached;
    clock.advance(100);
    const error = await evaluationFailure(finished);
    expect(error).toMatchObject({ code: 'evaluation-idle', phase: 'tool' });
    expect(signal?.aborted).toBe(true);
    expect(only(invocations)).toMatchObject({ outcome: 'aborted', reason: 'idle' });
    expect(only(invocations).message).toContain('the run was idle for too long');
    expect(session.slice(Count).latest()).toBeUndefined();
    stuck.open();
    await left.reached;
    expect(TransactionClosedError.isInstance(late)).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test('ends before it was rendered', async () => {
    const clock = createManualClock();
    const rendering = gate();
    const slow = promptTemplate({
      ns: 'test',
      key: 'slow',
      resources: [
        binding(resourceToken<string>('slow'), {
          create: () => rendering.pass().then(() => 'built'),
          eager: true,
        }),
      ],
      sections: [section({ title: 'Task', key: 'task', template: 'Do it.' })],
    });
    const run = scriptedAdapter([{ text: 'done' }]).evaluate(slow.bind(), {
      clock,
      limits: { idleTimeoutMs: 100 },
    });
    await rendering.reached;
    clock.advance(100);
    expect(await evaluationFailure(run)).toMatchObject({ code: 'evaluation-idle', phase: 'render' });
    rendering.open();
  });
});

describe('a sign of life', () => {
  test.each<[string, (context: ToolContext) => void]>([
    ['a beat', (context) => context.beat()],
    ['progress', (context) => context.progress('half')],
  ])('is %s of a handler', async (_what, tell) => {
    const clock = createManualClock();
    const { finished } = startCalls({
      clock,
      limits: { idleTimeoutMs: 100 },
      tools: [
        act('work', (context) => {
          for (let step = 0; step < 5; step += 1) {
            clock.advance(80);
            tell(context);
          }
        }),
      ],
      calls: [{ name: 'work' }],
    });
    await expect(finished).resolves.toBeDefined();
    expect(clock.pending).toBe(0);
  });

  test('is every turn and every call', async () => {
    const clock = createManualClock();
    const { finished } = startCalls({
      clock,
      limits: { idleTimeoutMs: 100 },
      tools: [act('work', () => clock.advance(80))],
      turns: [[{ name: 'work' }], [{ name: 'work' }], [{ name: 'work' }]],
    });
    await expect(finished).resolves.toBeDefined();
  });

  test('may come from an evaluation inside a call, and its silence is that of the run', async () => {
    const clock = createManualClock();
    const stuck = gate();
    const inner = (script: (context: ToolContext) => unknown) =>
      delegate('state', async (context) => {
        await context.adapter.evaluate(promptWith('inner', [act('step', script)]));
        return ToolResult.ok(null);
      });
    const adapter = modelFor({ outer: [calling('delegate')], inner: [calling('step'), calling('step')] });
    const lively = inner((context) => {
      clock.advance(80);
      context.beat();
    });
    await adapter.evaluate(promptWith('outer', [lively]), { clock, limits: { idleTimeoutMs: 100 } });
    const run = adapter.evaluate(promptWith('outer', [inner(() => stuck.pass()), add]), {
      clock,
      limits: { idleTimeoutMs: 100 },
    });
    await stuck.reached;
    clock.advance(100);
    expect(await evaluationFailure(run)).toMatchObject({ code: 'evaluation-idle', phase: 'tool' });
    stuck.open();
    expect(clock.pending).toBe(0);
  });

  test('is a wait that was announced', async () => {
    const clock = createManualClock();
    const waiting = gate();
    let asked = 0;
    const run = scriptedAdapter(() => {
      asked += 1;
      if (asked === 1) throw new ThrottleError('busy', { kind: 'rate-limit', retryAfterMs: 1_000 });
      return { text: 'done' };
    }).evaluate(template.bind(), {
      clock,
      limits: { idleTimeoutMs: 100 },
      retry: { random: () => 0 },
      observers: [
        {
          onEvent: ({ type }) => {
            if (type === 'model-call-retry') void waiting.pass();
          },
        },
      ],
    });
    await waiting.reached;
    await expect.poll(() => clock.pending).toBe(2);
    clock.advance(999);
    clock.advance(1);
    expect((await run).text).toBe('done');
  });
});

describe('someone who is asked', () => {
  const policy: ToolPolicy = { name: 'careful', check: () => PolicyDecision.ask('really?') };

  test('may think for as long as they like', async () => {
    const clock = createManualClock();
    const asked = gate();
    const { finished } = startCalls({
      clock,
      limits: { idleTimeoutMs: 100 },
      policies: [policy],
      tools: [act('work', () => undefined)],
      calls: [{ name: 'work' }],
      approve: async () => {
        await asked.pass();
        return true;
      },
    });
    await asked.reached;
    for (let step = 0; step < 10; step += 1) clock.advance(100);
    asked.open();
    expect((await finished).texts).toEqual(['work done']);
    expect(clock.pending).toBe(0);
  });

  test('has answered: from then on silence counts again', async () => {
    const clock = createManualClock();
    const asked = gate();
    const stuck = gate();
    const { finished } = startCalls({
      clock,
      limits: { idleTimeoutMs: 100 },
      policies: [policy],
      tools: [act('stick', () => stuck.pass())],
      calls: [{ name: 'stick' }],
      approve: async () => {
        await asked.pass();
        return true;
      },
    });
    await asked.reached;
    clock.advance(1_000);
    asked.open();
    await stuck.reached;
    clock.advance(99);
    clock.advance(1);
    expect((await evaluationFailure(finished)).code).toBe('evaluation-idle');
    stuck.open();
  });

  test('never answers a question that was taken back: silence counts again', async () => {
    const clock = createManualClock();
    const asked = gate();
    const stuck = gate();
    const events: RunEvent[] = [];
    const abort = new AbortController();
    const outer = delegate('state', async (context) => {
      const inner = context.adapter.evaluate(
        promptTemplate({
          ns: 'test',
          key: 'inner',
          policies: [policy],
          sections: [section({ title: 'Inner', key: 'inner', template: 'This is inner.', tools: [add] })],
        }).bind(),
        { signal: abort.signal },
      );
      await asked.reached;
      abort.abort();
      await inner.catch((error: unknown) => expect(PromptEvaluationError.isInstance(error)).toBe(true));
      await stuck.pass();
      return ToolResult.ok(null);
    });
    const session = new Session({ clock });
    const run = modelFor({ outer: [calling('delegate')], inner: [calling('add')] }).evaluate(
      promptWith('outer', [outer]),
      {
        session,
        limits: { idleTimeoutMs: 100 },
        observers: [{ onEvent: (event) => events.push(event) }],
        approve: async () => {
          void asked.pass();
          return new Promise<never>(() => undefined);
        },
      },
    );
    await stuck.reached;
    clock.advance(100);
    clock.advance(100);
    expect((await evaluationFailure(run)).code).toBe('evaluation-idle');
    expect(session.slice(ToolCallLog).all().at(-1)).toMatchObject({ reason: 'idle' });
    stuck.open();
  });
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])(
  'idleTimeoutMs cannot be %d',
  async (idleTimeoutMs) => {
    await expect(
      scriptedAdapter([{ text: 'done' }]).evaluate(template.bind(), { limits: { idleTimeoutMs } }),
    ).rejects.toThrow('limits.idleTimeoutMs must be a number above 0');
  },
);
