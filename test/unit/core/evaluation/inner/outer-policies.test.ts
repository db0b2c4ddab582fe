import { describe, expect, test } from 'vitest';
import {
  binding,
  defineEvent,
  defineSlice,
  Filesystem,
  MemoryFilesystem,
  openToolRuntime,
  type PolicyCall,
  PolicyDecision,
  PolicyState,
  PromptValidationError,
  promptTemplate,
  readBeforeWritePolicy,
  resourceToken,
  Session,
  type Slice,
  section,
  sequentialDependencyPolicy,
  ToolCallLog,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import {
  type Level,
  nestedPrompt,
  read,
  reading,
  runNested,
  write,
  writing,
} from '../../../../support/nested-policies.ts';
import { calling, delegate, modelFor, promptWith } from '../../../../support/nested-setup.ts';

const Noted = defineEvent({ name: 'noted', schema: z.object({ what: z.string() }) });
const Notes: Slice<{ what: string }> = defineSlice({
  name: 'notes',
  schema: z.object({ what: z.string() }),
  reducers: (on) => [on(Noted, (items, payload) => items.append(payload))],
});

const isProduction = (path: string): boolean => path.startsWith('prod/');
const pathOf = ({ params }: PolicyCall): string => z.object({ path: z.string() }).parse(params).path;

/** Denies writing to prod/, by the params. */
const byParams: ToolPolicy = {
  name: 'by-params',
  check: (call) =>
    call.tool.name === 'write_file' && isProduction(pathOf(call))
      ? PolicyDecision.deny('production is closed')
      : PolicyDecision.allow(),
};
/** Denies writing to prod/, by what was changed. */
const byChanges: ToolPolicy = {
  name: 'by-changes',
  checkChanges: (_call, changes) =>
    changes.some(({ path }) => isProduction(path))
      ? PolicyDecision.deny('production is closed')
      : PolicyDecision.allow(),
};
const asking: ToolPolicy = {
  name: 'asking',
  check: (call) =>
    call.tool.name === 'write_file' ? PolicyDecision.ask(`Write ${pathOf(call)}?`) : PolicyDecision.allow(),
};

const passing: Level = {};
/** Levels of which the innermost writes these files. */
const under = (outer: Level, depth: number, ...paths: readonly string[]): readonly Level[] => [
  outer,
  ...Array<Level>(depth - 1).fill(passing),
  { tools: [write, read], turns: [paths.map((path) => writing(path))] },
];

describe.each([1, 2, 3])('a policy %i calls further out', (depth) => {
  const written = async ({ files }: { readonly files: MemoryFilesystem }) => (await files.glob('**')).paths;

  test.each([
    ['check, on the template', { policies: [byParams] }, 'by-params'],
    ['check, on the section of the calling tool', { sectionPolicies: [byParams] }, 'by-params'],
    ['checkChanges, on the template', { policies: [byChanges] }, 'by-changes'],
    ['checkChanges, on the section of the calling tool', { sectionPolicies: [byChanges] }, 'by-changes'],
  ] as const)('denies by %s', async (_how, placed, policy) => {
    const outcome = await runNested(under(placed, depth, 'prod/x', 'a'));
    expect(await written(outcome)).toEqual(['a']);
    expect(outcome.records[0]).toMatchObject({
      toolName: 'write_file',
      outcome: 'denied',
      reason: 'denied',
      policy,
      policyPrompt: 'level-0',
      message: `The call of "write_file" was denied by the policy "${policy}": production is closed`,
    });
    expect(outcome.outcomes.slice(1)).toEqual([
      `${depth} write_file committed`,
      ...Array.from({ length: depth }, (_, index) => {
        const level = depth - 1 - index;
        return `${level} delegate_${level} committed`;
      }),
    ]);
  });

  test('leaves inner calls alone with scope "own", and is asked about its own', async () => {
    for (const policy of [byParams, byChanges]) {
      const seen: string[] = [];
      const own: ToolPolicy = {
        ...policy,
        scope: 'own',
        onResult: ({ tool: { name } }) => void seen.push(name),
      };
      const outer: Level = {
        tools: [write],
        policies: [own],
        turns: [[writing('b')], [{ name: 'delegate_0' }]],
      };
      const { outcomes, records } = await runNested(under(outer, depth, 'prod/x'));
      const isCaught = policy === byChanges;
      expect(seen).toEqual(isCaught ? ['write_file'] : ['write_file', 'delegate_0']);
      expect(outcomes).toContain(`${depth} write_file committed`);
      // What the outer call has changed in all is its own change.
      expect(records.at(-1)?.outcome).toBe(isCaught ? 'denied' : 'committed');
    }
  });

  test('asks the approve function of the run, with the path of the call', async () => {
    const asked: unknown[] = [];
    const { outcomes, records, events } = await runNested(under({ policies: [asking] }, depth, 'a', 'b'), {
      approve: ({ toolName, reason, policy, policyPrompt, path }) => {
        asked.push([
          toolName,
          reason,
          policy,
          policyPrompt,
          path.map((step) => Object.values(step).join(' ')),
        ]);
        return reason.includes('a');
      },
    });
    const path = Array.from(
      { length: depth },
      (_, level) => `call-1-1 delegate_${level} 1 level-${level + 1}`,
    );
    expect(asked).toEqual([
      ['write_file', 'Write a?', 'asking', 'level-0', path],
      ['write_file', 'Write b?', 'asking', 'level-0', path],
    ]);
    expect(outcomes.slice(0, 2)).toEqual([`${depth} write_file committed`, `${depth} write_file denied`]);
    const approval = { policy: 'asking', policyPrompt: 'level-0', about: 'call' };
    expect(records[0]?.approvals).toEqual([{ ...approval, reason: 'Write a?', approved: true }]);
    expect(records[1]).toMatchObject({
      reason: 'not-approved',
      policyPrompt: 'level-0',
      approvals: [{ ...approval, reason: 'Write b?', approved: false }],
    });
    const innermost = JSON.stringify(events).match(/"approval-start"/g);
    expect(innermost).toHaveLength(2);
  });

  test('without approve denies what it asks', async () => {
    const { outcomes } = await runNested(under({ policies: [asking] }, depth, 'a'));
    expect(outcomes[0]).toBe(`${depth} write_file denied`);
  });

  test('only reports with enforce: false, in the record of the inner call', async () => {
    const outcome = await runNested(under({ policies: [byParams, asking, byChanges] }, depth, 'prod/x'), {
      enforce: false,
      approve: () => {
        throw new Error('nobody is asked');
      },
    });
    expect(await written(outcome)).toEqual(['prod/x']);
    const of = (policy: string, how: string, reason: string) => ({
      policy,
      policyPrompt: 'level-0',
      outcome: how,
      reason,
    });
    expect(outcome.records[0]).toMatchObject({
      outcome: 'committed',
      unenforced: [
        of('by-params', 'deny', 'production is closed'),
        of('asking', 'ask', 'Write prod/x?'),
        of('by-changes', 'deny', 'production is closed'),
      ],
    });
  });

  test('records what succeeds inside, in the transaction of the inner call', async () => {
    const noting: ToolPolicy = {
      name: 'noting',
      slices: [Notes],
      onResult: ({ tool: { name }, path }, _result, { session }) =>
        session.dispatch(Noted, { what: `${path.length} ${name}` }),
    };
    const fails = tool({
      name: 'fails',
      description: 'Fails.',
      effects: 'state',
      execute: () => ToolResult.error('No.'),
    });
    const { session } = await runNested([
      { policies: [noting] },
      ...Array<Level>(depth - 1).fill(passing),
      { tools: [write, fails], turns: [[writing('a'), { name: 'fails' }]] },
    ]);
    expect(
      session
        .slice(Notes)
        .all()
        .map(({ what }) => what),
    ).toEqual([
      `${depth} write_file`,
      ...Array.from({ length: depth }, (_, index) => `${depth - 1 - index} delegate_${depth - 1 - index}`),
    ]);
  });

  test('that cannot record a success fails the inner call', async () => {
    const broken: ToolPolicy = {
      name: 'broken',
      onResult: ({ tool: { name } }) => {
        if (name === 'write_file') throw new Error('the ledger is full');
      },
    };
    const outcome = await runNested(under({ policies: [broken] }, depth, 'a'));
    expect(await written(outcome)).toEqual([]);
    expect(outcome.records[0]).toMatchObject({
      outcome: 'rolled-back',
      reason: 'policy-failed',
      policy: 'broken',
      policyPrompt: 'level-0',
    });
  });

  test('counts a read inside as a read, and an inner overwrite needs one', async () => {
    for (const turns of [[[writing('a')]], [[reading('a')], [writing('a')]]]) {
      const outcome = await runNested(
        [
          { policies: [readBeforeWritePolicy({ pathParams: ['path'] })] },
          ...Array<Level>(depth - 1).fill(passing),
          { tools: [write, read], turns },
        ],
        { files: { a: 'old' } },
      );
      expect(outcome.records.find(({ toolName }) => toolName === 'write_file')?.outcome).toBe(
        turns.length === 1 ? 'denied' : 'committed',
      );
      expect((await outcome.files.read('a')).text).toBe(turns.length === 1 ? 'old' : 'new');
      const [state] = outcome.session.slice(PolicyState).all();
      expect(state?.invokedKeys ?? []).toEqual(turns.length === 1 ? [] : [['read_file', 'a']]);
    }
  });

  test('matches tools by name: what succeeds outside counts inside, and the other way round', async () => {
    const noop = (name: string) =>
      tool({ name, description: 'Does nothing.', effects: 'state', execute: () => ToolResult.ok(null) });
    const order = sequentialDependencyPolicy({ dependencies: { deploy: ['test'] } });
    const outer: Level = {
      tools: [noop('test'), noop('deploy')],
      policies: [order],
      turns: [[{ name: 'delegate_0' }], [{ name: 'deploy' }]],
    };
    const { outcomes } = await runNested([
      outer,
      ...Array<Level>(depth - 1).fill(passing),
      {
        tools: [noop('test'), noop('deploy')],
        turns: [[{ name: 'deploy' }], [{ name: 'test' }], [{ name: 'deploy' }]],
      },
    ]);
    expect(outcomes.filter((line) => !line.includes('delegate'))).toEqual([
      `${depth} deploy denied`,
      `${depth} test committed`,
      `${depth} deploy committed`,
      '0 deploy committed',
    ]);
  });
});

describe('policies of several prompts', () => {
  const spying = (name: string, seen: string[], extra: Partial<ToolPolicy> = {}): ToolPolicy => ({
    name,
    check: ({ tool: { name: toolName } }) => {
      if (toolName === 'write_file') seen.push(`check ${name}`);
      return PolicyDecision.allow();
    },
    checkChanges: ({ tool: { name: toolName } }) => {
      if (toolName === 'write_file') seen.push(`changes ${name}`);
      return PolicyDecision.allow();
    },
    onResult: ({ tool: { name: toolName } }) => {
      if (toolName === 'write_file') seen.push(`result ${name}`);
    },
    ...extra,
  });

  test('are asked from the outside in, each section before its template', async () => {
    const seen: string[] = [];
    await runNested([
      { policies: [spying('template-0', seen)], sectionPolicies: [spying('section-0', seen)] },
      { policies: [spying('template-1', seen)], sectionPolicies: [spying('section-1', seen)] },
      {
        policies: [spying('template-2', seen)],
        sectionPolicies: [spying('section-2', seen)],
        tools: [write],
        turns: [[writing('a')]],
      },
    ]);
    const order = ['section-0', 'template-0', 'section-1', 'template-1', 'section-2', 'template-2'];
    expect(seen).toEqual(
      ['check', 'changes', 'result'].flatMap((phase) => order.map((name) => `${phase} ${name}`)),
    );
  });

  test('the first denial wins, and nobody further in is asked', async () => {
    const seen: string[] = [];
    const { records } = await runNested([
      {
        policies: [
          spying('outer', seen, {
            check: ({ tool: { name } }) =>
              name === 'write_file' ? PolicyDecision.deny('outside') : PolicyDecision.allow(),
          }),
        ],
      },
      { policies: [spying('inner', seen)], tools: [write], turns: [[writing('a')]] },
    ]);
    expect(seen).toEqual([]);
    expect(records[0]).toMatchObject({ policy: 'outer', policyPrompt: 'level-0' });
  });

  test('an inner denial beats an outer question', async () => {
    const { records } = await runNested(
      [{ policies: [asking] }, { policies: [byParams], tools: [write], turns: [[writing('prod/x')]] }],
      {
        approve: () => {
          throw new Error('nobody is asked');
        },
      },
    );
    expect(records[0]).toMatchObject({ outcome: 'denied', policy: 'by-params' });
    expect(records[0]).not.toHaveProperty('policyPrompt');
  });

  test('one that stands on both is asked once', async () => {
    const seen: string[] = [];
    const shared = spying('shared', seen);
    await runNested([
      { policies: [shared] },
      { policies: [shared], tools: [write], turns: [[writing('a')]] },
    ]);
    expect(seen).toEqual(['check shared', 'changes shared', 'result shared']);
  });

  test('two of one name are both asked, and one answer to the same question is enough', async () => {
    const asked: string[] = [];
    const copy = { ...asking };
    const other: ToolPolicy = { ...asking, check: () => PolicyDecision.ask('Really?') };
    const { records } = await runNested(
      [
        { policies: [asking] },
        {
          policies: [copy],
          sectionPolicies: [{ ...other, name: 'other' }],
          tools: [write],
          turns: [[writing('a')]],
        },
      ],
      { approve: ({ policy, reason }) => (asked.push(`${policy} ${reason}`), true) },
    );
    expect(asked).toEqual(['asking Write a?', 'other Really?']);
    expect(records[0]?.outcome).toBe('committed');
  });

  test('nothing is asked about calls of an agent on another adapter and session', async () => {
    const seen: string[] = [];
    const elsewhere = new MemoryFilesystem();
    const separate = delegate('external', async () => {
      const inner = nestedPrompt([{ tools: [write] }], elsewhere);
      await modelFor({ 'level-0': [{ toolCalls: [writing('a')] }] }).evaluate(inner);
      return ToolResult.ok(null);
    });
    await runNested([
      { policies: [spying('outer', seen)], tools: [separate], turns: [[{ name: 'delegate' }]] },
    ]);
    expect(seen).toEqual([]);
    expect((await elsewhere.glob('**')).paths).toEqual(['a']);
  });

  test('reach through a tool runtime', async () => {
    const files = new MemoryFilesystem();
    const session = new Session();
    const prompt = nestedPrompt(under({ policies: [byParams] }, 2, 'prod/x'), files);
    const adapter = modelFor({
      'level-1': [calling('delegate_1')],
      'level-2': [{ toolCalls: [writing('prod/x')] }],
    });
    await using runtime = await openToolRuntime(prompt, { adapter: adapter, session });
    await runtime.runCalls([{ callId: 'a', name: 'delegate_0', arguments: {} }]);
    expect((await files.glob('**')).paths).toEqual([]);
    expect(session.slice(ToolCallLog).all()[0]).toMatchObject({
      parentCallIds: ['a', 'call-1-1'],
      outcome: 'denied',
      policyPrompt: 'level-0',
    });
  });

  test('a scope that is none is refused', () => {
    expect(() =>
      promptTemplate({
        ns: 'test',
        key: 'scope',
        // What may be passed where nothing checks types.
        policies: [{ name: 'odd', scope: 'everywhere' as 'own' }],
        sections: [section({ title: 'S', key: 's', template: 'S.' })],
      }),
    ).toThrow(PromptValidationError);
  });

  test.each(['enforce', 'approve'])('the option %s cannot be weakened inside', async (option) => {
    const weak = delegate('state', async ({ adapter }) => {
      const options: object = { [option]: option === 'approve' ? () => true : false };
      await adapter.evaluate(promptWith('inner', []), options);
      return ToolResult.ok(null);
    });
    const { records } = await runNested([{ tools: [weak], turns: [[{ name: 'delegate' }]] }]);
    expect(records[0]).toMatchObject({ outcome: 'rolled-back' });
    expect(records[0]?.message).toContain(`takes the option ${option} from the run around it`);
  });
});

describe('what an outer policy reads and writes', () => {
  test('is what the inner call sees: the files and the session of its transaction', async () => {
    const seen: string[] = [];
    const looking: ToolPolicy = {
      name: 'looking',
      slices: [Notes],
      check: async ({ tool: { name } }, { filesystem, session }) => {
        if (name === 'write_file') {
          seen.push(`${(await filesystem?.list())?.length} files, ${session.slice(Notes).length} notes`);
        }
        return PolicyDecision.allow();
      },
      onResult: ({ tool: { name } }, _result, { session, changes, readPaths }) => {
        if (name !== 'write_file') return;
        session.dispatch(Noted, { what: `${changes.map(({ path }) => path)} ${readPaths.length}` });
      },
    };
    const { session } = await runNested(
      [{ policies: [looking] }, { tools: [write], turns: [[writing('a')], [writing('b')]] }],
      { files: { old: '' } },
    );
    expect(seen).toEqual(['1 files, 0 notes', '2 files, 1 notes']);
    expect(session.slice(Notes).all()).toEqual([{ what: 'a 0' }, { what: 'b 0' }]);
  });

  test('vanishes with the call around the inner one', async () => {
    const noting: ToolPolicy = {
      name: 'noting',
      slices: [Notes],
      onResult: (_call, _result, { session }) => session.dispatch(Noted, { what: 'x' }),
    };
    const failing = delegate('state', async ({ adapter, session }) => {
      await adapter.evaluate(
        promptWith('inner', [delegate('state', async () => ToolResult.ok(null), { name: 'work' })]),
      );
      expect(session.slice(Notes).length).toBe(1);
      return ToolResult.error('No.');
    });
    const session = new Session();
    await modelFor({ outer: [calling('delegate')], inner: [calling('work')] }).evaluate(
      promptTemplate({
        ns: 'test',
        key: 'outer',
        policies: [noting],
        sections: [section({ title: 'O', key: 'outer', template: 'This is outer.', tools: [failing] })],
      }).bind(),
      { session },
    );
    expect(session.slice(Notes).all()).toEqual([]);
  });

  test('are the resources of its own prompt, with the files of the call', async () => {
    const Allowed = resourceToken<readonly string[]>('allowed');
    const seen: unknown[] = [];
    const listed: ToolPolicy = {
      name: 'listed',
      check: async (call, { resources, filesystem }) => {
        if (call.tool.name !== 'write_file') return PolicyDecision.allow();
        seen.push((await resources.get(Filesystem)) === filesystem);
        return (await resources.get(Allowed)).includes(pathOf(call))
          ? PolicyDecision.allow()
          : PolicyDecision.deny('not on the list');
      },
    };
    const { outcomes } = await runNested([
      { policies: [listed], resources: [binding(Allowed, { instance: ['a'] })] },
      {
        policies: [],
        resources: [binding(Allowed, { instance: ['b'] })],
        tools: [write],
        turns: [[writing('a'), writing('b')]],
      },
    ]);
    expect(outcomes.slice(0, 2)).toEqual(['1 write_file committed', '1 write_file denied']);
    expect(seen).toEqual([true, true]);
  });

  test('makes inner calls that depend on one another repeat', async () => {
    const Uses = defineSlice({
      name: 'uses',
      schema: z.object({ tool: z.string(), count: z.number() }),
      key: (use) => use.tool,
    });
    const atMostTwo: ToolPolicy = {
      name: 'at-most-two',
      slices: [Uses],
      check: ({ tool: { name } }, { session }) =>
        (session.slice(Uses).get(name)?.count ?? 0) < 2
          ? PolicyDecision.allow()
          : PolicyDecision.deny('twice is enough'),
      onResult: ({ tool: { name } }, _result, { session }) => {
        session.slice(Uses).append({ tool: name, count: (session.slice(Uses).get(name)?.count ?? 0) + 1 });
      },
    };
    const { outcomes, records } = await runNested([
      { policies: [atMostTwo] },
      { tools: [write], turns: [[writing('a'), writing('b'), writing('c')]] },
    ]);
    expect(outcomes).toEqual([
      '1 write_file committed',
      '1 write_file committed',
      '1 write_file denied',
      '0 delegate_0 committed',
    ]);
    expect(records.slice(0, 3).map(({ attempts }) => attempts)).toEqual([1, 2, 2]);
  });
});
