import { describe, expect, it } from 'vitest';
import {
  binding,
  defineSlice,
  evaluationSlices,
  type FeedbackProvider,
  FeedbackState,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  PolicyState,
  PromptExecutionLog,
  PromptRenderingLog,
  promptTemplate,
  readBeforeWritePolicy,
  reducers,
  Session,
  section,
  sequentialDependencyPolicy,
  ToolCallLog,
  ToolResult,
  tool,
  VisibilityOverrides,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

const Build = z.object({ target: z.string() });
const build = tool({
  name: 'build',
  description: 'Build a target.',
  effects: 'state',
  inputSchema: Build,
  outputSchema: Build,
  execute: ({ target }) => (target === 'bad' ? ToolResult.error('broken') : ToolResult.ok({ target })),
});
const deploy = tool({
  name: 'deploy',
  description: 'Deploy what was built.',
  effects: 'state',
  execute: () => ToolResult.ok(null),
});
const Builds = defineSlice({
  name: 'builds',
  schema: Build,
  reducers: (on) => [
    on(
      build.succeeded,
      reducers.keepLatestBy(
        (built) => built.target,
        ({ value }) => value,
      ),
    ),
  ],
});
const release = section({
  title: 'Release',
  key: 'release',
  template: 'Release.',
  tools: [build, deploy],
  slices: [Builds],
  policies: [sequentialDependencyPolicy({ dependencies: { deploy: ['build'] } })],
});
const prompt = promptTemplate({ ns: 'tests', key: 'resume', sections: [release] }).bind();

const scripted = (...calls: readonly { name: string; arguments?: object }[]) =>
  scriptedAdapter([{ toolCalls: calls }, { text: 'Done.' }]);

describe('a session that went through JSON', () => {
  it('continues where the other one stopped, policies included', async () => {
    const session = new Session();
    await scripted(
      { name: 'build', arguments: { target: 'a' } },
      { name: 'build', arguments: { target: 'b' } },
      { name: 'build', arguments: { target: 'bad' } },
      { name: 'build', arguments: { target: 'a' } },
    ).evaluate(prompt, { session });
    // A failed call feeds no reducer of `succeeded`, and its value is kept in no slice.
    expect(session.slice(Builds).all()).toEqual([{ target: 'b' }, { target: 'a' }]);
    const text = JSON.stringify(session.exportState({ includeLogs: true }));

    const resumed = new Session({ id: 'resumed' });
    for (const slice of [...prompt.slices(), ...evaluationSlices]) resumed.install(slice);
    resumed.importState(JSON.parse(text));
    expect(resumed.slice(Builds).all()).toEqual(session.slice(Builds).all());
    expect(resumed.slice(PolicyState).all()).toEqual(session.slice(PolicyState).all());
    expect(resumed.slice(ToolCallLog).all()).toEqual(session.slice(ToolCallLog).all());

    await scripted({ name: 'deploy' }).evaluate(prompt, { session: resumed });
    expect(resumed.slice(ToolCallLog).latest()).toMatchObject({
      toolName: 'deploy',
      outcome: 'committed',
    });
    const unaware = new Session();
    await scripted({ name: 'deploy' }).evaluate(prompt, { session: unaware });
    expect(unaware.slice(ToolCallLog).latest()).toMatchObject({ toolName: 'deploy', outcome: 'denied' });
  });

  it('holds nothing of calls that no reducer has asked for', async () => {
    const session = new Session();
    const plain = promptTemplate({
      ns: 'tests',
      key: 'plain',
      sections: [section({ title: 'Plain', key: 'plain', template: 'Build.', tools: [build] })],
    }).bind();
    const calls = Array.from({ length: 20 }, (_, index) => ({
      name: 'build',
      arguments: { target: `target-${index}` },
    }));
    await scripted(...calls).evaluate(plain, { session });
    expect(session.slice(ToolCallLog).all()).toHaveLength(20);
    expect(session.exportState().slices).toEqual([]);
  });

  it('counts a file as read only while it is the one that was read', async () => {
    const files = promptTemplate({
      ns: 'tests',
      key: 'files',
      sections: [vfsToolsSection({ policies: [readBeforeWritePolicy()] })],
    });
    const withFile = (text: string) =>
      files.bind(undefined, {
        resources: [binding(Filesystem, { instance: new MemoryFilesystem({ files: { 'a.txt': text } }) })],
      });
    const session = new Session();
    await scripted({ name: 'read_file', arguments: { file_path: 'a.txt' } }).evaluate(withFile('here'), {
      session,
    });
    const exported = JSON.parse(JSON.stringify(session.exportState()));
    const outcomes: string[] = [];
    for (const text of ['here', 'elsewhere']) {
      const resumed = new Session();
      for (const slice of evaluationSlices) resumed.install(slice);
      resumed.importState(exported);
      await scripted({
        name: 'write_file',
        arguments: { file_path: 'a.txt', content: 'new' },
      }).evaluate(withFile(text), { session: resumed });
      outcomes.push(resumed.slice(ToolCallLog).latest()?.outcome ?? '');
    }
    expect(outcomes).toEqual(['committed', 'denied']);
  });

  it('takes records of every kind back as they were', async () => {
    const inner = promptTemplate({
      ns: 'tests',
      key: 'inner',
      sections: [section({ title: 'Inner', key: 'inner', template: 'Inner.' })],
      output: z.object({ answer: z.object({ text: z.string() }) }),
    }).bind();
    const deep = z.object({ a: z.object({ b: z.array(z.number()) }) });
    const work = tool({
      name: 'work',
      description: 'Works.',
      effects: 'state',
      inputSchema: deep.extend({ fails: z.boolean().optional() }),
      execute: async ({ a, fails }, { adapter, filesystem }) => {
        await filesystem.write('made.txt', 'made');
        await adapter.evaluate(inner);
        if (fails === true) throw new TypeError('broken');
        return ToolResult.ok({ a });
      },
    });
    const more = section({
      title: 'More',
      key: 'more',
      template: 'All of it.',
      summary: 'There is more.',
      visibility: 'summary',
      tools: [deploy],
    });
    const careful = { name: 'careful', check: () => PolicyDecision.ask('Sure?') };
    const full = promptTemplate({
      ns: 'tests',
      key: 'records',
      sections: [
        section({ title: 'Work', key: 'work', template: 'Work.', tools: [work], policies: [careful] }),
        more,
      ],
      resources: [binding(Filesystem, { create: () => new MemoryFilesystem() })],
    });
    const speak = (name: string, provide: FeedbackProvider['provide']): FeedbackProvider => ({
      name,
      triggers: { everyCalls: 1 },
      provide,
    });
    const turns = [
      { toolCalls: [{ name: 'work', arguments: { a: { b: [1] } } }] },
      { toolCalls: [{ name: 'work', arguments: { a: { b: [2] }, fails: true } }, { name: 'none' }] },
      { toolCalls: [{ name: 'open_sections', arguments: { section_keys: ['more'], reason: 'All.' } }] },
      { text: 'Done.' },
    ];
    const usage = { inputTokens: 3, outputTokens: 2, cachedInputTokens: 1 };
    const adapter = scriptedAdapter((_conversation, { instructions, turn }) => ({
      ...(instructions.includes('Inner.')
        ? { text: '{"answer":{"text":"yes"}}' }
        : (turns[turn - 1] ?? { text: 'Done.' })),
      usage,
    }));
    await using session = new Session();
    const options = {
      session,
      approve: () => ({ approved: true }),
      feedback: [
        speak('speaks', () => ({ message: 'Continue.', suggestions: ['Faster.'] })),
        speak('silent', () => undefined),
        speak('fails', () => {
          throw new TypeError('broken');
        }),
      ],
    };
    await adapter.evaluate(full.bind(), options);
    await adapter.evaluate(full.bind(), { ...options, enforce: false });
    await adapter.evaluate(full.bind(), { ...options, limits: { maxTurns: 1 } }).catch(() => undefined);
    const calls = session.slice(ToolCallLog).all();
    for (const field of [
      'approvals',
      'unenforced',
      'feedback',
      'error',
      'usage',
      'openedSections',
      'changes',
    ])
      expect([field, calls.some((call) => field in call)]).toEqual([field, true]);
    expect(session.slice(PromptExecutionLog).all()).toContainEqual(
      expect.objectContaining({ output: { answer: { text: 'yes' } }, parentCallIds: [expect.any(String)] }),
    );

    const exported = session.exportState({ includeLogs: true });
    await using resumed = new Session();
    for (const slice of evaluationSlices) resumed.install(slice);
    resumed.importState(JSON.parse(JSON.stringify(exported)));
    expect(resumed.exportState({ includeLogs: true }).slices).toEqual(exported.slices);
    const filled = exported.slices.filter(({ items }) => items.length > 0);
    expect(filled.map(({ name }) => name)).toEqual(
      [PromptExecutionLog, PromptRenderingLog, ToolCallLog, FeedbackState, VisibilityOverrides]
        .map(({ name }) => name)
        .sort(),
    );
  });

  it('is read with the rendered tools that version 0.1 kept in a slice of their own', async () => {
    await using session = new Session();
    for (const slice of evaluationSlices) session.install(slice);
    const origin = { evaluationId: 'run', promptName: 'ask', adapter: 'model', sessionId: 'old' };
    const descriptor = { ns: 'test', key: 'ask', name: 'ask', sections: [], tools: [] };
    const rendering = { eventId: 'one', ...origin, descriptor, params: {}, text: 'Ask.', atMs: 5 };
    const tools = { eventId: 'two', ...origin, renderId: 'one', tools: [], hostedTools: [], atMs: 5 };
    const slices = [
      { name: 'weakincentives.prompt-renderings', version: 1, items: [rendering] },
      { name: 'weakincentives.tool-renderings', version: 1, items: [tools] },
    ];
    session.importState({ ...session.exportState({ includeLogs: true }), slices });
    expect(session.slice(PromptRenderingLog).all()).toEqual([rendering]);
    const kept = session.exportState({ includeLogs: true }).slices.filter(({ items }) => items.length > 0);
    expect(kept.map(({ name, items }) => [name, items])).toEqual(
      slices.map(({ name, items }) => [name, items]),
    );
  });

  it.each(evaluationSlices.filter(({ kind }) => kind === 'slice').map(({ name }) => name))(
    'is not taken for one with something else in %s',
    (name) => {
      const session = new Session();
      for (const slice of evaluationSlices) session.install(slice);
      const forged = {
        ...session.exportState({ includeLogs: true }),
        slices: [{ name, version: 1, items: [{ something: 'else' }] }],
      };
      expect(() => session.importState(forged)).toThrow(
        expect.objectContaining({ code: 'snapshot-item-invalid' }),
      );
    },
  );

  it('is not taken for one whose policy state is made up', () => {
    const session = new Session();
    session.install(PolicyState);
    const forged = {
      ...session.exportState(),
      slices: [
        {
          name: 'weakincentives.policy-facts',
          version: 1,
          items: [{ policyName: 'sequential-dependency', tool: 1 }],
        },
      ],
    };
    expect(() => session.importState(forged)).toThrow(
      expect.objectContaining({ code: 'snapshot-item-invalid', message: expect.stringContaining('tool') }),
    );
  });
});
