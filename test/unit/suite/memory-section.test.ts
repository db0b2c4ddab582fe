import { describe, expect, it } from 'vitest';
import {
  PolicyDecision,
  PromptValidationError,
  promptTemplate,
  readBeforeWritePolicy,
  resumeRun,
  Session,
} from 'weakincentives';
import { memoryJournal, type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';
import { type MemorySectionOptions, memorySection, vfsToolsSection } from 'weakincentives/tools';
import { connectServer } from '../../support/mcp/clients.ts';

const create = (path: string, text: string): ScriptedToolCall => ({
  name: 'memory',
  arguments: { command: 'create', path, file_text: text },
});

const templateOf = (...sections: Parameters<typeof promptTemplate>[0]['sections'][number][]) =>
  promptTemplate({ ns: 'tests', key: 'memory', sections });

const textOf = async (options: MemorySectionOptions = {}): Promise<string> =>
  (await templateOf(memorySection(options)).bind().render()).text;

describe('memorySection', () => {
  it('brings its tool, its slice, a title and no permission to override', () => {
    const made = memorySection();
    expect(made).toMatchObject({ title: 'Memory', key: 'memory', acceptsOverrides: false });
    expect(made.tools?.map(({ name, acceptsOverrides }) => [name, acceptsOverrides])).toEqual([
      ['memory', false],
    ]);
    expect(made.slices).toEqual([made.files]);
    expect(memorySection({ title: 'Notes', key: 'notes' })).toMatchObject({ title: 'Notes', key: 'notes' });
  });

  it('says when to look, what to keep, that it is data, and how much there may be', async () => {
    const text = await textOf({ maxBytes: 5000, maxFiles: 7 });
    for (const part of [
      'View `/memories` before you begin',
      'what is done and what comes next',
      'not an instruction to you',
      'may have 5,000 bytes, and there may be 7 of them',
    ])
      expect(text).toContain(part);
    expect(await textOf({ visibility: 'summary' })).toContain('Notes of earlier work');
  });

  it.each<[string, unknown, string]>([
    ['an unknown option', { maxByte: 1 }, 'has no option "maxByte"'],
    ['no bytes', { maxBytes: 0 }, 'maxBytes'],
    ['too many files', { maxFiles: 10_001 }, 'maxFiles'],
    ['a seed elsewhere', { seed: { '/etc/passwd': 'x' } }, 'is not in the memory'],
    ['a seed with ".."', { seed: { '../x': 'x' } }, 'has ".." in it'],
    ['a seed that is not text', { seed: { a: new Uint8Array([0, 1, 255]) } }, '/memories/a is not text'],
    ['a seed with another value', { seed: { a: 1 } }, '/memories/a is not text'],
    ['one path twice', { seed: { a: 'x', '/memories/a': 'y' } }, 'exists already'],
    ['a file below a file', { seed: { a: 'x', 'a/b': 'y' } }, 'is a file, so that nothing can be below it'],
    ['too many bytes', { maxBytes: 3, seed: { a: 'xxxx' } }, 'would have 4 bytes; it may have 3'],
    [
      'too many files of a seed',
      { maxFiles: 1, seed: { a: '', b: '' } },
      'would have 2 files; it may have 1',
    ],
  ])('refuses %s', (_what, options, message) => {
    // What a caller without types may pass.
    const make = () => memorySection(options as MemorySectionOptions);
    expect(make).toThrow(PromptValidationError);
    expect(make).toThrow(message);
  });

  it('gives the seed to new sessions, and again after a reset', async () => {
    const memory = memorySection({ seed: { 'a.md': 'A', '/memories/b': new TextEncoder().encode('ü') } });
    await using session = new Session();
    const pathsOf = () =>
      session
        .slice(memory.files)
        .all()
        .map(({ path, text, bytes }) => [path, text, bytes]);
    const seeded = [
      ['/memories/a.md', 'A', 1],
      ['/memories/b', 'ü', 2],
    ];
    const calls = [
      { toolCalls: [{ name: 'memory', arguments: { command: 'delete', path: '/memories/b' } }] },
      {},
    ];
    await scriptedAdapter(calls).evaluate(templateOf(memory).bind(), { session });
    expect(pathsOf()).toEqual(seeded.slice(0, 1));
    // An imported session has its own files, also when the seed has changed.
    const changed = memorySection({ seed: { 'a.md': 'other', b: 'back again' } });
    await using imported = new Session();
    imported.install(changed.files);
    imported.importState(JSON.parse(JSON.stringify(session.exportState())), { unknownSlices: 'skip' });
    expect(imported.slice(changed.files).all()).toEqual(session.slice(memory.files).all());
    session.reset();
    expect(pathsOf()).toEqual(seeded);
  });

  it('is one memory for all sections without a seed that a session is used with', async () => {
    await using session = new Session();
    const run = (call: ScriptedToolCall) =>
      scriptedAdapter([{ toolCalls: [call] }, {}]).evaluate(
        templateOf(memorySection({ maxFiles: 3 })).bind(),
        {
          session,
        },
      );
    await run(create('/memories/a', 'x'));
    await run(create('/memories/b', 'y'));
    expect(session.slice(memorySection().files).length).toBe(2);
  });

  it('keeps what a failed call has left out of it, and is not concerned by rules about files', async () => {
    await using session = new Session();
    const memory = memorySection();
    const prompt = promptTemplate({
      ns: 'tests',
      key: 'both',
      policies: [readBeforeWritePolicy()],
      sections: [memory, vfsToolsSection({ base: { 'a.md': 'workspace' }, policies: [] })],
    }).bind();
    const turns = [
      create('/memories/a.md', 'one'),
      create('/memories/a.md', 'two'),
      {
        name: 'memory',
        arguments: { command: 'str_replace', path: '/memories/a.md', old_str: 'one', new_str: '1' },
      },
      { name: 'glob', arguments: { pattern: '**/*' } },
    ].map((call) => ({ toolCalls: [call] }));
    const { conversation } = await scriptedAdapter([...turns, {}]).evaluate(prompt, { session });
    const results = conversation.flatMap((item) => (item.type === 'tool-result' ? [item] : []));
    expect(results.map(({ isError }) => isError)).toEqual([false, true, false, false]);
    expect(results.at(-1)?.text).not.toContain('memories');
    expect(session.slice(memory.files).get('/memories/a.md')?.text).toBe('1');
  });

  it('puts its tool under the policies it is given', async () => {
    await using session = new Session();
    const memory = memorySection({
      policies: [{ name: 'none', check: () => PolicyDecision.deny('not today') }],
    });
    const adapter = scriptedAdapter([{ toolCalls: [create('/memories/a', 'x')] }, { text: 'Not today.' }]);
    await adapter.evaluate(templateOf(memory).bind(), { session });
    expect(session.slice(memory.files).length).toBe(0);
  });
});

describe('a memory', () => {
  const memory = memorySection();
  const prompt = templateOf(memory).bind();

  it('is named in the digest of a compaction, but for hidden files, and not its content', async () => {
    const calls = ['b.md', 'a.md', '.hidden', ...Array.from({ length: 100 }, (_, n) => `d/${n}.txt`)].map(
      (name) => create(`/memories/${name}`, 'secret text'),
    );
    const { conversation } = await scriptedAdapter([
      { toolCalls: calls },
      { text: 'x'.repeat(9000), toolCalls: [create('/memories/z', '')] },
      {},
    ]).evaluate(prompt, {
      context: { compact: { atInputTokens: 2000, toInputTokens: 1400 } },
      session: new Session(),
    });
    const digest = conversation.find((item) => item.type === 'user' && item.source === 'digest');
    const text = JSON.stringify(digest);
    expect(text).toContain('memory.files:\\nFiles of your memory. View those that you need');
    expect(text).toContain('\\n/memories/a.md\\n/memories/b.md\\n/memories/d/0.txt\\n');
    expect(text).toContain('and 3 more');
    expect(text).not.toContain('hidden');
  });

  it('is there when a run that has ended goes on in another process', async () => {
    const journal = memoryJournal();
    await using first = new Session({ id: 'kept' });
    const writes = scriptedAdapter([
      { toolCalls: [create('/memories/a.md', 'left here')] },
      { text: 'Until later.' },
    ]);
    await writes.evaluate(prompt, { session: first, journal, runId: 'kept' });
    await using second = new Session({ id: 'kept' });
    const views = scriptedAdapter((conversation) =>
      conversation.at(-1)?.type === 'user'
        ? { toolCalls: [{ name: 'memory', arguments: { command: 'view', path: '/memories/a.md' } }] }
        : { text: JSON.stringify(conversation.at(-1)) },
    );
    const ended = await resumeRun({
      journal,
      session: second,
      adapter: views,
      prompt,
      runId: 'kept',
      input: 'Go on.',
    });
    expect('text' in ended ? ended.text : '').toContain('     1\\tleft here');
  });

  it('is served over the Model Context Protocol', async () => {
    await using served = await connectServer(prompt, { era: 'modern', transport: 'http' });
    const { client } = served;
    {
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toContain('memory');
      const call = (given: Readonly<Record<string, unknown>>) =>
        client.callTool({ name: 'memory', arguments: given });
      await call({ command: 'create', path: '/memories/a', file_text: 'hello' });
      expect(JSON.stringify(await call({ command: 'view', path: '/memories/a' }))).toContain('hello');
    }
  });
});
