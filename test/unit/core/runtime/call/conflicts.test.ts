import { describe, expect, test } from 'vitest';
import {
  binding,
  defineEvent,
  defineSlice,
  resourceToken,
  Session,
  type Slice,
  type ToolContext,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { withoutPlaces } from '../../../../support/event-places.ts';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { only, runCalls, startCalls } from '../../../../support/run-calls.ts';

const Counted = defineEvent({ name: 'counted', schema: z.object({ count: z.number() }) });
const Count: Slice<{ count: number }> = defineSlice({
  name: 'count',
  schema: z.object({ count: z.number() }),
  reducers: (on) => [on(Counted, (items, payload) => items.replace([payload]))],
});
const Remarked = defineEvent({ name: 'remarked', schema: z.object({ text: z.string() }) });
const Remarks: Slice<{ text: string }> = defineSlice({
  name: 'remarks',
  schema: z.object({ text: z.string() }),
  policy: 'log',
  reducers: (on) => [on(Remarked, (items, payload) => items.append(payload))],
});

const countIn = (session: ToolContext['session']): number => session.slice(Count).latest()?.count ?? 0;

const increment = (contexts: ToolContext[] = []): ReturnType<typeof tool> =>
  tool({
    name: 'increment',
    description: 'Adds one to the count.',
    effects: 'state',
    execute: (_params, context) => {
      contexts.push(context);
      const count = countIn(context.session) + 1;
      context.session.dispatch(Remarked, { text: `${context.callId} makes it ${count}` });
      context.session.dispatch(Counted, { count });
      return ToolResult.ok({ count }, `It is ${count} now.`);
    },
  });

describe('a call whose reads were changed by an earlier call of its turn', () => {
  test('runs again: same call id, next attempt, a note in events and record, nothing twice', async () => {
    const contexts: ToolContext[] = [];
    const { session, invocations, events, texts } = await runCalls({
      tools: [increment(contexts)],
      slices: [Count, Remarks],
      calls: [{ name: 'increment' }, { name: 'increment' }, { name: 'increment' }],
    });
    expect(session.slice(Count).all()).toEqual([{ count: 3 }]);
    expect(texts.map((text) => text.split('\n')[0])).toEqual([
      'It is 1 now.',
      'It is 2 now.',
      'It is 3 now.',
    ]);
    expect(contexts.map(({ callId, attempt }) => `${callId} ${attempt}`)).toEqual([
      'call-1-1 1',
      'call-1-2 1',
      'call-1-3 1',
      'call-1-2 2',
      'call-1-3 2',
    ]);
    expect(invocations.map(({ attempts, conflicts }) => ({ attempts, conflicts }))).toEqual([
      { attempts: 1, conflicts: [] },
      { attempts: 2, conflicts: ['slice count'] },
      { attempts: 2, conflicts: ['slice count'] },
    ]);
    expect(withoutPlaces(events.filter((event) => event.type === 'tool-call-retry'))).toEqual(
      ['call-1-2', 'call-1-3'].map((callId) => ({
        type: 'tool-call-retry',
        turn: 1,
        callId,
        toolName: 'increment',
        attempt: 2,
        conflicts: ['slice count'],
      })),
    );
    expect(events.filter((event) => event.type === 'tool-call-start')).toHaveLength(3);
    // What the superseded attempts logged was never said.
    expect(session.slice(Remarks).all()).toEqual(
      [1, 2, 3].map((count) => ({ text: `call-1-${count} makes it ${count}` })),
    );
  });

  test('gets new tool-call resources, the superseded ones being disposed before', async () => {
    const Pad = resourceToken<{ readonly id: number }>('pad');
    const acts: string[] = [];
    let made = 0;
    await runCalls({
      tools: [
        tool({
          name: 'work',
          description: 'Reads, writes and uses its pad.',
          effects: 'state',
          execute: async (_params, context) => {
            const pad = await context.resources.get(Pad);
            expect(await context.resources.get(Pad)).toBe(pad);
            acts.push(`${context.callId} attempt ${context.attempt} uses ${pad.id}`);
            context.session.dispatch(Counted, { count: countIn(context.session) + 1 });
            return ToolResult.ok(null);
          },
        }),
      ],
      resources: [
        binding(Pad, {
          create: () => {
            made += 1;
            const id = made;
            return { id, [Symbol.dispose]: () => void acts.push(`${id} disposed`) };
          },
          scope: 'tool-call',
        }),
      ],
      slices: [Count],
      calls: [{ name: 'work' }, { name: 'work' }],
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end') acts.push(`${event.invocation.callId} ended`);
            if (event.type === 'tool-call-retry') acts.push(`${event.callId} again`);
          },
        },
      ],
    });
    const before = (first: string, second: string): void =>
      expect(acts.indexOf(first), `${first} before ${second} in ${acts.join(', ')}`).toBeLessThan(
        acts.indexOf(second),
      );
    expect(acts.toSorted()).toEqual(
      [
        'call-1-1 attempt 1 uses 1',
        'call-1-2 attempt 1 uses 2',
        'call-1-2 attempt 2 uses 3',
        '1 disposed',
        '2 disposed',
        '3 disposed',
        'call-1-1 ended',
        'call-1-2 again',
        'call-1-2 ended',
      ].toSorted(),
    );
    before('1 disposed', 'call-1-1 ended');
    before('2 disposed', 'call-1-2 again');
    before('3 disposed', 'call-1-2 ended');
  });

  test('gets its whole time limit again', async () => {
    const clock = createManualClock();
    const first = gate();
    const second = gate();
    const run = startCalls({
      clock,
      slices: [Count],
      tools: [
        tool({
          name: 'slow',
          description: 'Reads at once, then takes its time.',
          effects: 'state',
          timeoutMs: 100,
          execute: async (_params, context) => {
            const count = countIn(context.session) + 1;
            if (context.callId === 'call-1-2') await (context.attempt === 1 ? first : second).pass();
            context.session.dispatch(Counted, { count });
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'slow' }, { name: 'slow' }],
    });
    await first.reached;
    clock.advance(99);
    first.open();
    await second.reached;
    clock.advance(99);
    second.open();
    const { invocations, session } = await run.finished;
    expect(invocations.map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['committed', 1],
      ['committed', 2],
    ]);
    expect(invocations[1]?.durationMs).toBe(198);
    expect(session.slice(Count).latest()).toEqual({ count: 2 });
    expect(clock.pending).toBe(0);
  });

  test('also when it failed: why it failed may not hold any more', async () => {
    const { invocations } = await runCalls({
      slices: [Count],
      tools: [
        increment(),
        tool({
          name: 'need-one',
          description: 'Fails unless the count is one.',
          effects: 'read',
          execute: (_params, { session }) =>
            countIn(session) === 1 ? ToolResult.ok(null) : ToolResult.error('not one'),
        }),
      ],
      calls: [{ name: 'increment' }, { name: 'need-one' }],
    });
    expect(invocations.map(({ outcome }) => outcome)).toEqual(['committed', 'committed']);
  });

  test('but not when it read something else', async () => {
    const { invocations } = await runCalls({
      slices: [Count],
      files: { 'notes.md': 'a' },
      tools: [
        increment(),
        tool({
          name: 'read-file',
          description: 'Reads a file.',
          effects: 'read',
          execute: async (_params, { filesystem }) => ToolResult.ok((await filesystem.read('notes.md')).text),
        }),
      ],
      calls: [{ name: 'increment' }, { name: 'read-file' }],
    });
    expect(invocations.map(({ attempts }) => attempts)).toEqual([1, 1]);
  });
});

describe('a change from outside', () => {
  /** Counts up by one, and lets someone else count in the middle of the first `times` attempts. */
  const disturbed = (
    session: Session,
    times: number,
    act: () => void = () => undefined,
  ): ReturnType<typeof tool> =>
    tool({
      name: 'disturbed',
      description: 'Is disturbed while it runs.',
      effects: 'state',
      execute: (_params, context) => {
        const count = countIn(context.session);
        context.session.dispatch(Remarked, { text: `attempt ${context.attempt}` });
        context.session.dispatch(Counted, { count: count + 1 });
        act();
        if (context.attempt <= times) session.dispatch(Counted, { count: countIn(session) + 10 });
        return ToolResult.ok(count + 1);
      },
    });
  const prepared = (): Session => {
    const session = new Session();
    session.install(Count);
    session.install(Remarks);
    return session;
  };

  test('makes a call run again, twice at most', async () => {
    const session = prepared();
    const { invocations } = await runCalls({
      session,
      tools: [disturbed(session, 2)],
      calls: [{ name: 'disturbed' }],
    });
    expect(only(invocations)).toMatchObject({
      outcome: 'committed',
      attempts: 3,
      conflicts: ['slice count', 'slice count'],
      value: 21,
    });
    expect(session.slice(Count).latest()).toEqual({ count: 21 });
    expect(session.slice(Remarks).all()).toEqual([{ text: 'attempt 3' }]);
  });

  test('at the third attempt too makes it a failed result that leaves nothing', async () => {
    const session = prepared();
    let runs = 0;
    const { invocations, texts, response } = await runCalls({
      session,
      tools: [disturbed(session, 99, () => (runs += 1))],
      calls: [{ name: 'disturbed' }],
    });
    expect(runs).toBe(3);
    expect(only(invocations)).toMatchObject({
      outcome: 'rolled-back',
      reason: 'conflict',
      success: false,
      attempts: 3,
      conflicts: ['slice count', 'slice count', 'slice count'],
    });
    expect(only(texts)).toMatch(
      /run 3 times.*changed from outside.*slice count.*Its changes were rolled back/,
    );
    expect(response.text).toBe('done');
    expect(session.slice(Count).latest()).toEqual({ count: 30 });
    expect(session.slice(Remarks).all()).toEqual([]);
  });

  test('by whoever hears run events counts as well', async () => {
    const session = prepared();
    const { invocations } = await runCalls({
      session,
      tools: [
        increment(),
        tool({
          name: 'idle',
          description: 'Does nothing.',
          effects: 'state',
          execute: () => ToolResult.ok(null),
        }),
      ],
      calls: [{ name: 'idle' }, { name: 'increment' }],
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end' && event.invocation.toolName === 'idle') {
              session.dispatch(Counted, { count: 7 });
            }
          },
        },
      ],
    });
    expect(invocations.map(({ attempts }) => attempts)).toEqual([1, 2]);
    expect(session.slice(Count).latest()).toEqual({ count: 8 });
  });
});

describe('subscribers', () => {
  const Told = defineEvent({ name: 'told', schema: z.object({ text: z.string() }) });

  test('hear of a call after its end, in the order of the commits', async () => {
    const heard: string[] = [];
    const session = new Session();
    session.dispatcher.subscribe(Counted, ({ count }) => {
      heard.push(`count ${count}, state ${session.slice(Count).latest()?.count}`);
    });
    await runCalls({
      session,
      slices: [Count, Remarks],
      tools: [
        tool({
          name: 'work',
          description: 'Counts twice.',
          effects: 'state',
          execute: (_params, context) => {
            heard.push(`${context.callId} begins`);
            context.session.dispatch(Counted, { count: countIn(context.session) + 1 });
            context.session.dispatch(Counted, { count: countIn(context.session) + 1 });
            heard.push(`${context.callId} ends`);
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'work' }, { name: 'work' }],
      limits: { maxConcurrentCalls: 1 },
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end') heard.push(`${event.invocation.callId} told`);
          },
        },
      ],
    });
    // The state they see is the one after the whole call.
    expect(heard).toEqual([
      'call-1-1 begins',
      'call-1-1 ends',
      'count 1, state 2',
      'count 2, state 2',
      'call-1-1 told',
      'call-1-2 begins',
      'call-1-2 ends',
      'count 3, state 4',
      'count 4, state 4',
      'call-1-2 told',
    ]);
  });

  test('hear only of log entries after a rollback', async () => {
    const heard: string[] = [];
    const session = new Session();
    session.dispatcher.subscribeAll((_payload, { eventName }) => void heard.push(eventName));
    const { invocations } = await runCalls({
      session,
      slices: [Count, Remarks],
      tools: [
        tool({
          name: 'fail',
          description: 'Does all kinds of things, then fails.',
          effects: 'state',
          execute: (_params, context) => {
            context.session.dispatch(Counted, { count: 1 });
            context.session.dispatch(Remarked, { text: 'before the end' });
            context.session.dispatcher.dispatch(Told, { text: 'never' });
            return ToolResult.error('no');
          },
        }),
      ],
      calls: [{ name: 'fail' }],
    });
    expect(only(invocations).outcome).toBe('rolled-back');
    expect(heard.filter((name) => !/rendered|prompt-executed/.test(name))).toEqual([
      'remarked',
      'weakincentives.tool-invoked',
    ]);
    expect(session.slice(Remarks).all()).toEqual([{ text: 'before the end' }]);
  });

  test('of what a call publishes on its dispatcher hear it after the commit', async () => {
    const heard: string[] = [];
    const session = new Session();
    session.dispatcher.subscribe(Told, ({ text }) => void heard.push(text));
    await runCalls({
      session,
      tools: [
        tool({
          name: 'tell',
          description: 'Publishes.',
          effects: 'state',
          execute: async (_params, context) => {
            context.session.dispatcher.dispatch(Told, { text: 'told' });
            await Promise.resolve();
            heard.push('handler ends');
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'tell' }],
    });
    expect(heard).toEqual(['handler ends', 'told']);
  });

  test('that throw or reject change no outcome and are reported', async () => {
    const reported: string[] = [];
    const session = new Session({
      logger: { error: (message) => void reported.push(message) },
    });
    session.dispatcher.subscribe(Counted, () => {
      throw new Error('subscriber kaboom');
    });
    // oxlint-disable-next-line typescript/no-misused-promises -- A subscriber that rejects is what is tested.
    session.dispatcher.subscribe(Counted, async () => Promise.reject(new Error('late kaboom')));
    const heard: number[] = [];
    session.dispatcher.subscribe(Counted, ({ count }) => void heard.push(count));
    const { invocations } = await runCalls({
      session,
      slices: [Count, Remarks],
      tools: [increment()],
      calls: [{ name: 'increment' }, { name: 'increment' }],
    });
    expect(invocations.map(({ outcome }) => outcome)).toEqual(['committed', 'committed']);
    expect(heard).toEqual([1, 2]);
    expect(reported.toSorted()).toEqual(
      ['subscriber kaboom', 'late kaboom', 'subscriber kaboom', 'late kaboom']
        .map((what) => `A subscriber of counted failed: ${what}`)
        .toSorted(),
    );
  });

  test('that dispatch change what later calls of the batch are built on', async () => {
    const session = new Session();
    session.dispatcher.subscribe(Told, () => session.dispatch(Counted, { count: 50 }));
    const { invocations } = await runCalls({
      session,
      slices: [Count, Remarks],
      tools: [
        tool({
          name: 'tell',
          description: 'Publishes.',
          effects: 'state',
          execute: (_params, context) => {
            context.session.dispatch(Told, { text: 'set it' });
            return ToolResult.ok(null);
          },
        }),
        increment(),
      ],
      calls: [{ name: 'tell' }, { name: 'increment' }],
    });
    expect(invocations.map(({ attempts, conflicts }) => [attempts, conflicts])).toEqual([
      [1, []],
      [2, ['slice count']],
    ]);
    expect(session.slice(Count).latest()).toEqual({ count: 51 });
  });
});

describe('a change from outside at any microtask after the handler has read', () => {
  test.each(Array.from({ length: 61 }, (_, steps) => steps))(
    'is not lost: %i microtasks later',
    async (steps) => {
      await using session = new Session();
      session.install(Count);
      const addTen = (): void =>
        session.dispatch(Counted, { count: (session.slice(Count).latest()?.count ?? 0) + 10 });
      let outside: Promise<void> | undefined;
      const count = tool({
        name: 'count',
        description: 'Adds one to the count.',
        effects: 'state',
        execute: (_params, context) => {
          context.session.dispatch(Counted, { count: countIn(context.session) + 1 });
          if (outside === undefined) {
            outside = Promise.resolve();
            for (let step = 0; step < steps; step += 1) outside = outside.then(() => undefined);
            outside = outside.then(addTen);
          }
          return ToolResult.ok(null);
        },
      });
      await runCalls({ tools: [count], session, calls: [{ name: 'count' }] });
      await outside;
      // Both serial orders end with 11; a check apart from its commit would lose the ten.
      expect(session.slice(Count).all()).toEqual([{ count: 11 }]);
    },
  );
});
