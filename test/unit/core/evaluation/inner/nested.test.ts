import { describe, expect, test } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  PromptEvaluationError,
  promptTemplate,
  type RunEvent,
  Session,
  SessionBusyError,
  section,
  ToolCallLog,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import {
  Added,
  add,
  Count,
  calling,
  delegate,
  modelFor,
  promptWith,
} from '../../../../support/nested-setup.ts';

const textsOf = (conversation: readonly { readonly type: string }[]): readonly string[] =>
  conversation.flatMap((item) => ('text' in item ? [String(item.text)] : []));
const recordsOf = (session: Session): readonly unknown[] =>
  session
    .slice(ToolCallLog)
    .all()
    .map(({ toolName, parentCallIds = [], outcome }) => [...parentCallIds, toolName, outcome]);

describe('what inner calls change', () => {
  test('is seen by the handler at once, by everyone else when the call is committed', async () => {
    const session = new Session();
    session.install(Count);
    const heard: string[] = [];
    const steps: string[] = [];
    session.dispatcher.subscribe(Added, () => {
      heard.push('added');
    });
    const outer = delegate('state', async (context) => {
      await context.adapter.evaluate(promptWith('inner', [add]));
      steps.push(
        `inside ${context.session.slice(Count).latest()?.total}, outside ${session.slice(Count).length}`,
      );
      expect(heard).toEqual([]);
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('add', 'add')] }).evaluate(
      promptWith('outer', [outer]),
      { session },
    );
    expect(steps).toEqual(['inside 2, outside 0']);
    expect(heard).toEqual(['added', 'added']);
    expect(session.slice(Count).all()).toEqual([{ total: 2 }]);
  });

  test('is gone when the outer call fails, but its records stay', async () => {
    const session = new Session();
    const filesystem = new MemoryFilesystem();
    const write = tool({
      name: 'write',
      description: 'Writes.',
      effects: 'state',
      execute: async (_params, context) => {
        await context.filesystem.write('a', 'inner');
        return ToolResult.ok(null);
      },
    });
    const outer = delegate('state', async (context) => {
      await context.adapter.evaluate(promptWith('inner', [add, write]));
      expect((await context.filesystem.read('a')).text).toBe('inner');
      return ToolResult.error('No.');
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'outer',
      resources: [binding(Filesystem, { instance: filesystem })],
      sections: [section({ title: 'Outer', key: 'outer', template: 'This is outer.', tools: [outer] })],
    }).bind();
    await modelFor({ outer: [calling('delegate')], inner: [calling('add', 'write')] }).evaluate(prompt, {
      session,
    });
    expect(session.slice(Count).all()).toEqual([]);
    expect(await filesystem.list()).toEqual([]);
    expect(recordsOf(session)).toEqual([
      ['call-1-1', 'add', 'committed'],
      ['call-1-1', 'write', 'committed'],
      ['delegate', 'rolled-back'],
    ]);
  });

  test('by a failing inner call is gone alone', async () => {
    const session = new Session();
    const fails = tool({
      name: 'fails',
      description: 'Fails.',
      effects: 'state',
      execute: (_params, context) => {
        context.session.dispatch(Added, { by: 100 });
        return ToolResult.error('No.');
      },
    });
    const outer = delegate('state', async (context) => {
      const { conversation } = await context.adapter.evaluate(promptWith('inner', [add, fails]));
      return ToolResult.ok(null, textsOf(conversation).join(' '));
    });
    const { conversation } = await modelFor({
      outer: [calling('delegate')],
      inner: [calling('add', 'fails', 'add')],
    }).evaluate(promptWith('outer', [outer]), { session });
    expect(textsOf(conversation)).toEqual(['Counted 1. No. Counted 2.']);
    expect(session.slice(Count).all()).toEqual([{ total: 2 }]);
  });

  test('commits two deep, and fails from the middle', async () => {
    for (const fails of [false, true]) {
      const session = new Session();
      const middle = delegate(
        'state',
        async (context) => {
          await context.adapter.evaluate(promptWith('innermost', [add]));
          return fails ? ToolResult.error('No.') : ToolResult.ok(null);
        },
        { name: 'middle' },
      );
      const outer = delegate('state', async (context) => {
        context.session.dispatch(Added, { by: 10 });
        await context.adapter.evaluate(promptWith('inner', [middle]));
        return ToolResult.ok(null);
      });
      await modelFor({
        outer: [calling('delegate')],
        inner: [calling('middle')],
        innermost: [calling('add')],
      }).evaluate(promptWith('outer', [outer]), { session });
      expect(session.slice(Count).all()).toEqual([{ total: fails ? 10 : 11 }]);
      expect(recordsOf(session)).toEqual([
        ['call-1-1', 'call-1-1', 'add', 'committed'],
        ['call-1-1', 'middle', fails ? 'rolled-back' : 'committed'],
        ['delegate', 'committed'],
      ]);
    }
  });

  test('of a superseded attempt leaves nothing, not even records; the tokens are counted', async () => {
    const session = new Session();
    const outer = delegate('state', async (context) => {
      await context.adapter.evaluate(promptWith('inner', [add]));
      return ToolResult.ok(null, `Attempt ${context.attempt}.`);
    });
    const adapter = modelFor({
      outer: [{ ...calling('delegate', 'delegate'), usage: { inputTokens: 100 } }],
      inner: [
        { ...calling('add'), usage: { inputTokens: 10 } },
        { text: 'added', usage: { inputTokens: 1 } },
      ],
    });
    const { conversation, usage } = await adapter.evaluate(promptWith('outer', [outer]), { session });
    expect(textsOf(conversation)).toEqual(['Attempt 1.', 'Attempt 2.']);
    expect(session.slice(Count).all()).toEqual([{ total: 2 }]);
    expect(recordsOf(session)).toEqual([
      ['call-1-1', 'add', 'committed'],
      ['delegate', 'committed'],
      ['call-1-2', 'add', 'committed'],
      ['delegate', 'committed'],
    ]);
    expect(usage).toEqual({ inputTokens: 133 });
    const spent = session.slice(ToolCallLog).where(({ toolName }) => toolName === 'delegate');
    expect(spent.map((record) => record.usage)).toEqual([{ inputTokens: 11 }, { inputTokens: 22 }]);
  });

  test('conflicts between evaluations that one handler runs at the same time', async () => {
    const session = new Session();
    const outer = delegate('state', async (context) => {
      await Promise.all([
        context.adapter.evaluate(promptWith('inner', [add])),
        context.adapter.evaluate(promptWith('inner', [add])),
      ]);
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('add', 'add')] }).evaluate(
      promptWith('outer', [outer]),
      { session },
    );
    expect(session.slice(Count).all()).toEqual([{ total: 4 }]);
  });
});

describe('what is told', () => {
  test('of an inner run says in which call it is', async () => {
    const events: RunEvent[] = [];
    const outer = delegate('state', async (context) => {
      await context.adapter.evaluate(promptWith('inner', [add]));
      await context.adapter.evaluate(promptWith('second', []));
      return ToolResult.ok(null);
    });
    await modelFor({ outer: [calling('delegate')], inner: [calling('add')] }).evaluate(
      promptWith('outer', [outer]),
      { observers: [{ onEvent: (event) => events.push(event) }] },
    );
    const nested = events.flatMap(({ path, type }) =>
      path.map((step) => `${step.callId} ${step.toolName} ${step.attempt} ${step.evaluation}: ${type}`),
    );
    const prefix = 'call-1-1 delegate 1';
    expect(nested).toEqual([
      ...[
        'run-start',
        'turn-start',
        'model-call-start',
        'model-call-end',
        'usage-counted',
        'tool-call-start',
        'tool-call-end',
        'turn-end',
        'turn-start',
        'model-call-start',
        'model-call-end',
        'usage-counted',
        'turn-end',
        'run-end',
      ].map((type) => `${prefix} 1: ${type}`),
      ...[
        'run-start',
        'turn-start',
        'model-call-start',
        'model-call-end',
        'usage-counted',
        'turn-end',
        'run-end',
      ].map((type) => `${prefix} 2: ${type}`),
    ]);
    // Each evaluation has one id and one array in all that it reports.
    const paths = new Map(events.map(({ evaluationId, path }) => [evaluationId, path]));
    expect(paths.size).toBe(3);
    expect(events.every(({ evaluationId, path }) => paths.get(evaluationId) === path)).toBe(true);
    expect(events.every(({ path }) => Object.isFrozen(path) && path.every(Object.isFrozen))).toBe(true);
  });

  test('by the answer is typed and parsed', async () => {
    const template = promptTemplate({
      ns: 'test',
      key: 'structured',
      sections: [section({ title: 'Inner', key: 'inner', template: 'This is inner.' })],
      output: z.object({ score: z.number() }),
    });
    const outer = delegate('read', async (context) => {
      const { output } = await context.adapter.evaluate(template.bind(), { input: 'How good?' });
      return ToolResult.ok(null, `Twice ${output.score * 2}`);
    });
    const adapter = modelFor({ outer: [calling('delegate')], inner: [{ text: '{"score":21}' }] });
    const { conversation } = await adapter.evaluate(promptWith('outer', [outer]));
    expect(textsOf(conversation)).toEqual(['Twice 42']);
    expect(adapter.name).toBe('scripted model');
  });
});

describe('the handler', () => {
  test('may catch what ended an inner evaluation; not caught it is a failed result', async () => {
    for (const caught of [true, false]) {
      const outer = delegate('state', async (context) => {
        const evaluation = context.adapter.evaluate(promptWith('inner', [add]), { limits: { maxTurns: 1 } });
        if (!caught) await evaluation;
        const error: unknown = await evaluation.catch((thrown: unknown) => thrown);
        expect(PromptEvaluationError.isInstance(error) && error.code).toBe('evaluation-turns-exceeded');
        return ToolResult.ok(null, 'caught');
      });
      const session = new Session();
      const { conversation, usage } = await modelFor({
        outer: [calling('delegate')],
        inner: [{ ...calling('add'), usage: { outputTokens: 5 } }],
      }).evaluate(promptWith('outer', [outer]), { session });
      expect(textsOf(conversation)[0]).toContain(caught ? 'caught' : 'still wants to call tools');
      expect(session.slice(Count).length).toBe(caught ? 1 : 0);
      expect(usage).toEqual({ outputTokens: 5 });
    }
  });

  test('is told to use its own adapter when it tries the held session', async () => {
    const session = new Session();
    const adapter = modelFor({ outer: [calling('delegate')] });
    const errors: unknown[] = [];
    const outer = delegate('external', async (context) => {
      errors.push(
        await adapter.evaluate(promptWith('inner', []), { session }).catch((error: unknown) => error),
        // A handler without types may pass what the type does not know.
        await context.adapter
          .evaluate(promptWith('inner', []), { session } as object)
          .catch((error: unknown) => error),
      );
      return ToolResult.ok(null);
    });
    await adapter.evaluate(promptWith('outer', [outer]), { session });
    expect(SessionBusyError.isInstance(errors[0])).toBe(true);
    expect(String(errors[0])).toContain('context.adapter.evaluate()');
    expect(String(errors[1])).toContain('Leave out the option session');
  });

  test('cannot evaluate inside itself without end', async () => {
    let begun = 0;
    const again = delegate('read', async (context) => {
      begun += 1;
      await context.adapter.evaluate(inner());
      return ToolResult.ok(null);
    });
    const inner = () => promptWith('inner', [again]);
    const session = new Session();
    await modelFor({ inner: [calling('delegate')] }).evaluate(inner(), { session });
    expect(begun).toBe(9);
    const [deepest] = session.slice(ToolCallLog).all();
    expect(deepest?.parentCallIds).toHaveLength(8);
    expect(deepest?.message).toContain('9 calls run inside one another, and at most 8 may');
  });
});

test('tokens spent two deep are counted once on every level', async () => {
  const session = new Session();
  const inputs: (number | undefined)[] = [];
  const delegateTo = (key: string, tools: Parameters<typeof promptWith>[1], name: string) =>
    delegate(
      'state',
      async (context) => {
        const { usage } = await context.adapter.evaluate(promptWith(key, tools));
        inputs.push(usage.inputTokens);
        return ToolResult.ok(null);
      },
      { name },
    );
  const middle = delegateTo('innermost', [], 'middle');
  const adapter = modelFor({
    outer: [{ ...calling('outermost'), usage: { inputTokens: 1 } }],
    inner: [{ ...calling('middle', 'middle'), usage: { inputTokens: 10 } }],
    innermost: [{ text: 'done', usage: { inputTokens: 100 } }],
  });
  const { usage } = await adapter.evaluate(
    promptWith('outer', [delegateTo('inner', [middle], 'outermost')]),
    {
      session,
    },
  );
  expect(inputs).toEqual([100, 100, 210]);
  expect(usage).toEqual({ inputTokens: 211 });
});

test.each([
  ['a number out of its range', { limits: { maxTurns: 0 } }, 'limits.maxTurns must be a whole number'],
  [
    'a deadline of something else',
    { limits: { deadline: { expiresAtMs: 1, remainingMs: () => 1, isExpired: () => false } } },
    'must be a Deadline',
  ],
])('refuses %s', async (_what, options, message) => {
  const outer = delegate('read', async (context) => {
    await context.adapter.evaluate(promptWith('inner', []), options);
    return ToolResult.ok(null);
  });
  const { conversation } = await modelFor({ outer: [calling('delegate')] }).evaluate(
    promptWith('outer', [outer]),
  );
  expect(textsOf(conversation)[0]).toContain(message);
});
