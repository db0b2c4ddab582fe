import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { type Script, scriptedAdapter } from 'weakincentives/testing';
import {
  vfsToolsSection,
  WorkspaceDigest,
  type WorkspaceDigestSectionOptions,
  workspaceDigestSection,
} from 'weakincentives/tools';

const files = {
  'README.md': '# x',
  'src/a.ts': '',
  'src/b.ts': '',
  'package.json': '{"scripts":{"test":"vitest"}}',
};

const templateOf = (
  options: WorkspaceDigestSectionOptions = {},
  base: MemoryFilesystem | typeof files = files,
) =>
  promptTemplate({
    ns: 'tests',
    key: 'digest',
    sections: [workspaceDigestSection(options), vfsToolsSection({ base })],
  });

/** Plays turns, and keeps the instructions of the first request of each evaluation. */
function playing(turns: Parameters<typeof scriptedAdapter>[0]) {
  const instructions: string[] = [];
  const script: Script = (conversation, request, options) => {
    if (request.turn === 1) instructions.push(request.instructions);
    if (typeof turns === 'function') return turns(conversation, request, options);
    return turns[request.turn - 1] ?? { text: 'done' };
  };
  return { adapter: scriptedAdapter(script), instructions };
}

describe('workspaceDigestSection', () => {
  it('shows an overview in the first prompt, and details when they are opened', async () => {
    await using session = new Session();
    const { adapter, instructions } = playing([
      { toolCalls: [{ name: 'read_section', arguments: { section_key: 'workspace-digest.details' } }] },
      { text: 'done' },
    ]);
    const { conversation } = await adapter.evaluate(templateOf().bind(), { session });
    expect(instructions[0]).toContain('## 1. Workspace Digest (workspace-digest)');
    expect(instructions[0]).toContain('- 4 files in 1 directory, ');
    expect(instructions[0]).toContain('- Commands: npm run test');
    expect(instructions[0]).not.toContain('src/ (2 files)');
    const [details] = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
    expect(details).toContain('- src/ (2 files)');
    expect(details).toContain('- npm run test: "vitest"');
    expect(session.slice(WorkspaceDigest).all()).toHaveLength(1);
  });

  it('can show the details at once', async () => {
    const { adapter, instructions } = playing([]);
    await adapter.evaluate(templateOf({ visibility: 'full', title: 'Files', key: 'files' }).bind());
    expect(instructions[0]).toContain('### 1.1. Details (files.details)');
    expect(instructions[0]).toContain('- src/ (2 files)');
  });

  it('is kept for the session, or made anew for each evaluation', async () => {
    for (const [refresh, expected] of [
      ['session', '- 4 files'],
      ['evaluation', '- 5 files'],
    ] as const) {
      await using session = new Session();
      const template = templateOf({ refresh });
      const writing = playing([
        { toolCalls: [{ name: 'write_file', arguments: { file_path: 'new.md', content: '' } }] },
      ]);
      await writing.adapter.evaluate(template.bind(), { session });
      expect(session.slice(WorkspaceDigest).latest()?.files).toBe(4);
      const next = playing([]);
      await next.adapter.evaluate(template.bind(), { session });
      expect(next.instructions[0]).toContain(expected);
      session.slice(WorkspaceDigest).clear();
      const fresh = playing([]);
      await fresh.adapter.evaluate(template.bind(), { session });
      expect(fresh.instructions[0]).toContain('- 5 files');
    }
  });

  it('is state: it goes back with the session, and survives an export', async () => {
    await using session = new Session();
    const before = session.snapshot();
    await playing([]).adapter.evaluate(templateOf().bind(), { session });
    const exported = session.exportState();
    session.restore(before);
    expect(session.slice(WorkspaceDigest).length).toBe(0);
    await using resumed = new Session();
    resumed.install(WorkspaceDigest);
    resumed.importState(exported);
    const { adapter, instructions } = playing([]);
    const other = new MemoryFilesystem({ files: { 'other.md': '' } });
    await adapter.evaluate(templateOf({}, other).bind(), { session: resumed });
    expect(instructions[0]).toContain('- 4 files');
  });

  it('is shown the same through all turns, whatever calls write', async () => {
    const template = templateOf();
    const { adapter } = playing([
      { toolCalls: [{ name: 'write_file', arguments: { file_path: 'src/c.ts', content: '' } }] },
      { toolCalls: [{ name: 'read_section', arguments: { section_key: 'workspace-digest.details' } }] },
    ]);
    const { conversation } = await adapter.evaluate(template.bind());
    expect(JSON.stringify(conversation)).toContain('src/ (2 files)');
  });

  it('respects .gitignore files unless it is not to', async () => {
    const base = new MemoryFilesystem({ files: { '.gitignore': 'out/\n', 'out/x.js': '', 'a.js': '' } });
    const [kept, all] = [playing([]), playing([])];
    await kept.adapter.evaluate(templateOf({}, base).bind());
    await all.adapter.evaluate(templateOf({ includeIgnored: true }, base).bind());
    expect(kept.instructions[0]).toMatch(
      /- 2 files in 0 directories, .*\(1 more entry ignored by \.gitignore\)/,
    );
    expect(all.instructions[0]).toContain('- 3 files in 1 directory');
  });

  it('ends the evaluation when there is no workspace, and says what to do', async () => {
    const template = promptTemplate({ ns: 'tests', key: 'digest', sections: [workspaceDigestSection()] });
    const failing = playing([]).adapter.evaluate(template.bind());
    await expect(failing).rejects.toMatchObject({
      code: 'evaluation-render-failed',
      message: expect.stringContaining('has no workspace to make a digest of'),
    });
  });

  it('is made where it is shown when the prompt is only rendered', async () => {
    const prompt = templateOf().bind();
    expect((await prompt.render()).text).toContain('The digest is made when an evaluation starts.');
    await using session = new Session();
    expect((await prompt.render({ session })).text).toContain('The digest is made when');
  });

  it('refuses bad options', () => {
    expect(() => workspaceDigestSection(JSON.parse('{"refresh":"turn"}'))).toThrow(
      "refresh must be 'session' or 'evaluation'",
    );
    expect(() => workspaceDigestSection(JSON.parse('{"limits":{}}'))).toThrow('has no option "limits"');
  });
});

describe('a digest in an evaluation inside a call', () => {
  const inner = templateOf();
  const nest = (effects: 'state' | 'read', fails: boolean) =>
    tool({
      name: 'nest',
      description: 'Evaluates another prompt.',
      effects,
      execute: async (_params, { adapter, filesystem }) => {
        const bound = { resources: [binding(Filesystem, { instance: filesystem })] };
        await adapter.evaluate(inner.bind({}, bound));
        return fails ? ToolResult.error('no luck') : ToolResult.ok(null, 'nested');
      },
    });
  const run = async (effects: 'state' | 'read', fails: boolean) => {
    const session = new Session();
    session.install(WorkspaceDigest);
    const outer = promptTemplate({
      ns: 'tests',
      key: 'outer',
      sections: [
        section({ title: 'Nest', key: 'nest', tools: [nest(effects, fails)] }),
        vfsToolsSection({ base: files }),
      ],
    });
    const instructions: string[] = [];
    const adapter = scriptedAdapter((conversation, request) => {
      const isInner = request.instructions.includes('Workspace Digest');
      if (isInner) instructions.push(request.instructions);
      const isFirst = !conversation.some(({ type }) => type === 'tool-result');
      return !isInner && isFirst ? { toolCalls: [{ name: 'nest' }] } : { text: 'done' };
    });
    const { conversation } = await adapter.evaluate(outer.bind(), { session });
    const replies = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
    return { session, instructions, replies };
  };

  it('is committed with the call, and rolled back with it', async () => {
    for (const fails of [false, true]) {
      const { session, instructions, replies } = await run('state', fails);
      expect(replies).toEqual([fails ? 'no luck' : 'nested']);
      expect(instructions[0]).toContain('- 4 files');
      expect(session.slice(WorkspaceDigest).length).toBe(fails ? 0 : 1);
      await session[Symbol.asyncDispose]();
    }
  });

  it('is shown, but not kept, in a call that may only read', async () => {
    const { session, instructions, replies } = await run('read', false);
    expect(replies).toEqual(['nested']);
    expect(instructions[0]).toContain('- 4 files');
    expect(session.slice(WorkspaceDigest).length).toBe(0);
    await session[Symbol.asyncDispose]();
  });
});
