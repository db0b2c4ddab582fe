import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  type ApprovalRequest,
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  PolicyDecision,
  promptTemplate,
  resourceToken,
  Session,
  type Slice,
  section,
  type ToolPolicy,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';
import { gate } from '../../../../../support/gate.ts';
import { type CallSetup, only, runCalls, startCalls } from '../../../../../support/run-calls.ts';

const Used = defineEvent({ name: 'used', schema: z.object({ tool: z.string() }) });
const Uses: Slice<{ tool: string }> = defineSlice({
  name: 'uses',
  schema: z.object({ tool: z.string() }),
  reducers: (on) => [on(Used, (items, payload) => items.append(payload))],
});
const Counted = defineEvent({ name: 'counted', schema: z.object({ count: z.number() }) });
const Count: Slice<{ count: number }> = defineSlice({
  name: 'count',
  schema: z.object({ count: z.number() }),
  reducers: (on) => [on(Counted, (items, payload) => items.replace([payload]))],
});

/** Writes one file with the count it finds. */
const write: AnyTool = tool({
  name: 'write',
  description: 'Writes a file.',
  effects: 'state',
  inputSchema: z.object({ path: z.string().default('notes.md') }),
  execute: async ({ path }, { filesystem, session }) => {
    await filesystem.write(path, `count ${session.slice(Count).latest()?.count ?? 0}`);
    return ToolResult.ok(null);
  },
});
const setup: CallSetup = { tools: [write], slices: [Count, Uses], calls: [{ name: 'write' }] };
// What a policy answers that was written without types.
const nonsense = (value: unknown): PolicyDecision => value as PolicyDecision;

describe('check', () => {
  test("asks the section's policies before the prompt's, and stops at the first denial", async () => {
    const asked: string[] = [];
    const policy = (name: string, decision: PolicyDecision = PolicyDecision.allow()): ToolPolicy => ({
      name,
      check: () => {
        asked.push(name);
        return decision;
      },
    });
    const { texts, invocations } = await runCalls({
      ...setup,
      policies: [policy('section-first'), policy('section-second')],
      promptPolicies: [
        policy('prompt-first'),
        policy('prompt-second', PolicyDecision.deny('no')),
        policy('prompt-third'),
      ],
    });
    expect(asked).toEqual(['section-first', 'section-second', 'prompt-first', 'prompt-second']);
    expect(only(texts)).toContain('"prompt-second": no');
    expect(only(invocations)).toMatchObject({ outcome: 'denied', reason: 'denied', policy: 'prompt-second' });
  });

  test('gets the parsed params, the call id, the tool, and views of the call', async () => {
    const Pad = resourceToken<{ readonly lines: string[] }>('pad');
    const seen: unknown[] = [];
    await runCalls({
      ...setup,
      files: { 'notes.md': 'old' },
      resources: [binding(Pad, { create: () => ({ lines: [] }) })],
      policies: [
        {
          name: 'look',
          check: async (call, context) => {
            const text = (await context.filesystem?.read('notes.md'))?.text;
            seen.push(call.params, call.callId, call.tool, text, (await context.resources.get(Pad)).lines);
            seen.push(context.session.slice(Count).all(), context.signal.aborted);
            return PolicyDecision.allow();
          },
        },
      ],
    });
    expect(seen).toEqual([{ path: 'notes.md' }, 'call-1-1', write, 'old', [], [], false]);
  });

  test('is not asked when the arguments do not fit', async () => {
    let asked = 0;
    await runCalls({
      ...setup,
      calls: [{ name: 'write', arguments: { path: 7 } }],
      policies: [{ name: 'count', check: () => ((asked += 1), PolicyDecision.allow()) }],
    });
    expect(asked).toBe(0);
  });

  test.each([undefined, null, 'deny', { outcome: 'perhaps' }, {}])(
    'that answers %j denies',
    async (answer) => {
      let ran = 0;
      const { texts, invocations } = await runCalls({
        calls: [{ name: 'run' }],
        tools: [
          tool({ name: 'run', description: 'Runs.', execute: () => ((ran += 1), ToolResult.ok(null)) }),
        ],
        policies: [{ name: 'odd', check: () => nonsense(answer) }],
        approve: () => true,
      });
      expect(only(invocations)).toMatchObject({ outcome: 'denied', policy: 'odd' });
      expect(only(texts)).toMatch(/"odd".*no decision/);
      expect(ran).toBe(0);
    },
  );

  test('that reads what an earlier call of the turn changes is asked again', async () => {
    const atMostOnce: ToolPolicy = {
      name: 'at-most-once',
      check: (call, { session }) =>
        session.slice(Uses).where((use) => use.tool === call.tool.name).length === 0
          ? PolicyDecision.allow()
          : PolicyDecision.deny('used already'),
      onResult: (call, _result, { session }) => session.dispatch(Used, { tool: call.tool.name }),
    };
    const { invocations, session } = await runCalls({
      ...setup,
      policies: [atMostOnce],
      calls: [{ name: 'write' }, { name: 'write' }],
    });
    expect(invocations.map(({ outcome, attempts }) => [outcome, attempts])).toEqual([
      ['committed', 1],
      ['denied', 2],
    ]);
    expect(session.slice(Uses).all()).toEqual([{ tool: 'write' }]);
  });
});

describe('what a policy holds on to', () => {
  test('is closed when the call has ended, committed or not', async () => {
    const kept: (() => unknown)[] = [];
    await runCalls({
      ...setup,
      calls: [{ name: 'write' }, { name: 'write', arguments: { path: '../outside' } }],
      policies: [
        {
          name: 'keeper',
          check: (_call, { session, filesystem, resources }) => {
            kept.push(
              () => session.slice(Count).all(),
              () => session.dispatch(Counted, { count: 1 }),
              () => filesystem?.write('late.txt', 'late'),
              () => resources.get(Filesystem),
            );
            return PolicyDecision.allow();
          },
        },
      ],
    });
    expect(kept).toHaveLength(8);
    for (const access of kept) await expect(async () => access()).rejects.toThrow(TransactionClosedError);
  });

  test('of a superseded attempt is disposed before the next one begins, of the last one after the commit', async () => {
    const Pad = resourceToken<{ readonly id: number }>('pad');
    const session = new Session();
    session.install(Count);
    const acts: string[] = [];
    let built = 0;
    const { invocations } = await runCalls({
      session,
      tools: [
        tool({
          name: 'disturbed',
          description: 'Is disturbed at first.',
          effects: 'state',
          execute: (_params, context) => {
            acts.push(`attempt ${context.attempt}`);
            context.session.slice(Count).all();
            if (context.attempt === 1) session.dispatch(Counted, { count: 1 });
            return ToolResult.ok(null);
          },
        }),
      ],
      resources: [
        binding(Pad, {
          create: () => {
            built += 1;
            const id = built;
            return { id, [Symbol.dispose]: () => void acts.push(`pad ${id} disposed`) };
          },
          scope: 'tool-call',
        }),
      ],
      policies: [
        {
          name: 'writer',
          check: async (_call, { resources }) => {
            await resources.get(Pad);
            return PolicyDecision.allow();
          },
        },
      ],
      calls: [{ name: 'disturbed' }],
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-end') acts.push('ended');
          },
        },
      ],
    });
    expect(only(invocations).attempts).toBe(2);
    expect(acts).toEqual(['attempt 1', 'pad 1 disposed', 'attempt 2', 'ended', 'pad 2 disposed']);
  });
});

describe('a policy of one section', () => {
  test('does not cover the tools of another', async () => {
    const run = (name: string): AnyTool =>
      tool({ name, description: 'Runs.', effects: 'state', execute: () => ToolResult.ok(name, '') });
    const closed: ToolPolicy = { name: 'closed', check: () => PolicyDecision.deny('closed') };
    const template = promptTemplate({
      ns: 'test',
      key: 'scopes',
      sections: [
        section({
          title: 'Guarded',
          key: 'guarded',
          template: 'Guarded.',
          tools: [run('guarded')],
          policies: [closed],
          children: [section({ title: 'Child', key: 'child', template: 'Child.', tools: [run('child')] })],
        }),
        section({ title: 'Open', key: 'open', template: 'Open.', tools: [run('open')] }),
      ],
    });
    const response = await scriptedAdapter([
      { toolCalls: [{ name: 'guarded' }, { name: 'child' }, { name: 'open' }] },
      { text: 'done' },
    ]).evaluate(template.bind());
    const results = response.conversation.filter((item) => item.type === 'tool-result');
    expect(results.map(({ isError }) => isError)).toEqual([true, true, false]);
  });
});

describe('a question', () => {
  test('from check is put before the handler runs, with params and reason and without changes', async () => {
    const requests: ApprovalRequest[] = [];
    const acts: string[] = [];
    const signals: boolean[] = [];
    await runCalls({
      tools: [
        tool({
          name: 'send',
          description: 'Sends.',
          inputSchema: z.object({ to: z.string(), copies: z.number().default(1) }),
          execute: () => (acts.push('handler'), ToolResult.ok(null)),
        }),
      ],
      policies: [{ name: 'careful', check: () => PolicyDecision.ask('a letter') }],
      calls: [{ name: 'send', arguments: { to: 'ada' } }],
      approve: (request, { signal }) => {
        acts.push('approve');
        requests.push(request);
        signals.push(signal.aborted);
        return { approved: true };
      },
    });
    expect(acts).toEqual(['approve', 'handler']);
    expect(requests).toEqual([
      {
        callId: 'call-1-1',
        toolName: 'send',
        params: { to: 'ada' },
        path: [],
        policy: 'careful',
        reason: 'a letter',
      },
    ]);
    expect(signals).toEqual([false]);
  });

  test('is put for each policy that asks, in order, until one is refused', async () => {
    const asked: string[] = [];
    const { texts } = await runCalls({
      ...setup,
      policies: ['a', 'b', 'c'].map((name) => ({
        name,
        check: () => PolicyDecision.ask(`because of ${name}`),
      })),
      approve: ({ policy }) => (asked.push(policy), policy !== 'b'),
    });
    expect(asked).toEqual(['a', 'b']);
    expect(only(texts)).toContain('"b" (because of b)');
  });

  test.each(['check', 'checkChanges'] as const)(
    'from %s is not put when another policy denies',
    async (hook) => {
      let asked = 0;
      const { invocations } = await runCalls({
        ...setup,
        policies: [
          { name: 'asks', [hook]: () => PolicyDecision.ask('?') },
          { name: 'denies', [hook]: () => PolicyDecision.deny('no') },
        ],
        approve: () => ((asked += 1), true),
      });
      expect(asked).toBe(0);
      expect(only(invocations)).toMatchObject({ outcome: 'denied', reason: 'denied', policy: 'denies' });
    },
  );

  test('whose answer fails is refused, with the reason', async () => {
    const { texts, invocations } = await runCalls({
      ...setup,
      policies: [{ name: 'careful', check: () => PolicyDecision.ask('sure?') }],
      approve: async () => Promise.reject(new Error('the line is dead')),
    });
    expect(only(invocations)).toMatchObject({
      outcome: 'denied',
      reason: 'not-approved',
      policy: 'careful',
      error: { name: 'Error', message: 'the line is dead' },
    });
    expect(only(texts)).toContain('the line is dead');
  });

  test.each([undefined, null, 'yes', 1, {}, { approved: 'yes' }])(
    'that is answered with %j is refused',
    async (answer) => {
      const { invocations } = await runCalls({
        ...setup,
        policies: [{ name: 'careful', check: () => PolicyDecision.ask('sure?') }],
        // What a function answers that was written without types.
        approve: () => answer as unknown as boolean,
      });
      expect(only(invocations)).toMatchObject({ outcome: 'denied', reason: 'not-approved' });
    },
  );

  test('from checkChanges is put with the changes once all earlier calls are committed', async () => {
    const first = gate();
    const requests: ApprovalRequest[] = [];
    const heads: number[] = [];
    const run = startCalls({
      tools: [
        tool({
          name: 'slow',
          description: 'Is slow.',
          effects: 'state',
          execute: async () => {
            await first.pass();
            return ToolResult.ok(null);
          },
        }),
        write,
      ],
      slices: [Count],
      files: { 'notes.md': 'before' },
      policies: [{ name: 'reviewed', checkChanges: () => PolicyDecision.ask('look at it') }],
      calls: [{ name: 'slow' }, { name: 'write' }],
      approve: (request) => {
        requests.push(request);
        heads.push(run.invocations.length);
        return true;
      },
    });
    await first.reached;
    first.open();
    const { filesystem } = await run.finished;
    expect(heads).toEqual([1]);
    const { changes, ...request } = only(requests);
    expect(request).toEqual({
      callId: 'call-1-2',
      toolName: 'write',
      params: {},
      path: [],
      policy: 'reviewed',
      reason: 'look at it',
    });
    const change = only(changes ?? []);
    expect(change).toMatchObject({ path: 'notes.md', kind: 'modified' });
    expect([change.before?.text(), change.after?.text()]).toEqual(['before', 'count 0']);
    expect((await filesystem.read('notes.md')).text).toBe('count 0');
  });

  test('about changes is put again when the changes became others while it was open', async () => {
    const session = new Session();
    session.install(Count);
    const shown: (string | undefined)[] = [];
    const { invocations, filesystem } = await runCalls({
      ...setup,
      session,
      policies: [{ name: 'reviewed', checkChanges: () => PolicyDecision.ask('look at it') }],
      approve: ({ changes }) => {
        shown.push(changes?.[0]?.after?.text());
        if (shown.length === 1) session.dispatch(Counted, { count: 5 });
        return true;
      },
    });
    expect(shown).toEqual(['count 0', 'count 5']);
    expect(only(invocations)).toMatchObject({
      outcome: 'committed',
      attempts: 2,
      conflicts: ['slice count'],
    });
    expect((await filesystem.read('notes.md')).text).toBe('count 5');
  });

  test('about changes that was refused while they became others is put again too', async () => {
    const session = new Session();
    session.install(Count);
    const shown: (string | undefined)[] = [];
    const { invocations } = await runCalls({
      ...setup,
      session,
      policies: [{ name: 'reviewed', checkChanges: () => PolicyDecision.ask('look at it') }],
      approve: ({ changes }) => {
        shown.push(changes?.[0]?.after?.text());
        if (shown.length > 1) return true;
        session.dispatch(Counted, { count: 5 });
        return false;
      },
    });
    expect(shown).toEqual(['count 0', 'count 5']);
    expect(only(invocations).outcome).toBe('committed');
  });
});

describe('checkChanges', () => {
  test('sees the net changes and what was read, and is not asked when nothing changed', async () => {
    const seen: unknown[] = [];
    await runCalls({
      tools: [
        tool({
          name: 'edit',
          description: 'Edits.',
          effects: 'state',
          inputSchema: z.object({ keep: z.boolean() }),
          execute: async ({ keep }, { filesystem }) => {
            await filesystem.read('a.txt');
            await filesystem.write('scratch.txt', 'x');
            await filesystem.remove('scratch.txt');
            if (!keep) await filesystem.write('b.txt', 'new');
            return ToolResult.ok(null);
          },
        }),
      ],
      files: { 'a.txt': 'a' },
      policies: [
        {
          name: 'look',
          checkChanges: (call, changes, { readPaths }) => {
            seen.push([call.callId, changes.map(({ path, kind }) => `${kind} ${path}`), readPaths]);
            return PolicyDecision.allow();
          },
        },
      ],
      calls: [
        { name: 'edit', arguments: { keep: true } },
        { name: 'edit', arguments: { keep: false } },
      ],
    });
    expect(seen).toEqual([['call-1-2', ['created b.txt'], ['a.txt']]]);
  });

  test('that throws denies and rolls back', async () => {
    const { invocations, filesystem } = await runCalls({
      ...setup,
      policies: [
        {
          name: 'fragile',
          checkChanges: () => {
            throw new Error('kaboom');
          },
        },
      ],
    });
    expect(only(invocations)).toMatchObject({
      outcome: 'denied',
      policy: 'fragile',
      error: { message: 'kaboom' },
    });
    expect(await filesystem.stat('notes.md')).toBeUndefined();
  });
});

describe('onResult', () => {
  test("writes inside the transaction, also for a tool that only reads, after the section's checks", async () => {
    const look = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      execute: () => ToolResult.ok({ seen: 1 }),
    });
    const results: unknown[] = [];
    const { session, invocations } = await runCalls({
      tools: [look],
      slices: [Uses],
      policies: [
        {
          name: 'ledger',
          onResult: (call, result, context) => {
            results.push(result.value, context.changes, context.readPaths);
            context.session.dispatch(Used, { tool: call.tool.name });
          },
        },
      ],
      calls: [{ name: 'look' }, { name: 'look' }],
    });
    expect(invocations.map(({ outcome }) => outcome)).toEqual(['committed', 'committed']);
    expect(session.slice(Uses).all()).toEqual([{ tool: 'look' }, { tool: 'look' }]);
    expect(results).toEqual([{ seen: 1 }, [], [], { seen: 1 }, [], []]);
  });

  test('is not asked after a failure', async () => {
    let asked = 0;
    await runCalls({
      tools: [tool({ name: 'fail', description: 'Fails.', execute: () => ToolResult.error('no') })],
      policies: [{ name: 'ledger', onResult: () => void (asked += 1) }],
      calls: [{ name: 'fail' }],
    });
    expect(asked).toBe(0);
  });

  test('vanishes with a call that a later policy fails', async () => {
    const { session, invocations, filesystem } = await runCalls({
      ...setup,
      policies: [
        {
          name: 'first',
          onResult: (_call, _result, context) => context.session.dispatch(Used, { tool: 'x' }),
        },
        { name: 'second', onResult: async () => Promise.reject(new Error('late')) },
      ],
    });
    expect(only(invocations)).toMatchObject({
      outcome: 'rolled-back',
      reason: 'policy-failed',
      policy: 'second',
    });
    expect(session.slice(Uses).all()).toEqual([]);
    expect(await filesystem.stat('notes.md')).toBeUndefined();
  });
});
