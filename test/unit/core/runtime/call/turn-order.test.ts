import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  defineEvent,
  defineSlice,
  type RunEvent,
  type Slice,
  ToolCallLog,
  type ToolEffects,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { type Gate, gate } from '../../../../support/gate.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { runCalls, startCalls } from '../../../../support/run-calls.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ by: z.string() }) });
const Notes: Slice<{ by: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ by: z.string() }),
  policy: 'log',
  reducers: (on) => [on(Noted, (items, payload) => items.append(payload))],
});
const Written = defineEvent({ name: 'written', schema: z.object({ by: z.string() }) });
const Writings: Slice<{ by: string }> = defineSlice({
  name: 'writings',
  schema: z.object({ by: z.string() }),
  reducers: (on) => [on(Written, (items, payload) => items.append(payload))],
});

/** Tools whose calls wait at the gate they name, and what they did in which order. */
function gatedTools(gates: Readonly<Record<string, Gate>>): {
  readonly named: (name: string, effects: ToolEffects) => AnyTool;
  readonly acts: readonly string[];
  readonly mostAtOnce: () => number;
} {
  const acts: string[] = [];
  let running = 0;
  let most = 0;
  const named = (name: string, effects: ToolEffects): AnyTool =>
    tool({
      name,
      description: 'Waits at a gate.',
      effects,
      inputSchema: z.object({ id: z.string() }),
      execute: async ({ id }, context) => {
        running += 1;
        most = Math.max(most, running);
        acts.push(`${id} begins`);
        await gates[id]?.pass();
        context.session.dispatch(Noted, { by: id });
        acts.push(`${id} ends`);
        running -= 1;
        return ToolResult.ok(id, '');
      },
    });
  return { named, acts, mostAtOnce: () => most };
}

const gatesFor = (ids: readonly string[]): Record<string, Gate> =>
  Object.fromEntries(ids.map((id) => [id, gate()]));
const callsOf = (name: string, ids: readonly string[]): { name: string; arguments: { id: string } }[] =>
  ids.map((id) => ({ name, arguments: { id } }));
const endsOf = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'tool-call-end' ? [event.invocation.callId] : []));

describe('calls of one turn', () => {
  test('end in any order, but results, log, record and events have the order of the turn', async () => {
    const ids = ['a', 'b', 'c'];
    const gates = gatesFor(ids);
    const { named, acts } = gatedTools(gates);
    const run = startCalls({ tools: [named('work', 'state')], slices: [Notes], calls: callsOf('work', ids) });
    await Promise.all(Object.values(gates).map(({ reached }) => reached));
    for (const id of ['c', 'b', 'a']) gates[id]?.open();
    const { texts, session, events, invocations } = await run.finished;
    expect(acts.slice(3)).toEqual(['c ends', 'b ends', 'a ends']);
    expect(texts).toEqual(ids);
    expect(session.slice(Notes).all()).toEqual(ids.map((by) => ({ by })));
    const callIds = ['call-1-1', 'call-1-2', 'call-1-3'];
    expect(
      session
        .slice(ToolCallLog)
        .all()
        .map(({ callId }) => callId),
    ).toEqual(callIds);
    expect(endsOf(events)).toEqual(callIds);
    expect(invocations.map(({ attempts }) => attempts)).toEqual([1, 1, 1]);
  });

  test('are committed as soon as all earlier ones are, not when the turn is over', async () => {
    const ids = ['a', 'b'];
    const gates = gatesFor(ids);
    const { named } = gatedTools(gates);
    const committed = gate();
    const run = startCalls({
      tools: [named('work', 'state')],
      slices: [Notes],
      calls: callsOf('work', ids),
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end') void committed.pass();
          },
        },
      ],
    });
    await gates['b']?.reached;
    gates['a']?.open();
    await committed.reached;
    expect(run.session.slice(Notes).all()).toEqual([{ by: 'a' }]);
    gates['b']?.open();
    await run.finished;
  });

  test('run at most `concurrency` at a time, and as many as that', async () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const gates = gatesFor(ids);
    const { named, mostAtOnce, acts } = gatedTools(gates);
    const run = startCalls({
      tools: [named('work', 'state')],
      slices: [Notes],
      calls: callsOf('work', ids),
      limits: { maxConcurrentCalls: 2 },
    });
    await Promise.all([gates['a']?.reached, gates['b']?.reached]);
    expect(acts).toEqual(['a begins', 'b begins']);
    // A later call may take the place of one that is not at the head of the order.
    gates['b']?.open();
    await gates['c']?.reached;
    for (const id of ids) gates[id]?.open();
    await run.finished;
    expect(mostAtOnce()).toBe(2);
  });

  test('run one by one with a concurrency of 1: none begins before the one before it is committed', async () => {
    const acts: string[] = [];
    const { session } = await runCalls({
      tools: [
        tool({
          name: 'work',
          description: 'Looks at what is there and adds to it.',
          effects: 'state',
          execute: async (_params, context) => {
            acts.push(`begins on ${context.session.slice(Writings).length}`);
            context.session.dispatch(Written, { by: context.callId });
            await Promise.resolve();
            return ToolResult.ok(null);
          },
        }),
      ],
      slices: [Writings],
      calls: [{ name: 'work' }, { name: 'work' }, { name: 'work' }],
      limits: { maxConcurrentCalls: 1 },
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end')
              acts.push(`${event.invocation.callId} ${event.invocation.attempts}`);
          },
        },
      ],
    });
    expect(acts).toEqual([
      'begins on 0',
      'call-1-1 1',
      'begins on 1',
      'call-1-2 1',
      'begins on 2',
      'call-1-3 1',
    ]);
    expect(session.slice(Writings)).toHaveLength(3);
  });

  test('that are run again count among those that run at the same time', async () => {
    const gates = gatesFor(['writer', 'again', 'c', 'd']);
    let running = 0;
    let most = 0;
    const counted = async (work: () => Promise<void>): Promise<ReturnType<typeof ToolResult.ok<null>>> => {
      running += 1;
      most = Math.max(most, running);
      await work();
      running -= 1;
      return ToolResult.ok(null);
    };
    const run = startCalls({
      tools: [
        tool({
          name: 'writer',
          description: 'Writes.',
          effects: 'state',
          execute: (_params, context) =>
            counted(async () => {
              context.session.dispatch(Written, { by: 'writer' });
              await gates['writer']?.pass();
            }),
        }),
        tool({
          name: 'reader',
          description: 'Reads, and waits when it is run again.',
          effects: 'read',
          execute: (_params, context) =>
            counted(async () => {
              context.session.slice(Writings).all();
              if (context.attempt > 1) await gates['again']?.pass();
            }),
        }),
        tool({
          name: 'other',
          description: 'Waits at its gate.',
          effects: 'state',
          inputSchema: z.object({ id: z.string() }),
          execute: ({ id }) => counted(async () => gates[id]?.pass()),
        }),
      ],
      slices: [Writings],
      calls: [{ name: 'writer' }, { name: 'reader' }, ...callsOf('other', ['c', 'd'])],
      limits: { maxConcurrentCalls: 2 },
    });
    await gates['c']?.reached;
    // The writer ends and gives its place up; the reader has to run again, but both places are taken.
    gates['writer']?.open();
    await gates['d']?.reached;
    gates['c']?.open();
    await gates['again']?.reached;
    gates['again']?.open();
    gates['d']?.open();
    const { invocations } = await run.finished;
    expect(invocations.map(({ attempts }) => attempts)).toEqual([1, 2, 1, 1]);
    expect(most).toBe(2);
  });
});

describe('a call with effects outside', () => {
  test('begins when everything before it is committed; nothing after it begins before it is', async () => {
    const ids = ['a', 'out', 'c', 'd'];
    const gates = gatesFor(ids);
    const { named, acts } = gatedTools(gates);
    const run = startCalls({
      tools: [named('work', 'state'), named('send', 'external')],
      slices: [Notes],
      calls: [...callsOf('work', ['a']), ...callsOf('send', ['out']), ...callsOf('work', ['c', 'd'])],
    });
    await gates['a']?.reached;
    expect(acts).toEqual(['a begins']);
    gates['a']?.open();
    await gates['out']?.reached;
    expect(run.session.slice(Notes).all()).toEqual([{ by: 'a' }]);
    expect(acts).toEqual(['a begins', 'a ends', 'out begins']);
    gates['out']?.open();
    await Promise.all([gates['c']?.reached, gates['d']?.reached]);
    expect(run.session.slice(Notes).all()).toEqual([{ by: 'a' }, { by: 'out' }]);
    gates['c']?.open();
    gates['d']?.open();
    await run.finished;
  });

  test('is the default', async () => {
    const acts: string[] = [];
    await runCalls({
      tools: [
        tool({
          name: 'plain',
          description: 'Says nothing of its effects.',
          execute: async (_params, { callId }) => {
            acts.push(`${callId} begins`);
            await Promise.resolve();
            acts.push(`${callId} ends`);
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'plain' }, { name: 'plain' }],
    });
    expect(acts).toEqual(['call-1-1 begins', 'call-1-1 ends', 'call-1-2 begins', 'call-1-2 ends']);
  });

  test('that makes others wait is mentioned once per tool and evaluation', async () => {
    const logger = recordingLogger();
    const named = (name: string, effects: ToolEffects): AnyTool =>
      tool({ name, description: 'Succeeds.', effects, execute: () => ToolResult.ok(null, 'OK') });
    const setup = {
      tools: [named('send', 'external'), named('post', 'external'), named('look', 'read')],
      turns: [
        [{ name: 'send' }],
        [{ name: 'send' }, { name: 'look' }, { name: 'send' }],
        [{ name: 'look' }, { name: 'look' }],
        [{ name: 'look' }, { name: 'send' }, { name: 'post' }],
      ],
      logger,
    };
    await runCalls(setup);
    const hints = (): readonly unknown[] =>
      logger.lines.filter(({ level }) => level === 'info').map(({ fields }) => fields['tool']);
    expect(hints()).toEqual(['send', 'post']);
    await runCalls(setup);
    expect(hints()).toEqual(['send', 'post', 'send', 'post']);
  });

  test('is not mentioned when nothing waits for it, alone or with a concurrency of 1', async () => {
    const logger = recordingLogger();
    const send = tool({ name: 'send', description: 'Sends.', execute: () => ToolResult.ok(null) });
    const look = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      execute: () => ToolResult.ok(null),
    });
    await runCalls({
      tools: [send, look],
      turns: [[{ name: 'send' }], [{ name: 'look' }, { name: 'look' }]],
      logger,
    });
    await runCalls({
      tools: [send],
      turns: [[{ name: 'send' }, { name: 'send' }]],
      logger,
      limits: { maxConcurrentCalls: 1 },
    });
    expect(logger.lines.filter(({ level }) => level === 'info')).toEqual([]);
  });
});
