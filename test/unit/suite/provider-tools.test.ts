import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import {
  openToolRuntime,
  PolicyDecision,
  PromptRenderingLog,
  type ProviderAdapter,
  promptTemplate,
  Session,
  section,
  sequentialDependencyPolicy,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { aiSdk } from 'weakincentives/ai-sdk';
import { anthropic } from 'weakincentives/anthropic';
import { fallbackAdapter } from 'weakincentives/provider';
import { shellSection } from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import {
  type ProviderToolsSectionOptions,
  providerToolsSection,
  vfsToolsSection,
} from 'weakincentives/tools';
import { toolUse } from '../../support/anthropic-messages.ts';
import { evaluationFailure } from '../../support/failure.ts';
import { opening } from '../../support/sections.ts';
import {
  answeringBlocks,
  answeringItems,
  anthropicAdapters,
  type Item,
  listIn,
  openaiAdapters,
  outputsIn,
  patchCall,
  resultsIn,
  shellCall,
  smallShell,
  typedPrompt,
} from '../../support/typed-wires.ts';

const all: ProviderToolsSectionOptions = {
  openai: { shell: true, applyPatch: true },
  anthropic: { bash: true, textEditor: true, memory: true },
};

const task = section({ title: 'Task', key: 'task', template: 'Work.' });

describe('providerToolsSection', () => {
  test.each<[string, unknown, RegExp]>([
    ['no tool', {}, /is asked for no tool\. Set one, such as openai: \{ shell: true \}/],
    [
      'only tools that are off',
      { openai: { shell: false }, anthropic: { bash: false } },
      /is asked for no tool/,
    ],
    [
      'a memory that is not asked for',
      { openai: { shell: true }, memory: { maxFiles: 3 } },
      /the option memory is for anthropic\.memory/,
    ],
    ['an unknown vendor', { google: { shell: true } }, /google/],
    ['an unknown tool', { openai: { computer: true } }, /computer/],
    ['a choice that is a text', { anthropic: { bash: 'yes' } }, /bash/],
    ['a version of a tool that has one', { openai: { shell: { version: '1' } } }, /shell/],
    ['a version that is a number', { anthropic: { bash: { version: 20250124 } } }, /version/],
    ['an unknown option of a tool', { anthropic: { textEditor: { maxCharacters: 1 } } }, /maxCharacters/],
  ])('refuses %s', (_what, options, message) => {
    expect(() => providerToolsSection(options as ProviderToolsSectionOptions)).toThrow(message);
  });

  test.each<[ProviderToolsSectionOptions, RegExp]>([
    [
      { openai: { shell: true } },
      /"openai\.shell", whose calls need the tool "shell_execute" of the prompt, and no section has it\. Add shellSection\(\)\./,
    ],
    [{ anthropic: { bash: true } }, /"anthropic\.bash".*Add shellSection\(\)\./],
    [{ openai: { applyPatch: true } }, /"openai\.apply_patch".*Add vfsToolsSection\(\)\./],
    [{ anthropic: { textEditor: true } }, /"anthropic\.text_editor".*Add vfsToolsSection\(\)\./],
  ])('names what a template lacks for %o', (options, message) => {
    const sections = [task, providerToolsSection(options)];
    expect(() => promptTemplate({ ns: 'test', key: 'lacking', sections })).toThrow(message);
  });

  test('is in the record of the rendered prompt, with the shapes that the model takes', async () => {
    const kindsOf = async (adapter: ProviderAdapter): Promise<unknown> => {
      await using session = new Session();
      await adapter.evaluate(typedPrompt({ typed: all }), { session });
      return session.slice(PromptRenderingLog).latest()?.providerTools;
    };
    expect(await kindsOf(answeringItems(openaiAdapters.native).adapter)).toEqual([
      'openai.shell',
      'openai.apply_patch',
    ]);
    expect(await kindsOf(answeringBlocks(anthropicAdapters.native).adapter)).toEqual([
      'anthropic.bash',
      'anthropic.text_editor',
      'anthropic.memory',
    ]);
    expect(await kindsOf(scriptedAdapter([{ text: 'Done.' }]))).toBeUndefined();
  });

  test('is there once for each shape', () => {
    const twice = [
      task,
      vfsToolsSection(),
      shellSection({ backend: smallShell() }),
      providerToolsSection({ openai: { shell: true } }),
      providerToolsSection({ key: 'second', openai: { shell: true } }),
    ];
    expect(() => promptTemplate({ ns: 'test', key: 'twice', sections: twice })).toThrow(
      'Sections "provider_tools" and "second" both bring the provider tool "openai.shell"; keep one of them.',
    );
  });

  test('refuses a policy that has the replaced tool wait for others, and not the one in its place', () => {
    const sections = [task, vfsToolsSection(), providerToolsSection({ openai: { applyPatch: true } })];
    const of =
      (...names: readonly string[]) =>
      () =>
        promptTemplate({
          ns: 'test',
          key: 'waiting',
          sections,
          policies: [
            sequentialDependencyPolicy({
              dependencies: Object.fromEntries(names.map((name) => [name, ['ls']])),
            }),
          ],
        });
    expect(of('edit_file')).toThrow(/has the tool "edit_file" wait for others, and not "apply_patch"/);
    expect(of('edit_file', 'apply_patch')).not.toThrow();
    expect(of('rm')).not.toThrow();
  });

  test('asks no policy of the shell about a restart, which runs nothing', async () => {
    const closed: ToolPolicy = { name: 'closed', check: () => PolicyDecision.deny('Not today.') };
    const prompt = promptTemplate({
      ns: 'test',
      key: 'restart',
      sections: [
        task,
        vfsToolsSection(),
        shellSection({ backend: smallShell(), policies: [closed] }),
        providerToolsSection({ anthropic: { bash: true } }),
      ],
    }).bind();
    const { adapter, requests } = answeringBlocks(
      anthropicAdapters.native,
      [toolUse('t1', 'bash', { restart: true })],
      [toolUse('t2', 'bash', { command: 'echo a' })],
    );
    await adapter.evaluate(prompt);
    expect(resultsIn(requests[2])).toMatchObject([
      { tool_use_id: 't1', content: expect.stringMatching(/^There is nothing to restart/) },
      { tool_use_id: 't2', is_error: true, content: expect.stringContaining('Not today.') },
    ]);
  });

  test('refuses an unknown version before any request, by the name of its setting', async () => {
    for (const make of Object.values(anthropicAdapters)) {
      const { adapter, requests } = answeringBlocks(make);
      const prompt = typedPrompt({ typed: { anthropic: { textEditor: { version: '20240101' } } } });
      const error = await evaluationFailure(adapter.evaluate(prompt));
      expect(error).toMatchObject({ phase: 'render' });
      expect(error.message).toContain('providerToolsSection({ anthropic: { textEditor: { version } } })');
      expect(requests).toHaveLength(0);
    }
    const { adapter, requests } = answeringBlocks(anthropicAdapters.native);
    await adapter.evaluate(typedPrompt({ typed: { anthropic: { bash: { version: '20250124' } } } }));
    expect(listIn(requests[0], 'tools')[0]).toEqual({ type: 'bash_20250124', name: 'bash' });
  });

  test('refuses a tool of the prompt that has the name of a shape, with that provider alone', async () => {
    const bash = tool({
      name: 'bash',
      description: 'Mine.',
      effects: 'read',
      execute: () => ToolResult.ok(null, 'x'),
    });
    const prompt = () =>
      typedPrompt({ sections: [section({ title: 'Own', key: 'own', template: 'Own.', tools: [bash] })] });
    for (const make of Object.values(anthropicAdapters)) {
      const { adapter, requests } = answeringBlocks(make);
      const error = await evaluationFailure(adapter.evaluate(prompt()));
      expect(error).toMatchObject({ phase: 'render' });
      expect(error.message).toContain('The prompt has a tool "bash", which is the name of a provider tool');
      expect(requests).toHaveLength(0);
    }
    const { adapter } = answeringItems(openaiAdapters.native);
    expect((await adapter.evaluate(prompt())).text).toBe('end');
  });

  const refused = (name: string, why: string) => [
    'render',
    expect.stringContaining(`The option toolChoice cannot name "${name}" here: ${why}`),
    0,
  ];

  const choosing = async (
    {
      adapter,
      requests,
    }: { readonly adapter: ProviderAdapter; readonly requests: readonly { readonly body: object }[] },
    name: string,
  ) => {
    const run = adapter.evaluate(typedPrompt({ typed: all }), { toolChoice: { tool: name } });
    const error = await run.then(
      () => undefined,
      (thrown: unknown) => thrown as { readonly phase: string; readonly message: string },
    );
    const choice: unknown = Reflect.get(requests[0]?.body ?? {}, 'tool_choice');
    return error === undefined ? choice : [error.phase, error.message.split('. ')[0], requests.length];
  };

  test('forces a tool in its shape, where the provider can', async () => {
    const at = openaiAdapters;
    expect(await choosing(answeringItems(at.native), 'shell_execute')).toEqual({ type: 'shell' });
    expect(await choosing(answeringItems(at.native), 'apply_patch')).toEqual({ type: 'apply_patch' });
    expect(await choosing(answeringItems(at.native), 'read_file')).toEqual({
      type: 'function',
      name: 'read_file',
    });
    expect(await choosing(answeringItems(at['aiSdk v4']), 'apply_patch')).toEqual({ type: 'apply_patch' });
    // Newer models cannot be forced.
    const model = 'claude-sonnet-4-5';
    const forced = {
      native: (fetch: typeof globalThis.fetch) =>
        anthropic({ model, client: new Anthropic({ apiKey: 'k', fetch }) }),
      'aiSdk v4': (fetch: typeof globalThis.fetch) =>
        aiSdk({ model: createAnthropic({ apiKey: 'k', fetch })(model) }),
    };
    for (const make of Object.values(forced)) {
      expect(await choosing(answeringBlocks(make), 'shell_execute')).toMatchObject({
        type: 'tool',
        name: 'bash',
      });
      expect(await choosing(answeringBlocks(make), 'memory')).toMatchObject({ type: 'tool', name: 'memory' });
      expect(await choosing(answeringBlocks(make), 'edit_file')).toMatchObject({
        type: 'tool',
        name: 'str_replace_based_edit_tool',
      });
    }
  });

  test('refuses to force what the provider cannot', async () => {
    for (const make of [openaiAdapters['aiSdk v4'], openaiAdapters['aiSdk v3']])
      expect(await choosing(answeringItems(make), 'shell_execute')).toEqual(
        refused('shell_execute', 'it is offered as "openai.shell"'),
      );
    for (const make of Object.values(openaiAdapters))
      expect(await choosing(answeringItems(make), 'edit_file')).toEqual(
        refused('edit_file', 'it is offered as "openai.apply_patch"'),
      );
    for (const make of Object.values(anthropicAdapters))
      expect(await choosing(answeringBlocks(make), 'apply_patch')).toEqual(refused('apply_patch', 'the '));
  });

  test('offers the tools as they are until the section that has them, or its own, is opened', async () => {
    const turns = (key: string): readonly (readonly Item[])[] => {
      const { arguments: input, name } = opening(key);
      return [[toolUse('t1', name, input)]];
    };
    const hidden = () =>
      promptTemplate({
        ns: 'test',
        key: 'hidden',
        sections: [
          task,
          vfsToolsSection(),
          shellSection({ backend: smallShell(), visibility: 'summary' }),
          providerToolsSection({ anthropic: { bash: true } }),
        ],
      }).bind();
    const late = () =>
      promptTemplate({
        ns: 'test',
        key: 'late',
        sections: [
          task,
          vfsToolsSection(),
          shellSection({ backend: smallShell() }),
          providerToolsSection({ anthropic: { bash: true }, visibility: 'summary' }),
        ],
      }).bind();
    const names = (request: Parameters<typeof listIn>[0]) =>
      listIn(request, 'tools')
        .map(({ name }) => name)
        .filter((name) => ['bash', 'shell_execute', 'shell_restart'].includes(String(name)));
    const first = answeringBlocks(anthropicAdapters.native, ...turns('shell'));
    await first.adapter.evaluate(hidden());
    expect(first.requests.map(names)).toEqual([[], ['bash']]);
    const second = answeringBlocks(anthropicAdapters.native, ...turns('provider_tools'));
    await second.adapter.evaluate(late());
    expect(second.requests.map(names)).toEqual([['shell_execute'], ['bash']]);
    const inPlace = answeringBlocks(
      (fetch) => anthropicAdapters.native(fetch, { openedTools: 'in-place' }),
      ...turns('shell'),
    );
    await inPlace.adapter.evaluate(hidden());
    expect(inPlace.requests.map(names)).toEqual([['shell_execute'], ['shell_execute']]);
    expect(listIn(inPlace.requests[0], 'tools').find(({ name }) => name === 'shell_execute')).toMatchObject({
      defer_loading: true,
    });
  });

  test('lists no tool for other loops that only a shape has', async () => {
    await using runtime = await openToolRuntime(typedPrompt({ typed: all }));
    const names = runtime.tools.map(({ name }) => name);
    for (const name of ['shell_execute', 'read_file', 'write_file', 'edit_file', 'memory'])
      expect(names).toContain(name);
    for (const name of ['apply_patch', 'shell_restart']) expect(names).not.toContain(name);
  });

  test('gives an adapter that has no codec the tools as they are', async () => {
    const asked: (readonly string[])[] = [];
    const adapter = scriptedAdapter((_conversation, { tools }) => {
      asked.push(tools.map(({ name }) => name));
      return { text: 'end' };
    });
    await adapter.evaluate(typedPrompt({ typed: all }));
    expect(asked[0]).toEqual(expect.arrayContaining(['shell_execute', 'write_file', 'edit_file', 'memory']));
    expect(asked[0]).not.toContain('apply_patch');
    expect(asked[0]).not.toContain('shell_restart');
  });

  const items = [
    shellCall('c1', ['echo a', 'exit 3']),
    patchCall('p1', { type: 'create_file', path: 'n', diff: '+n' }),
  ];

  test('lets another provider continue with ordinary calls', async () => {
    const end = await answeringItems(openaiAdapters.native, items).adapter.evaluate(
      typedPrompt({ typed: all }),
      { input: 'Begin.' },
    );
    for (const make of Object.values(anthropicAdapters)) {
      const { adapter, requests } = answeringBlocks(make);
      await adapter.evaluate(typedPrompt({ typed: all }), { history: end.conversation, input: 'More.' });
      const uses = listIn(requests[0], 'messages').flatMap(({ content }) =>
        Array.isArray(content) ? (content as readonly Item[]).filter(({ type }) => type === 'tool_use') : [],
      );
      expect(uses.map(({ name }) => name)).toEqual(['shell_execute', 'shell_execute', 'apply_patch']);
      expect(resultsIn(requests[0]).map(({ tool_use_id: id }) => id)).toEqual(uses.map(({ id }) => id));
    }
    const back = answeringItems(openaiAdapters['aiSdk v4']);
    await back.adapter.evaluate(typedPrompt({ typed: all }), { history: end.conversation, input: 'More.' });
    expect(outputsIn(back.requests[0]).map(({ type }) => type)).toEqual(
      Array.from({ length: 3 }, () => 'function_call_output'),
    );
  });

  test('lets a fallback continue in the middle of a run', async () => {
    let asked = 0;
    const openaiWire = answeringItems(
      (fetch) =>
        openaiAdapters.native(async (input, init) => {
          asked += 1;
          return asked > 1
            ? Response.json({ error: { message: 'down', type: 'server_error' } }, { status: 503 })
            : fetch(input, init);
        }),
      items,
    );
    const next = answeringBlocks(anthropicAdapters.native, [toolUse('t1', 'bash', { command: 'echo b' })]);
    const adapter = fallbackAdapter({ adapters: [openaiWire.adapter, next.adapter] });
    const { text } = await adapter.evaluate(typedPrompt({ typed: all }), { input: 'Begin.', retry: false });
    expect(text).toBe('end');
    expect(resultsIn(next.requests[0])).toHaveLength(3);
    expect(listIn(next.requests[0], 'tools')[0]).toMatchObject({ name: 'bash' });
    expect(resultsIn(next.requests[1])).toHaveLength(4);
  });
});
