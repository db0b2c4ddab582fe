import { describe, expect, test } from 'vitest';
import {
  defineSlice,
  type EvaluateOptions,
  type IdSource,
  PromptExecuted,
  type PromptExecutedPayload,
  PromptExecutionLog,
  PromptRendered,
  PromptRenderingLog,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  ToolInvoked,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { gate } from '../../../../support/gate.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { add, Count, calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';
import { recordingLogger } from '../../../../support/recording-logger.ts';
import { only } from '../../../../support/run-calls.ts';

const countingIds = (): IdSource => {
  let count = 0;
  return () => `id-${(count += 1)}`;
};

const clock = createManualClock(5_000);
const look = tool({
  name: 'look',
  description: 'Looks at a place.',
  effects: 'read',
  inputSchema: z.object({ place: z.string().describe('Where to look') }),
  execute: () => {
    clock.advance(20);
    return ToolResult.ok(null, 'Seen.');
  },
});
const template = promptTemplate({
  ns: 'test/events',
  key: 'survey',
  name: 'the survey',
  sections: [
    section({
      title: 'Task',
      key: 'task',
      params: z.object({ since: z.unknown(), topic: z.string().transform((topic) => topic.toUpperCase()) }),
      template: (p) => `Survey ${p.topic}.`,
      tools: [look],
    }),
  ],
  output: z.object({ found: z.string().transform((found) => found.length) }),
});
const prompt = template.bind({ since: new Date(0), topic: 'roofs' });
const surveyor = scriptedAdapter(
  [
    {
      toolCalls: [{ name: 'look', arguments: { place: 'town' } }],
      usage: { inputTokens: 10, outputTokens: 2 },
    },
    { text: '{"found":"three"}', usage: { inputTokens: 14, outputTokens: 3 } },
  ],
  { name: 'surveyor' },
);
const origin = {
  evaluationId: 'id-1',
  promptName: 'the survey',
  adapter: 'surveyor',
  sessionId: 'the-session',
};

/** Evaluates with a session of its own and keeps the events that its subscribers hear. */
async function observe(
  evaluate: (options: EvaluateOptions) => Promise<unknown>,
): Promise<{ session: Session; heard: [string, unknown][]; error: unknown }> {
  const session = new Session({ id: 'the-session', clock, ids: countingIds() });
  const heard: [string, unknown][] = [];
  session.dispatcher.subscribeAll((payload, { eventName }) => heard.push([eventName, payload]));
  const error: unknown = await evaluate({ session }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { session, heard, error };
}

describe('the events of an evaluation', () => {
  test('say what the model got, what it called, and how it came out', async () => {
    const { heard, session } = await observe((options) => surveyor.evaluate(prompt, options));
    expect(heard.map(([name]) => name)).toEqual([
      PromptRendered.name,
      look.succeeded.name,
      ToolInvoked.name,
      PromptExecuted.name,
    ]);
    const startedAtMs = clock.now() - 20;
    expect(heard[0]?.[1]).toEqual({
      eventId: 'id-2',
      ...origin,
      descriptor: expect.objectContaining({
        ns: 'test/events',
        key: 'survey',
        name: 'the survey',
      }) as unknown,
      // As they were bound, before the section made anything of them.
      params: { since: '1970-01-01T00:00:00.000Z', topic: 'roofs' },
      text: expect.stringContaining('Survey ROOFS.') as unknown,
      tools: [
        {
          name: 'look',
          description: 'Looks at a place.',
          inputSchema: expect.objectContaining({
            additionalProperties: false,
            properties: { place: { type: 'string', description: 'Where to look' } },
          }) as unknown,
        },
      ],
      hostedTools: [],
      atMs: startedAtMs,
    });
    expect(heard[2]?.[1]).toMatchObject({ eventId: 'id-3.1', ...origin, toolName: 'look', durationMs: 20 });
    expect(heard[3]?.[1]).toEqual({
      eventId: 'id-4',
      ...origin,
      renderId: 'id-2',
      outcome: 'finished',
      text: '{"found":"three"}',
      // As the model wrote it, before the schema made a number of it.
      output: { found: 'three' },
      finishReason: 'stop',
      usage: { inputTokens: 24, outputTokens: 5 },
      turns: 2,
      startedAtMs,
      durationMs: 20,
    });
    const records = [
      only(session.slice(PromptRenderingLog).all()),
      only(session.slice(ToolCallLog).all()),
      only(session.slice(PromptExecutionLog).all()),
    ];
    for (const [index, at] of [0, 2, 3].entries()) {
      expect(records[index]).toBe(heard[at]?.[1]);
      expect(JSON.parse(JSON.stringify(records[index]))).toEqual(records[index]);
    }
  });

  test('tell evaluations on one session apart', async () => {
    const { session } = await observe(async (options) => {
      await surveyor.evaluate(prompt, options);
      await surveyor.evaluate(prompt, options);
    });
    const executions = session.slice(PromptExecutionLog).all();
    expect(executions.map(({ evaluationId }) => evaluationId)).toEqual(['id-1', 'id-5']);
    expect(
      session
        .slice(ToolCallLog)
        .all()
        .map(({ evaluationId }) => evaluationId),
    ).toEqual(['id-1', 'id-5']);
  });

  test('are kept in bounded numbers', async () => {
    const plain = promptWith('plain', []);
    const { session } = await observe(async (options) => {
      for (let run = 0; run < 101; run += 1) await modelFor({}).evaluate(plain, options);
    });
    expect(session.slice(PromptRenderingLog).length).toBe(100);
    expect(session.slice(PromptExecutionLog).length).toBe(101);
  });

  test('come from the clock and the ids of the evaluation when it is given its own', async () => {
    let count = 0;
    const { session } = await observe((options) =>
      surveyor.evaluate(prompt, {
        ...options,
        clock: createManualClock(77),
        ids: () => `own-${(count += 1)}`,
      }),
    );
    expect(only(session.slice(PromptExecutionLog).all())).toMatchObject({
      eventId: 'own-4',
      evaluationId: 'own-1',
      startedAtMs: 77,
      durationMs: 0,
    });
  });

  test('that a reducer refuses change nothing, and are logged', async () => {
    const Refusing = defineSlice({
      name: 'refusing',
      schema: z.object({}),
      policy: 'log',
      reducers: (on) => [
        on(PromptExecuted, () => {
          throw new Error('full');
        }),
        on(PromptRendered, (items) => items.append({})),
      ],
    });
    const logger = recordingLogger();
    const { error, session } = await observe((options) => {
      options.session?.install(Refusing);
      return surveyor.evaluate(prompt, { ...options, logger });
    });
    expect(error).toBeUndefined();
    expect(session.slice(PromptExecutionLog).length).toBe(0);
    expect(logger.lines.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: 'An event of an evaluation could not be recorded.',
        fields: {
          event: 'weakincentives.prompt-executed',
          error: expect.stringContaining('full') as unknown,
        },
      },
    ]);
  });
});

describe('the end of a failed evaluation', () => {
  const executed = (session: Session): PromptExecutedPayload => only(session.slice(PromptExecutionLog).all());

  test('names the error, its code and its phase', async () => {
    const broken = scriptedAdapter([{ toolCalls: [{ name: 'look', arguments: { place: 'x' } }] }]);
    const { session, error } = await observe((options) => broken.evaluate(prompt, options));
    expect(error).toMatchObject({ phase: 'request' });
    expect(executed(session)).toMatchObject({
      outcome: 'failed',
      renderId: 'id-2',
      error: { name: 'PromptEvaluationError', code: 'evaluation-request-failed', phase: 'request' },
      turns: 2,
    });
    expect(executed(session)).not.toHaveProperty('text');
    expect(executed(session)).not.toHaveProperty('finishReason');
  });

  test('is recorded for an answer that does not fit, with what it cost', async () => {
    const wrong = scriptedAdapter([{ text: 'no JSON', usage: { outputTokens: 7 } }]);
    const { session } = await observe((options) =>
      wrong.evaluate(prompt, { ...options, limits: { maxOutputRepairs: 0 } }),
    );
    expect(executed(session)).toMatchObject({
      error: { phase: 'parse' },
      usage: { outputTokens: 7 },
      turns: 1,
    });
  });

  test('is recorded for a prompt that cannot be rendered, without a rendered prompt', async () => {
    // What a caller without types may leave out.
    const incomplete = template.bind({ topic: 'x' } as never);
    const { session, heard } = await observe((options) => surveyor.evaluate(incomplete, options));
    expect(heard.map(([name]) => name)).toEqual([PromptExecuted.name]);
    expect(executed(session)).toMatchObject({ outcome: 'failed', error: { phase: 'render' }, turns: 0 });
    expect(executed(session)).not.toHaveProperty('renderId');
  });

  test('is recorded for a run that is aborted, also before it begins', async () => {
    const { session } = await observe((options) =>
      surveyor.evaluate(prompt, { ...options, signal: AbortSignal.abort(new Error('stop it')) }),
    );
    expect(executed(session)).toMatchObject({ error: { code: 'evaluation-aborted', phase: 'render' } });
  });
});

describe('the events of an evaluation inside a call', () => {
  const names = (heard: readonly [string, unknown][]): string[] =>
    heard.map(([name, payload]) => {
      const { promptName } = payload as { readonly promptName?: string };
      return promptName === undefined ? name : `${name} ${promptName}`;
    });

  test('are heard in the order of commits, and name the call around them', async () => {
    const inner = promptWith('inner', [add]);
    const run = delegate('state', async ({ adapter }) => {
      await adapter.evaluate(inner);
      return ToolResult.ok(null);
    });
    const { heard, session } = await observe((options) =>
      modelFor({ outer: [calling('delegate')], inner: [calling('add')] }).evaluate(
        promptWith('outer', [run]),
        options,
      ),
    );
    expect(names(heard).filter((name) => !name.includes('added') && !name.includes('succeeded'))).toEqual([
      'weakincentives.prompt-rendered outer',
      'weakincentives.prompt-rendered inner',
      'weakincentives.tool-invoked inner',
      'weakincentives.prompt-executed inner',
      'weakincentives.tool-invoked outer',
      'weakincentives.prompt-executed outer',
    ]);
    const [executedInside, executed] = session.slice(PromptExecutionLog).all();
    expect(executedInside?.parentCallIds).toEqual(['call-1-1']);
    expect(executedInside?.sessionId).toBe(session.id);
    expect(executed).not.toHaveProperty('parentCallIds');
  });

  test.each(['state', 'read'] as const)(
    'outlive the failure of a call with effects "%s", while its state is rolled back',
    async (effects) => {
      const inner = promptWith('inner', effects === 'read' ? [] : [add]);
      const run = delegate(effects, async ({ adapter }) => {
        await adapter.evaluate(inner);
        return ToolResult.error('no');
      });
      const { session } = await observe((options) =>
        modelFor({
          outer: [calling('delegate')],
          inner: effects === 'read' ? [] : [calling('add')],
        }).evaluate(promptWith('outer', [run]), options),
      );
      expect(session.slice(Count).all()).toEqual([]);
      expect(
        session
          .slice(PromptExecutionLog)
          .all()
          .map(({ promptName }) => promptName),
      ).toEqual(['inner', 'outer']);
    },
  );

  test('of an attempt that is run again were never there', async () => {
    const inner = promptWith('inner', []);
    const [seen, changed] = [gate(), gate()];
    const slow = delegate('state', async ({ adapter, session, attempt }) => {
      session.slice(Count).latest();
      await adapter.evaluate(inner);
      seen.open();
      if (attempt === 1) await changed.pass();
      return ToolResult.ok(null);
    });
    const quick = delegate(
      'state',
      async ({ session, attempt }) => {
        expect(attempt).toBe(1);
        await seen.pass();
        session.slice(Count).append({ total: 1 });
        changed.open();
        return ToolResult.ok(null);
      },
      { name: 'quick' },
    );
    const { session } = await observe((options) =>
      modelFor({ outer: [calling('quick', 'delegate')] }).evaluate(
        promptWith('outer', [slow, quick]),
        options,
      ),
    );
    expect(
      session
        .slice(ToolCallLog)
        .all()
        .map(({ attempts }) => attempts),
    ).toEqual([1, 2]);
    expect(
      session
        .slice(PromptExecutionLog)
        .all()
        .map(({ promptName }) => promptName),
    ).toEqual(['inner', 'outer']);
  });
});
