import { describe, expect, test } from 'vitest';
import {
  defineEvent,
  defineSlice,
  type IdSource,
  PolicyDecision,
  type RunEvent,
  Session,
  type Slice,
  ToolCallLog,
  ToolInvoked,
  type ToolInvokedPayload,
  ToolResult,
  ToolValidationError,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { withoutPlaces } from '../../../support/event-places.ts';
import { createManualClock } from '../../../support/manual-clock.ts';
import { recordingLogger } from '../../../support/recording-logger.ts';
import { only, runCalls } from '../../../support/run-calls.ts';

const Saved = defineEvent({ name: 'saved', schema: z.object({ title: z.string() }) });
const Titles: Slice<{ title: string }> = defineSlice({
  name: 'titles',
  schema: z.object({ title: z.string() }),
  reducers: (on) => [on(Saved, (items, payload) => items.append(payload))],
});

const clock = createManualClock(5_000);
/** What says where the record of the only call of a session comes from, with ids that count. */
const origin = {
  eventId: 'id-3.1',
  evaluationId: 'id-1',
  promptName: 'calls',
  adapter: 'scripted model',
  sessionId: 'session',
};
const countingIds = (): IdSource => {
  let count = 0;
  return () => `id-${(count += 1)}`;
};
const save = tool({
  name: 'save',
  description: 'Saves a document.',
  effects: 'state',
  inputSchema: z.object({ title: z.string(), fail: z.enum(['no', 'result', 'throw']).default('no') }),
  outputSchema: z.object({ title: z.string(), bytes: z.number(), note: z.string().nullable() }),
  execute: async ({ title, fail }, { session, filesystem }) => {
    session.dispatch(Saved, { title });
    const { bytes } = await filesystem.write(`${title}.md`, 'text');
    clock.advance(25);
    if (fail === 'result') return ToolResult.error('The disk is full.', { free: 0 });
    if (fail === 'throw') throw new ToolValidationError('title is taken');
    return ToolResult.ok({ title, bytes, note: null }, 'Saved.');
  },
});

describe('the record of a call', () => {
  const record = async (
    args: { readonly title: string; readonly fail?: string },
    policyDenies = false,
  ): Promise<{
    readonly payload: ToolInvokedPayload;
    readonly heard: readonly unknown[];
    readonly events: readonly RunEvent[];
  }> => {
    const heard: unknown[] = [];
    const session = new Session({ id: 'session', clock, ids: countingIds() });
    session.dispatcher.subscribe(ToolInvoked, (payload, meta) => void heard.push(payload, meta));
    const { events } = await runCalls({
      session,
      tools: [save],
      slices: [Titles],
      calls: [{ name: 'save', callId: 'abc', arguments: args }],
      policies: policyDenies ? [{ name: 'office-hours', check: () => PolicyDecision.deny('closed') }] : [],
    });
    expect(heard[1]).toEqual({ eventName: 'weakincentives.tool-invoked', sessionId: session.id });
    return { payload: only(session.slice(ToolCallLog).all()), heard, events };
  };

  test('that was committed has all there is to know', async () => {
    const startedAtMs = clock.now();
    const { payload, heard, events } = await record({ title: 'plan' });
    expect(payload).toEqual({
      ...origin,
      callId: 'abc',
      toolName: 'save',
      turn: 1,
      params: { title: 'plan' },
      success: true,
      outcome: 'committed',
      message: 'Saved.',
      value: { title: 'plan', bytes: 4, note: null },
      rendered: '{"bytes":4,"title":"plan"}',
      modelText: 'Saved.\n\n{"bytes":4,"title":"plan"}',
      attempts: 1,
      conflicts: [],
      startedAtMs,
      durationMs: 25,
      changes: [{ path: 'plan.md', kind: 'created' }],
    });
    expect(heard[0]).toBe(payload);
    const ends = events.filter((event) => event.type === 'tool-call-end');
    expect(only(withoutPlaces(ends))).toEqual({
      type: 'tool-call-end',
      turn: 1,
      callId: payload?.callId,
      toolName: payload?.toolName,
      invocation: payload,
    });
  });

  test('that was denied names the policy and says that nothing was tried', async () => {
    const startedAtMs = clock.now();
    const { payload } = await record({ title: 'plan' }, true);
    expect(payload).toEqual({
      ...origin,
      callId: 'abc',
      toolName: 'save',
      turn: 1,
      params: { title: 'plan' },
      success: false,
      outcome: 'denied',
      reason: 'denied',
      policy: 'office-hours',
      message: 'The call of "save" was denied by the policy "office-hours": closed',
      rendered: '',
      modelText: 'The call of "save" was denied by the policy "office-hours": closed',
      attempts: 1,
      conflicts: [],
      startedAtMs,
      durationMs: 0,
      changes: [],
    });
  });

  test('that failed keeps message and value', async () => {
    const { payload, events } = await record({ title: 'plan', fail: 'result' });
    expect(payload).toEqual({
      ...origin,
      callId: 'abc',
      toolName: 'save',
      turn: 1,
      params: { title: 'plan', fail: 'result' },
      success: false,
      outcome: 'rolled-back',
      reason: 'failed-result',
      message: 'The disk is full.',
      value: { free: 0 },
      rendered: '{"free":0}',
      modelText: 'The disk is full.\n\n{"free":0}',
      attempts: 1,
      conflicts: [],
      startedAtMs: clock.now() - 25,
      durationMs: 25,
      changes: [],
    });
    expect(events.find((event) => event.type === 'tool-call-end')).not.toHaveProperty('cause');
  });

  test('that threw keeps the error as data, and observers get it as it was thrown', async () => {
    const { payload, events } = await record({ title: 'plan', fail: 'throw' });
    expect(payload).toMatchObject({
      outcome: 'rolled-back',
      reason: 'validation',
      error: { name: 'ToolValidationError', message: 'title is taken', code: 'tool-validation-failed' },
    });
    const end = events.find((event) => event.type === 'tool-call-end');
    expect(end?.type === 'tool-call-end' && ToolValidationError.isInstance(end.cause)).toBe(true);
  });

  test('that threw a very long message shows the model its beginning', async () => {
    const { texts } = await runCalls({
      tools: [
        tool({
          name: 'shout',
          description: 'Throws.',
          execute: () => {
            throw new Error('x'.repeat(10_000));
          },
        }),
      ],
      calls: [{ name: 'shout' }],
    });
    expect(only(texts)).toBe(`The tool "shout" failed: ${'x'.repeat(4_000)}…`);
  });

  test('takes its times from the clock of the evaluation, not of the session', async () => {
    const own = createManualClock(77);
    const { invocations } = await runCalls({
      session: new Session({ clock: createManualClock(1) }),
      clock: own,
      tools: [
        tool({
          name: 'take-time',
          description: 'Takes time.',
          execute: () => {
            own.advance(3);
            return ToolResult.ok(null);
          },
        }),
      ],
      calls: [{ name: 'take-time' }],
    });
    expect(only(invocations)).toMatchObject({ startedAtMs: 77, durationMs: 3 });
  });

  test('that never started says so', async () => {
    const { invocations } = await runCalls({
      clock: createManualClock(),
      tools: [save],
      calls: [{ name: 'sav', arguments: '{"title"' }],
    });
    const payload = only(invocations);
    expect(payload).toMatchObject({
      outcome: 'rejected',
      reason: 'unknown-tool',
      attempts: 0,
      durationMs: 0,
    });
    expect(payload).not.toHaveProperty('params');
    expect(payload).not.toHaveProperty('value');
    expect(payload).not.toHaveProperty('error');
  });

  test('is JSON and frozen to its depth, with the turn it belongs to', async () => {
    const { session, events } = await runCalls({
      tools: [save],
      slices: [Titles],
      turns: [
        [{ name: 'save', arguments: { title: 'one' } }],
        [{ name: 'save', arguments: { title: 'two' } }],
      ],
    });
    const payloads = session.slice(ToolCallLog).all();
    expect(payloads.map(({ turn }) => turn)).toEqual([1, 2]);
    for (const payload of payloads) {
      expect(JSON.parse(JSON.stringify(payload))).toEqual(payload);
      for (const part of [payload, payload.params, payload.value, payload.changes, payload.conflicts]) {
        expect(Object.isFrozen(part)).toBe(true);
      }
    }
    for (const event of events) {
      if (event.type === 'tool-call-end') expect(Object.isFrozen(event.invocation)).toBe(true);
    }
  });
});

describe('what a handler returns', () => {
  test('is frozen, so that nobody changes what is recorded', async () => {
    const value = { list: [{ deep: 1 }] };
    await runCalls({
      tools: [tool({ name: 'give', description: 'Gives.', execute: () => ToolResult.ok(value) })],
      calls: [{ name: 'give' }],
    });
    expect(() => value.list[0]?.deep === 1 && Object.assign(value.list[0], { deep: 2 })).toThrow(TypeError);
  });

  test('loses the keys that the output schema does not know, with a warning', async () => {
    const logger = recordingLogger();
    const { invocations } = await runCalls({
      logger,
      tools: [
        tool({
          name: 'give',
          description: 'Gives too much.',
          outputSchema: z.object({ user: z.object({ name: z.string() }) }),
          // What a handler gives whose value came from elsewhere.
          execute: () =>
            ToolResult.ok({ user: { name: 'ada', secret: 'x' }, more: 1 } as { user: { name: string } }),
        }),
      ],
      calls: [{ name: 'give' }],
    });
    expect(only(invocations)).toMatchObject({ outcome: 'committed', value: { user: { name: 'ada' } } });
    expect(JSON.stringify(only(invocations))).not.toContain('secret');
    expect(logger.lines).toContainEqual({
      level: 'warn',
      message: expect.stringContaining('dropped') as string,
      fields: { tool: 'give', keys: expect.arrayContaining(['user.secret', 'more']) as string[] },
    });
  });

  test('is what the output schema makes of it', async () => {
    const { invocations } = await runCalls({
      tools: [
        tool({
          name: 'give',
          description: 'Gives.',
          outputSchema: z.object({ words: z.string().transform((text) => text.split(' ')) }),
          execute: () => ToolResult.ok({ words: 'a b' }),
        }),
      ],
      calls: [{ name: 'give' }],
    });
    expect(only(invocations).value).toEqual({ words: ['a', 'b'] });
  });

  test('as the value of a failure is dropped when it is no JSON, with a warning', async () => {
    const logger = recordingLogger();
    const { invocations, texts } = await runCalls({
      logger,
      tools: [
        tool({
          name: 'fail',
          description: 'Fails.',
          execute: () => ToolResult.error('no', { when: new Date(0) }),
        }),
      ],
      calls: [{ name: 'fail' }],
    });
    expect(only(texts)).toBe('no');
    expect(only(invocations)).not.toHaveProperty('value');
    expect(logger.lines.map(({ level }) => level)).toContain('warn');
  });
});

describe('the event of a success', () => {
  const Last: Slice<{ title: string; params: string; callId: string }> = defineSlice({
    name: 'last',
    schema: z.object({ title: z.string(), params: z.string(), callId: z.string() }),

    reducers: (on) => [
      on(save.succeeded, (items, { value, params, callId }) =>
        items.replace([{ title: value.title, params: JSON.stringify(params), callId }]),
      ),
    ],
  });

  test('feeds reducers inside the call, with wire params and the value', async () => {
    const { session } = await runCalls({
      tools: [save],
      slices: [Titles, Last],
      calls: [{ name: 'save', arguments: { title: 'plan' } }],
    });
    expect(session.slice(Last).all()).toEqual([
      { title: 'plan', params: '{"title":"plan"}', callId: 'call-1-1' },
    ]);
  });

  test.each(['result', 'throw'])('is not there after a failure (%s)', async (fail) => {
    const { session } = await runCalls({
      tools: [save],
      slices: [Titles, Last],
      calls: [{ name: 'save', arguments: { title: 'plan', fail } }],
    });
    expect(session.slice(Last).all()).toEqual([]);
  });

  test('rolls back with the call when a policy fails afterwards', async () => {
    const { session } = await runCalls({
      tools: [save],
      slices: [Titles, Last],
      policies: [
        {
          name: 'ledger',
          onResult: (_call, _result, context) => {
            expect(context.session.slice(Last).all()).toHaveLength(1);
            throw new Error('full');
          },
        },
      ],
      calls: [{ name: 'save', arguments: { title: 'plan' } }],
    });
    expect(session.slice(Last).all()).toEqual([]);
    expect(session.slice(Titles).all()).toEqual([]);
  });

  test('that a reducer refuses fails the call', async () => {
    const Refusing: Slice<{ n: number }> = defineSlice({
      name: 'refusing',
      schema: z.object({ n: z.number() }),
      reducers: (on) => [
        on(save.succeeded, () => {
          throw new Error('no more titles');
        }),
      ],
    });
    const { invocations, session, texts } = await runCalls({
      tools: [save],
      slices: [Titles, Refusing],
      calls: [{ name: 'save', arguments: { title: 'plan' } }],
    });
    expect(only(invocations)).toMatchObject({ outcome: 'rolled-back', success: false });
    expect(only(texts)).toContain('no more titles');
    expect(session.slice(Titles).all()).toEqual([]);
  });
});
