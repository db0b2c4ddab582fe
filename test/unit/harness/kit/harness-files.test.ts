import { describe, expect, test } from 'vitest';
import {
  type AnyTool,
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  PromptValidationError,
  promptTemplate,
  type RunEvent,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type AgentHarness, type HarnessRequest, harnessAdapter } from 'weakincentives/provider';

const files = { 'a.md': 'a', 'b.md': 'b', 'old/one.md': '1', 'old/two.md': '2' };

const done = { text: 'Done.', finishReason: 'stop' } as const;

/** Runs a harness on files. */
async function play(
  run: (request: HarnessRequest, files: NonNullable<HarnessRequest['files']>) => Promise<void>,
  {
    policies = [],
    tools = [],
  }: { readonly policies?: readonly ToolPolicy[]; readonly tools?: readonly AnyTool[] } = {},
) {
  const filesystem = new MemoryFilesystem({ files });
  const prompt = promptTemplate({
    ns: 'test',
    key: 'files',
    sections: [section({ title: 'Task', key: 'task', template: 'Edit.', tools })],
    resources: [binding(Filesystem, { instance: filesystem })],
    policies,
  }).bind();
  const events: RunEvent[] = [];
  const harness: AgentHarness = {
    name: 'editor',
    capabilities: {},
    run: async (request) => {
      if (request.files === undefined) throw new Error('There are no files.');
      await run(request, request.files);
      return done;
    },
  };
  const response = await harnessAdapter({ harness }).evaluate(prompt, {
    observers: [{ onEvent: (event) => events.push(event) }],
  });
  const { paths } = await filesystem.glob('**/*');
  const texts = await Promise.all(paths.map(async (path) => [path, (await filesystem.read(path)).text]));
  const invocations = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.invocation] : []));
  return { response, invocations, content: Object.fromEntries(texts), filesystem };
}

const writeTool: AnyTool = tool({
  name: 'write_b',
  description: 'Writes b.md.',
  effects: 'state',
  execute: async (_params, { filesystem }) => {
    await filesystem.write('b.md', 'by the tool');
    return ToolResult.ok(null, 'Written.');
  },
});

describe('what a harness changes in its copy', () => {
  test('is put on the files by one call, which is no part of the conversation', async () => {
    const { content, invocations, response } = await play(async (_request, { copy, commit }) => {
      await copy.write('a.md', 'A');
      await copy.write('new/c.md', 'c');
      await copy.remove('old', { recursive: true });
      expect(await commit()).toBeUndefined();
    });
    expect(content).toEqual({ 'a.md': 'A', 'b.md': 'b', 'new/c.md': 'c' });
    expect(invocations).toMatchObject([
      {
        toolName: 'harness_files',
        outcome: 'committed',
        changes: [
          { path: 'a.md', kind: 'modified' },
          { path: 'new/c.md', kind: 'created' },
          { path: 'old/one.md', kind: 'removed' },
          { path: 'old/two.md', kind: 'removed' },
        ],
      },
    ]);
    expect(response.conversation.map(({ type }) => type)).toEqual(['assistant']);
  });

  test('stays apart until it is committed, and is lost without that', async () => {
    const { content, invocations } = await play(async (_request, { copy }) => {
      await copy.write('a.md', 'A');
    });
    expect(content).toEqual(files);
    expect(invocations).toEqual([]);
  });

  test('removes directories, but not what others have put there', async () => {
    const keeps = tool({
      name: 'keep',
      description: 'Keeps a file.',
      effects: 'state',
      execute: async (_params, { filesystem }) => {
        await filesystem.write('old/kept.md', 'kept');
        return ToolResult.ok(null, 'Kept.');
      },
    });
    const { content } = await play(
      async ({ tools }, { copy, commit }) => {
        await copy.remove('old', { recursive: true });
        await copy.mkdir('empty');
        await tools.call({ callId: 'c1', name: 'keep', arguments: {} });
        expect(await commit()).toBeUndefined();
      },
      { tools: [keeps] },
    );
    expect(content).toEqual({ 'a.md': 'a', 'b.md': 'b', 'old/kept.md': 'kept' });
    const gone = await play(async (_request, { copy, commit }) => {
      await copy.remove('old', { recursive: true });
      await copy.mkdir('empty');
      await commit();
    });
    expect(await gone.filesystem.stat('old')).toBeUndefined();
    expect(await gone.filesystem.stat('empty')).toMatchObject({ kind: 'directory' });
  });

  test('is judged by the policies of the prompt', async () => {
    const policy: ToolPolicy = {
      name: 'no-a',
      checkChanges: (_call, changes) =>
        changes.some(({ path }) => path === 'a.md')
          ? PolicyDecision.deny('a.md stays.')
          : PolicyDecision.allow(),
    };
    const said: unknown[] = [];
    const { content } = await play(
      async (_request, { copy, commit }) => {
        await copy.write('a.md', 'A');
        await copy.write('c.md', 'c');
        said.push(await commit());
        await copy.write('a.md', 'a');
        said.push(await commit());
      },
      { policies: [policy] },
    );
    expect(said).toEqual([expect.stringContaining('a.md stays.'), undefined]);
    expect(content).toEqual({ ...files, 'c.md': 'c' });
  });

  test('is not kept over what a tool of the run has changed', async () => {
    const said: unknown[] = [];
    const { content } = await play(
      async ({ tools }, { copy, commit }) => {
        await copy.write('a.md', 'A');
        await copy.write('b.md', 'by the harness');
        await tools.call({ callId: 'c1', name: 'write_b', arguments: {} });
        said.push(await commit());
        await copy.write('b.md', 'by the tool');
        said.push(await commit());
      },
      { tools: [writeTool] },
    );
    expect(said).toEqual([
      'Nothing was kept of what you changed in the working directory: "b.md" was changed by a tool of the run in the meantime, too. Restore it in the working directory.',
      undefined,
    ]);
    expect(content).toEqual({ ...files, 'a.md': 'A', 'b.md': 'by the tool' });
  });

  test('is kept again and again, each time what was not kept before', async () => {
    const { content, invocations } = await play(
      async ({ tools }, { copy, commit }) => {
        await copy.write('b.md', 'first');
        await commit();
        // What a tool changes after it was kept is not touched by the next commit.
        await tools.call({ callId: 'c1', name: 'write_b', arguments: {} });
        await copy.write('a.md', 'second');
        expect(await commit()).toBeUndefined();
        expect(await commit()).toBeUndefined();
      },
      { tools: [writeTool] },
    );
    expect(content).toEqual({ ...files, 'a.md': 'second', 'b.md': 'by the tool' });
    expect(invocations.map(({ toolName, changes }) => [toolName, changes.map(({ path }) => path)])).toEqual([
      ['harness_files', ['b.md']],
      ['write_b', ['b.md']],
      ['harness_files', ['a.md']],
    ]);
  });
});

test('no model can call what keeps the changes', async () => {
  await play(async ({ tools }, { copy }) => {
    await copy.write('a.md', 'A');
    expect(tools.toolNamed('harness_files')).toBeUndefined();
    expect(tools.tools).toEqual([]);
    await expect(tools.call({ callId: 'c1', name: 'harness_files', arguments: {} })).rejects.toBeInstanceOf(
      PromptValidationError,
    );
  });
});

test('a tool of the prompt may have its name', async () => {
  const own = tool({
    name: 'harness_files',
    description: 'Own.',
    effects: 'read',
    execute: () => ToolResult.ok(null, 'Mine.'),
  });
  const { content, invocations } = await play(
    async ({ tools }, { copy, commit }) => {
      await copy.write('a.md', 'A');
      await tools.call({ callId: 'c1', name: 'harness_files', arguments: {} });
      expect(await commit()).toBeUndefined();
    },
    { tools: [own] },
  );
  expect(content['a.md']).toBe('A');
  expect(invocations.map(({ toolName }) => toolName)).toEqual(['harness_files', 'harness_files_2']);
});

test('a prompt without files has none for its harness', async () => {
  let seen: unknown = 'nothing';
  const harness: AgentHarness = {
    name: 'editor',
    capabilities: {},
    run: async (request) => {
      seen = request.files;
      return done;
    },
  };
  const prompt = promptTemplate({
    ns: 'test',
    key: 'none',
    sections: [section({ title: 'Task', key: 'task', template: 'Go.' })],
  });
  await harnessAdapter({ harness }).evaluate(prompt.bind());
  expect(seen).toBeUndefined();
});
