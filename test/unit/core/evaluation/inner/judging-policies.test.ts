import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  Deadline,
  defineEvent,
  defineSlice,
  MemoryFilesystem,
  type NestedAdapter,
  type PolicyContext,
  PolicyDecision,
  type Prompt,
  PromptEvaluationError,
  promptTemplate,
  type RunEvent,
  readBeforeWritePolicy,
  Session,
  type Slice,
  section,
  ToolCallLog,
  type ToolPolicy,
  ToolResult,
  TransactionClosedError,
  tool,
} from 'weakincentives';
import type { ScriptedTurn } from 'weakincentives/testing';
import { z } from 'zod';
import { gate } from '../../../../support/gate.ts';
import {
  keyOf,
  type Level,
  nestedPrompt,
  read,
  reading,
  write,
  writing,
} from '../../../../support/nested-policies.ts';
import { modelFor } from '../../../../support/nested-setup.ts';

const Judged = defineEvent({ name: 'judged', schema: z.object({ what: z.string() }) });
const Judgements: Slice<{ what: string }> = defineSlice({
  name: 'judgements',
  schema: z.object({ what: z.string() }),
  reducers: (on) => [on(Judged, (items, payload) => items.append(payload))],
});
const note = tool({
  name: 'note',
  description: 'Notes.',
  effects: 'read',
  execute: () => ToolResult.ok(null),
});

const judge = (tools: readonly AnyTool[] = []): Prompt<undefined> =>
  promptTemplate({
    ns: 'test',
    key: 'judge',
    sections: [
      section({ title: 'J', key: 'judge', template: 'This is judge.', tools, slices: [Judgements] }),
    ],
  }).bind();

const decide = async (adapter: NestedAdapter, tools?: readonly AnyTool[]) => {
  const { text } = await adapter.evaluate(judge(tools));
  return text === 'fine' ? PolicyDecision.allow() : PolicyDecision.deny(`the judge said ${text}`);
};
const isWrite = ({ tool: { name } }: { readonly tool: AnyTool }): boolean => name === 'write_file';

/** Runs levels with a judge that says this. */
async function runJudged(
  levels: readonly Level[],
  judging: readonly (ScriptedTurn | (() => Promise<ScriptedTurn>))[],
  options: { readonly files?: Readonly<Record<string, string>>; readonly enforce?: boolean } = {},
) {
  const session = new Session();
  const files = new MemoryFilesystem({ files: options.files ?? {} });
  const events: RunEvent[] = [];
  const scripts = levels.map(({ turns }, depth): readonly [string, readonly ScriptedTurn[]] => [
    keyOf(depth),
    (turns ?? [[{ name: `delegate_${depth}` }]]).map((toolCalls) => ({
      toolCalls,
      usage: { outputTokens: 1 },
    })),
  ]);
  const adapter = modelFor({ ...Object.fromEntries(scripts), judge: judging });
  const response = await adapter.evaluate(nestedPrompt(levels, files), {
    session,
    ...(options.enforce === undefined ? {} : { enforce: options.enforce }),
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  const records = session.slice(ToolCallLog).all();
  return { session, files, events, response, records };
}

const verdict = (text: string): ScriptedTurn => ({ text, usage: { outputTokens: 100 } });

describe('a policy that has a model judge the call', () => {
  const phases: readonly (readonly [string, ToolPolicy])[] = [
    [
      'check',
      {
        name: 'judged',
        check: async (call, { adapter }) => (isWrite(call) ? decide(adapter) : PolicyDecision.allow()),
      },
    ],
    [
      'checkChanges',
      {
        name: 'judged',
        checkChanges: async (call, _changes, { adapter }) =>
          isWrite(call) ? decide(adapter) : PolicyDecision.allow(),
      },
    ],
    [
      'onResult',
      {
        name: 'judged',
        onResult: async (call, _result, { adapter }) => {
          if (isWrite(call) && (await decide(adapter)).outcome === 'deny')
            throw new Error('the judge said no');
        },
      },
    ],
  ];

  describe.each([0, 1, 2])('%i calls further out', (depth) => {
    test.each(phases)('in %s', async (_phase, policy) => {
      for (const said of ['fine', 'no']) {
        const innermost: Level = { tools: [write], turns: [[writing('a')]] };
        const levels =
          depth === 0
            ? [{ ...innermost, policies: [policy] }]
            : [{ policies: [policy] }, ...Array<Level>(depth - 1).fill({}), innermost];
        const { files, records, response, events } = await runJudged(levels, [verdict(said)]);
        expect((await files.glob('**')).paths).toEqual(said === 'fine' ? ['a'] : []);
        const call = records.find(({ toolName }) => toolName === 'write_file');
        expect(call?.success).toBe(said === 'fine');
        if (said === 'no') expect(call?.message).toContain('the judge said no');
        // What it spends is spent by the call, and by all around it.
        expect(call?.usage).toEqual({ outputTokens: 100 });
        expect(response.usage).toEqual({ outputTokens: 100 + depth + 1 });
        const byPolicy = events.filter(({ path }) => path[depth]?.policy === 'judged');
        expect(byPolicy.map(({ type }) => type)).toEqual([
          'run-start',
          'turn-start',
          'model-call-start',
          'model-call-end',
          'usage-counted',
          'turn-end',
          'run-end',
        ]);
      }
    });
  });

  test('reads what the call sees, in every phase, and leaves nothing but records', async () => {
    const seen: string[] = [];
    const look = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      execute: async (_params, { filesystem }) => {
        seen.push((await filesystem.glob('**')).paths.join());
        return ToolResult.ok(null);
      },
    });
    const remembering: ToolPolicy = {
      name: 'remembering',
      slices: [Judgements],
      onResult: ({ tool: { name } }, _result, { session }) => session.dispatch(Judged, { what: name }),
    };
    const policy: ToolPolicy = {
      name: 'judged',
      check: (_call, { adapter }) => decide(adapter, [look]),
      checkChanges: (_call, _changes, { adapter }) => decide(adapter, [look]),
      onResult: async (_call, _result, { adapter }) => void (await decide(adapter, [look])),
    };
    const { session, records } = await runJudged(
      [{ tools: [write], policies: [policy, remembering], turns: [[writing('new')]] }],
      [{ toolCalls: [{ name: 'look' }] }, { text: 'fine' }],
      { files: { old: '' } },
    );
    expect(seen).toEqual(['old', 'new,old', 'new,old']);
    // What another policy took down about the judge's calls is dropped.
    expect(session.slice(Judgements).all()).toEqual([{ what: 'write_file' }]);
    expect(records.map(({ parentCallIds = [], toolName }) => [...parentCallIds, toolName].join(' '))).toEqual(
      ['call-1-1 look', 'call-1-1 look', 'call-1-1 look', 'write_file'],
    );
  });

  test('is asked again when what its judge has read was changed by an earlier call', async () => {
    const looked: number[] = [];
    const look = tool({
      name: 'look',
      description: 'Looks.',
      effects: 'read',
      execute: (_params, { session }) => {
        looked.push(session.slice(Judgements).length);
        return ToolResult.ok(null);
      },
    });
    const says = tool({
      name: 'says',
      description: 'Says.',
      effects: 'state',
      execute: (_params, { session }) => {
        session.dispatch(Judged, { what: 'said' });
        return ToolResult.ok(null);
      },
    });
    const policy: ToolPolicy = {
      name: 'judged',
      slices: [Judgements],
      check: (call, { adapter }) => (isWrite(call) ? decide(adapter, [look]) : PolicyDecision.allow()),
    };
    const { records } = await runJudged(
      [{ tools: [write, says], policies: [policy], turns: [[{ name: 'says' }, writing('a')]] }],
      [{ toolCalls: [{ name: 'look' }] }, { text: 'fine' }],
    );
    expect(looked).toEqual([0, 1]);
    expect(records.at(-1)).toMatchObject({ toolName: 'write_file', outcome: 'committed', attempts: 2 });
  });

  test('may only read', async () => {
    const policy: ToolPolicy = {
      name: 'judged',
      check: (_call, { adapter }) => decide(adapter, [write]),
    };
    const { files, records } = await runJudged(
      [{ tools: [write], policies: [policy], turns: [[writing('a')]] }],
      [{ toolCalls: [writing('b')] }, { text: 'fine' }],
    );
    expect((await files.glob('**')).paths).toEqual(['a']);
    expect(records[0]).toMatchObject({ outcome: 'rejected', reason: 'effects-exceeded' });
  });

  test("does not make a file known by its judge's reading", async () => {
    const policy: ToolPolicy = {
      name: 'judged',
      check: (_call, { adapter }) => decide(adapter, [read]),
    };
    const { files, records } = await runJudged(
      [
        {
          tools: [write],
          policies: [policy, readBeforeWritePolicy({ pathParams: ['path'] })],
          turns: [[writing('a')]],
        },
      ],
      [{ toolCalls: [reading('a')] }, { text: 'fine' }],
      { files: { a: 'old' } },
    );
    expect((await files.read('a')).text).toBe('old');
    expect(records.at(-1)).toMatchObject({ outcome: 'denied', policy: 'read-before-write' });
  });

  test('is not asked about its own judge, but the other policies are', async () => {
    const seen: string[] = [];
    const judging = (name: string): ToolPolicy => ({
      name,
      check: async ({ tool: { name: toolName }, path }, { adapter }) => {
        seen.push(`${name}: ${[...path.map((step) => step.toolName), toolName].join(' ')}`);
        return decide(adapter, [note]);
      },
    });
    const { records } = await runJudged(
      [{ tools: [write], policies: [judging('one'), judging('two')], turns: [[writing('a')]] }],
      [{ toolCalls: [{ name: 'note' }] }, { text: 'fine' }],
    );
    expect(seen).toEqual([
      'one: write_file',
      'two: write_file note',
      'two: write_file',
      'one: write_file note',
    ]);
    expect(records.at(-1)).toMatchObject({ toolName: 'write_file', outcome: 'committed' });
  });

  test('numbers what it evaluates along with what the handler does', async () => {
    const policy: ToolPolicy = {
      name: 'judged',
      check: async (call, { adapter }) =>
        call.tool.name === 'delegate_0' ? decide(adapter) : PolicyDecision.allow(),
      onResult: async (call, _result, { adapter }) => {
        if (call.tool.name === 'delegate_0') await decide(adapter);
      },
    };
    const { events } = await runJudged(
      [{ policies: [policy] }, { tools: [note], turns: [[{ name: 'note' }]] }],
      [verdict('fine')],
    );
    const starts = events.flatMap((event) =>
      event.type === 'run-start'
        ? event.path.map((step) => [step.evaluation, step.policy, event.promptName])
        : [],
    );
    expect(starts).toEqual([
      [1, 'judged', 'judge'],
      [2, undefined, 'level-1'],
      [3, 'judged', 'judge'],
    ]);
  });

  test('whose judge fails denies', async () => {
    const policy: ToolPolicy = { name: 'judged', check: (_call, { adapter }) => decide(adapter) };
    const { records } = await runJudged(
      [{ tools: [write], policies: [policy], turns: [[writing('a')]] }],
      [() => Promise.reject(new Error('the judge is ill'))],
    );
    expect(records[0]).toMatchObject({ outcome: 'denied', policy: 'judged' });
    expect(records[0]?.message).toContain('the judge is ill');
  });

  test('can evaluate only while it is asked', async () => {
    const errors: unknown[] = [];
    let kept: PolicyContext | undefined;
    let port: NestedAdapter | undefined;
    let left: Promise<unknown> | undefined;
    const waiting = gate();
    const policy: ToolPolicy = {
      name: 'judged',
      check: (_call, context) => {
        kept = context;
        port = context.adapter;
        // Left behind: the policy answers at once.
        left = port.evaluate(judge()).catch((error: unknown) => errors.push(error));
        return PolicyDecision.allow();
      },
    };
    const late = tool({
      name: 'late',
      description: 'Comes later.',
      effects: 'read',
      execute: async () => {
        await left;
        await port?.evaluate(judge()).catch((error: unknown) => errors.push(error));
        try {
          void kept?.adapter;
        } catch (error) {
          errors.push(error);
        }
        return ToolResult.ok(null);
      },
    });
    const { records } = await runJudged(
      [{ tools: [late], policies: [policy], turns: [[{ name: 'late' }]] }],
      [() => waiting.pass().then(() => ({ text: 'too late' }))],
    );
    expect(records[0]?.outcome).toBe('committed');
    expect(PromptEvaluationError.isInstance(errors[0]) && errors[0].code).toBe('evaluation-aborted');
    expect(TransactionClosedError.isInstance(errors[1])).toBe(true);
    expect(TransactionClosedError.isInstance(errors[2])).toBe(true);
  });

  test('ends with the run', async () => {
    const waiting = gate();
    const abort = new AbortController();
    const policy: ToolPolicy = { name: 'judged', check: (_call, { adapter }) => decide(adapter) };
    const session = new Session();
    const run = modelFor({
      'level-0': [{ toolCalls: [writing('a')] }],
      judge: [() => waiting.pass().then(() => ({ text: 'fine' }))],
    }).evaluate(nestedPrompt([{ tools: [write], policies: [policy] }], new MemoryFilesystem()), {
      session,
      signal: abort.signal,
    });
    await waiting.reached;
    abort.abort(new Error('stop'));
    const error: unknown = await run.catch((thrown: unknown) => thrown);
    expect(PromptEvaluationError.isInstance(error) && error.code).toBe('evaluation-aborted');
    expect(session.slice(ToolCallLog).all()[0]).toMatchObject({ outcome: 'aborted' });
  });
});

test('policies get what handlers get to read', async () => {
  const deadline = Deadline.after(60_000);
  const seen: unknown[] = [];
  const policy: ToolPolicy = {
    name: 'looking',
    check: (call, { prompt, deadline: left, budgetTracker, logger, adapter, signal }) => {
      seen.push([call.tool.name, prompt.name, left === deadline, budgetTracker?.remaining().totalTokens]);
      expect(typeof logger.info).toBe('function');
      expect(adapter.name).toBe('scripted model');
      expect(signal.aborted).toBe(false);
      return PolicyDecision.allow();
    },
  };
  const levels: readonly Level[] = [{ policies: [policy] }, { tools: [write], turns: [[writing('a')]] }];
  await modelFor({
    'level-0': [{ toolCalls: [{ name: 'delegate_0' }], usage: { inputTokens: 5, outputTokens: 0 } }],
    'level-1': [{ toolCalls: [writing('a')], usage: { inputTokens: 2, outputTokens: 0 } }],
  }).evaluate(nestedPrompt(levels, new MemoryFilesystem()), {
    limits: { deadline, budget: { maxTotalTokens: 100 } },
  });
  expect(seen).toEqual([
    ['delegate_0', 'level-0', true, 95],
    ['write_file', 'level-1', true, 93],
  ]);
});
