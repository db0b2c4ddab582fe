import { describe, expect, it } from 'vitest';
import {
  Filesystem,
  MemoryFilesystem,
  type PromptTemplate,
  PromptValidationError,
  promptTemplate,
  type Section,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { type VfsToolsSectionOptions, vfsToolsSection } from 'weakincentives/tools';
import { ResourceContainer } from '../../../src/core/resource/index.ts';
import { vfsToolNames } from '../../../src/suite/vfs/vfs-tools.ts';

type Template = PromptTemplate<Record<never, never>, undefined>;

const templateOf = (options: VfsToolsSectionOptions = {}): Template =>
  promptTemplate({ ns: 'tests', key: 'vfs', sections: [vfsToolsSection(options)] });

/** The files that a session has under a template. */
function filesOf(session: Session, template: Template): Promise<Filesystem> {
  return ResourceContainer.for(session, template.bind().resources()).resolver.get(Filesystem);
}

/** Lets a scripted model make these calls, each in a turn of its own, and returns what it was answered. */
interface Call {
  readonly name: string;
  readonly arguments: unknown;
}

async function answers(
  template: Template,
  session: Session,
  calls: readonly Call[],
): Promise<readonly string[]> {
  const turns = [...calls.map((call) => ({ toolCalls: [call] })), { text: 'done' }];
  const { conversation } = await scriptedAdapter(turns).evaluate(template.bind(), { session });
  return conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
}

const renderedText = async (options: VfsToolsSectionOptions = {}): Promise<string> =>
  (await templateOf(options).bind().render({ examplesOnWire: true })).text;

const toolNames = (offering: Section<Record<never, never>>): readonly string[] =>
  (offering.tools ?? []).map(({ name }) => name);

describe('vfsToolsSection', () => {
  it('brings seven tools, its policy and its title', () => {
    const files = vfsToolsSection();
    expect(files).toMatchObject({ title: 'Virtual Filesystem Tools', key: 'vfs' });
    expect(toolNames(files)).toEqual(['ls', 'read_file', 'write_file', 'edit_file', 'glob', 'grep', 'rm']);
    expect(files.policies?.map((policy) => policy.name)).toEqual(['read-before-write']);
    expect(vfsToolsSection({ title: 'Files', key: 'files' })).toMatchObject({ title: 'Files', key: 'files' });
  });

  it('offers the same tools as other sections unless it is given limits', () => {
    const [ls] = vfsToolsSection().tools ?? [];
    expect(vfsToolsSection().tools).toContain(ls);
    expect(vfsToolsSection({ limits: { maxLines: 10 } }).tools).not.toContain(ls);
  });

  it('offers a subset in a fixed order, and only tools that look when it is read-only', () => {
    expect(toolNames(vfsToolsSection({ tools: ['grep', 'ls'] }))).toEqual(['ls', 'grep']);
    expect(toolNames(vfsToolsSection({ readOnly: true }))).toEqual(['ls', 'read_file', 'glob', 'grep']);
    expect(toolNames(vfsToolsSection({ tools: ['cp', 'mv', 'ls'] }))).toEqual(['ls', 'mv', 'cp']);
  });

  it.each<[string, VfsToolsSectionOptions]>([
    ['no tool', { tools: [] }],
    ['one tool twice', { tools: ['ls', 'ls'] }],
    ['a writing tool that may only look', { readOnly: true, tools: ['rm'] }],
    ['moving in a section that may only look', { readOnly: true, tools: ['ls', 'mv'] }],
    ['a limit of zero', { limits: { maxLines: 0 } }],
    ['a limit that is not an integer', { limits: { maxPaths: 1.5 } }],
    ['a file system with content', { filesystem: new MemoryFilesystem(), base: { 'a.txt': '' } }],
    [
      'a file system with mounts',
      { filesystem: new MemoryFilesystem(), mounts: [{ mountPath: '.', files: {} }] },
    ],
  ])('refuses %s', (_what, options) => {
    expect(() => vfsToolsSection(options)).toThrow(PromptValidationError);
  });

  it('refuses names that the compiler would not let through', () => {
    const unknownTool = JSON.parse('{"tools":["rename"]}');
    const unknownLimit = JSON.parse('{"limits":{"maxLine":1}}');
    expect(() => vfsToolsSection(unknownTool)).toThrow('received ["rename"]');
    expect(() => vfsToolsSection(unknownLimit)).toThrow(
      'no option "limits.maxLine"; the nearest is "limits.maxLines"',
    );
  });

  it('refuses bad content at once', () => {
    expect(() => vfsToolsSection({ base: { '../a': '' } })).toThrow('leaves the root');
    expect(() => vfsToolsSection({ base: { 'a.txt': 'long' }, limits: { maxFileBytes: 3 } })).toThrow(/3/);
  });
});

describe('the instructions', () => {
  it('name the tools that are offered and no others', async () => {
    const all = await renderedText();
    for (const name of ['ls', 'read_file', 'write_file', 'edit_file', 'glob', 'grep', 'rm'])
      expect(all).toContain(`\`${name}\``);
    const looking = await renderedText({ readOnly: true });
    expect(looking).not.toMatch(/write_file|edit_file|`rm`|`mv`|`cp`|overwrite|all or nothing/);
    expect(all).not.toMatch(/`mv`|`cp`/);
    expect(looking).toContain('The files can only be read.');
    for (const name of vfsToolNames) {
      const alone = await renderedText({ tools: [name] });
      const named = vfsToolNames.filter((other) => alone.includes(`\`${other}\``));
      expect(named).toEqual([name]);
    }
    expect(await renderedText({ tools: ['ls', 'mv'] })).toContain('Every call is all or nothing');
  });

  it('say what is rolled back, as far as the file system can', async () => {
    expect(await renderedText()).toContain('leaves every file as it was');
    const withRollback = (rollback: 'own-writes' | 'none'): Promise<string> => {
      const filesystem: Filesystem = new MemoryFilesystem();
      const capabilities = { ...filesystem.capabilities, rollback };
      return renderedText({ filesystem: Object.assign(Object.create(filesystem), { capabilities }) });
    };
    expect(await withRollback('own-writes')).toContain('What other programs write is not undone');
    expect(await withRollback('none')).toContain('Changes are not undone when a call fails');
  });

  it('mention the rule on overwriting only while it holds', async () => {
    expect(await renderedText()).toContain('Read an existing file before you overwrite or edit it');
    expect(await renderedText({ policies: [] })).not.toContain('before you overwrite');
  });

  it('name mounts with what was left out, dollar signs as they are', async () => {
    const report = { skippedCount: 3, complete: false };
    const mounts = [
      { mountPath: 'docs/$x', files: { 'docs/$x/a': '', 'docs/$x/b': '' } },
      { mountPath: '.', files: { c: '' }, report },
      { mountPath: 'all', files: {}, report: { skippedCount: 0, complete: true } },
    ];
    const text = await renderedText({ mounts });
    expect(text).toContain('- `docs/$x/` holds 2 files from outside: `a`, `b`.');
    expect(text).toContain('- The root holds 1 file from outside: `c`; 3 or more were left out');
    expect(text).toContain('- `all/` holds 0 files from outside.');
  });

  it('list up to 20 names at the top of each mount, on one line whatever they are', async () => {
    const many = Array.from({ length: 25 }, (_, index) => [`m/${String(index).padStart(2, '0')}.txt`, '']);
    const mounts = [
      {
        mountPath: './m',
        files: Object.fromEntries([...many, ['m/00dir/deep/x', ''], ['m/00dir/y', ''], ['elsewhere', '']]),
      },
      { mountPath: 'n', files: { 'n/a\nSystem: b': '', [`n/${'x'.repeat(200)}`]: '' } },
    ];
    const text = await renderedText({ mounts });
    expect(text).toMatch(/- `m\/` holds 28 files from outside: `00.txt`, `00dir\/`, .*`18.txt` and 6 more\./);
    expect(text).not.toContain('elsewhere');
    expect(text).toContain('`"a\\nSystem: b"`');
    expect(text).not.toContain('x'.repeat(81));
  });

  it('are short', async () => {
    expect((await renderedText()).length).toBeLessThan(1600);
  });

  it('give way to a summary', async () => {
    const { text, tools } = await templateOf({ visibility: 'summary' }).bind().render();
    expect(text).toContain('A workspace of files, with tools to find, read and change them.');
    expect(tools.map(({ name }) => name)).not.toContain('write_file');
  });
});

describe('the workspace', () => {
  it('is one per session, kept between evaluations', async () => {
    const template = templateOf();
    await using first = new Session();
    await using second = new Session();
    await answers(template, first, [
      { name: 'write_file', arguments: { file_path: 'a.txt', content: 'one' } },
    ]);
    expect(
      await answers(template, first, [{ name: 'read_file', arguments: { file_path: 'a.txt' } }]),
    ).toEqual(['a.txt - lines 1-1 of 1\n\n1 | one']);
    const [missing] = await answers(template, second, [
      { name: 'read_file', arguments: { file_path: 'a.txt' } },
    ]);
    expect(missing).toContain('There is no "a.txt"');
  });

  it('starts with given files, which no session changes for another', async () => {
    const template = templateOf({
      base: { 'a.txt': 'given' },
      mounts: [{ mountPath: 'm', files: { 'm/b.txt': 'b', './a.txt': 'mounted' } }],
    });
    await using first = new Session();
    await using second = new Session();
    const files = await filesOf(first, template);
    await files.write('a.txt', 'changed');
    await files.remove('m', { recursive: true });
    const others = await filesOf(second, template);
    expect((await others.read('a.txt')).text).toBe('mounted');
    expect((await others.glob('**')).paths).toEqual(['a.txt', 'm/b.txt']);
  });

  it('starts with what a file system holds when the session first uses it, and never writes it', async () => {
    const base = new MemoryFilesystem({ files: { 'a.txt': 'early', 'dir/b.txt': 'b' } });
    const template = templateOf({
      base,
      mounts: [{ mountPath: 'm', files: { 'm/c.txt': 'c', 'dir/b.txt': 'over' } }],
    });
    await base.write('a.txt', 'late');
    await using session = new Session();
    const files = await filesOf(session, template);
    expect((await files.read('a.txt')).text).toBe('late');
    expect((await files.read('dir/b.txt')).text).toBe('over');
    await files.write('a.txt', 'mine');
    await base.write('a.txt', 'later');
    expect((await files.read('a.txt')).text).toBe('mine');
    expect((await base.glob('**')).paths).toEqual(['a.txt', 'dir/b.txt']);
    expect((await base.read('dir/b.txt')).text).toBe('b');
  });

  it('keeps the limits it was given', async () => {
    await using session = new Session();
    const files = await filesOf(
      session,
      templateOf({ limits: { maxFiles: 1, maxFileBytes: 5, maxBytes: 6 } }),
    );
    await expect(files.write('a', 'x'.repeat(6))).rejects.toMatchObject({ code: 'file-too-large' });
    await files.write('a', 'x');
    await expect(files.write('b', 'x')).rejects.toMatchObject({ code: 'filesystem-quota-exceeded' });
  });

  it('is refused when the base is over its limits', async () => {
    const base = new MemoryFilesystem({ files: { 'a.txt': '0123456789' } });
    await using session = new Session();
    const files = filesOf(session, templateOf({ base, limits: { maxBytes: 9 } }));
    await expect(files).rejects.toMatchObject({
      code: 'resource-factory-failed',
      cause: { code: 'filesystem-quota-exceeded' },
    });
  });

  it('is an instance of the caller that every session shares, or what a factory makes per session', async () => {
    const shared = new MemoryFilesystem();
    const template = templateOf({ filesystem: shared });
    await using first = new Session();
    await using second = new Session();
    await answers(template, first, [{ name: 'write_file', arguments: { file_path: 'a.txt', content: 'x' } }]);
    expect((await shared.read('a.txt')).text).toBe('x');
    expect(await filesOf(second, template)).toBe(shared);
    const made: Filesystem[] = [];
    const fromFactory = templateOf({
      filesystem: () => {
        const files = new MemoryFilesystem();
        made.push(files);
        return files;
      },
    });
    expect(await filesOf(first, fromFactory)).toBe(await filesOf(first, fromFactory));
    await filesOf(second, fromFactory);
    expect(made).toHaveLength(2);
  });
});

describe('calls in a run', () => {
  it('may create files, and overwrite or edit only what was read', async () => {
    const template = templateOf({ base: { 'config.yaml': 'a: 1\n' } });
    await using session = new Session();
    const replies = await answers(template, session, [
      { name: 'write_file', arguments: { file_path: 'new.txt', content: 'n' } },
      { name: 'write_file', arguments: { file_path: '/config.yaml', content: 'a: 2\n' } },
      { name: 'edit_file', arguments: { file_path: 'config.yaml', old_string: '1', new_string: '2' } },
      { name: 'read_file', arguments: { file_path: './config.yaml' } },
      { name: 'write_file', arguments: { file_path: 'config.yaml', content: 'a: 3\n' } },
      { name: 'edit_file', arguments: { file_path: 'config.yaml', old_string: '3', new_string: '4' } },
    ]);
    expect(replies[0]).toBe('Created new.txt (1 byte).');
    for (const denied of replies.slice(1, 3)) {
      expect(denied).toContain('read-before-write');
      expect(denied).toContain('config.yaml');
      expect(denied).toContain('read_file');
    }
    expect(replies[4]).toBe('Replaced the content of config.yaml (5 bytes).');
    expect(replies[5]).toBe('Edited config.yaml: 1 replacement, now 5 bytes.');
    expect((await (await filesOf(session, template)).read('config.yaml')).text).toBe('a: 4\n');
  });

  it('know a file that was moved or copied if it was known before, and never overwrite by moving', async () => {
    const template = templateOf({
      base: { 'read.txt': 'a', 'unread.txt': 'b', 'taken.txt': 'c' },
      tools: ['read_file', 'write_file', 'mv', 'cp'],
    });
    await using session = new Session();
    const replies = await answers(template, session, [
      { name: 'read_file', arguments: { file_path: 'read.txt' } },
      { name: 'mv', arguments: { from: 'read.txt', to: 'taken.txt' } },
      { name: 'mv', arguments: { from: 'read.txt', to: 'moved.txt' } },
      { name: 'write_file', arguments: { file_path: 'moved.txt', content: 'x' } },
      { name: 'cp', arguments: { from: 'unread.txt', to: 'copy.txt' } },
      { name: 'write_file', arguments: { file_path: 'copy.txt', content: 'x' } },
    ]);
    expect(replies[1]).toContain('"taken.txt" exists already');
    expect(replies[2]).toBe('Moved read.txt to moved.txt.');
    expect(replies[3]).toContain('Replaced the content of moved.txt');
    expect(replies[5]).toContain('read-before-write');
    expect((await (await filesOf(session, template)).read('taken.txt')).text).toBe('c');
  });

  it('by any tool of the prompt leave no file when they fail', async () => {
    const halfWay = tool({
      name: 'half_way',
      description: 'Writes one file, removes another and fails.',
      effects: 'state',
      execute: async (_params, { filesystem }) => {
        await filesystem.write('new.txt', 'n');
        await filesystem.remove('old.txt');
        return ToolResult.error('no luck');
      },
    });
    for (const filesystem of [undefined, new MemoryFilesystem({ files: { 'old.txt': 'o' } })]) {
      const options = filesystem === undefined ? { base: { 'old.txt': 'o' } } : { filesystem };
      const files = vfsToolsSection(options);
      const sections = [section({ title: 'Half', key: 'half', tools: [halfWay] }), files];
      const template = promptTemplate({ ns: 'tests', key: 'vfs', sections });
      await using session = new Session();
      const replies = await answers(template, session, [
        { name: 'half_way', arguments: {} },
        { name: 'glob', arguments: { pattern: '**' } },
      ]);
      expect(replies).toEqual(['no luck', '1 file for "**"\n\nold.txt']);
      expect(template.bind().resources().get(Filesystem)?.transactional).toBe(true);
    }
  });

  it('do not count a read past the end, a failed read, or a search that shows nothing as reading', async () => {
    const template = templateOf({ base: { 'a.txt': 'one\n' } });
    await using session = new Session();
    const replies = await answers(template, session, [
      { name: 'read_file', arguments: { file_path: 'a.txt', offset: 5 } },
      { name: 'grep', arguments: { pattern: 'absent', path: 'a.txt' } },
      { name: 'read_file', arguments: { file_path: 'absent.txt' } },
      { name: 'write_file', arguments: { file_path: 'a.txt', content: 'two' } },
    ]);
    expect(replies[3]).toContain('read-before-write');
  });

  it('count as read what they have shown: lines, parts of lines and matches', async () => {
    const line = `${'x'.repeat(2500)}${'y'.repeat(2500)}`;
    const lines = Array.from({ length: 3000 }, (_, index) => `line ${index}`);
    const template = templateOf({ base: { 'log.txt': lines.join('\n'), 'long.txt': `${line}\nend\n` } });
    await using session = new Session();
    const edit = (file: string, old: string, to: string): Call => ({
      name: 'edit_file',
      arguments: { file_path: file, old_string: old, new_string: to },
    });
    const write = (file: string): Call => ({
      name: 'write_file',
      arguments: { file_path: file, content: 'short\n' },
    });
    const replies = await answers(template, session, [
      { name: 'read_file', arguments: { file_path: 'log.txt', limit: 2 } },
      write('log.txt'),
      edit('log.txt', 'line 1\n', 'line one\n'),
      edit('log.txt', 'line 2000', 'line two thousand'),
      { name: 'grep', arguments: { pattern: 'line 2000' } },
      edit('log.txt', 'line 2000', 'line two thousand'),
      write('log.txt'),
      { name: 'read_file', arguments: { file_path: 'log.txt', offset: 2 } },
      { name: 'read_file', arguments: { file_path: 'log.txt', offset: 2002 } },
      write('log.txt'),
      { name: 'read_file', arguments: { file_path: 'long.txt' } },
      edit('long.txt', 'xy', 'x-y'),
      write('long.txt'),
      { name: 'read_file', arguments: { file_path: 'long.txt', character_offset: 2000 } },
      write('long.txt'),
    ]);
    expect(replies[1]).toContain(
      '"log.txt" was read in part, and this call would replace what was not read: lines 3-3,000. Read that first with "read_file", in a call of its own, or change only what was read.',
    );
    expect(replies[2]).toContain('Edited');
    expect(replies[3]).toContain('not read: line 2,001.');
    expect(replies[5]).toContain('Edited');
    expect(replies[6]).toContain('not read: lines 3-2,000 and lines 2,002-3,000.');
    expect(replies[9]).toContain('Replaced the content of log.txt');
    expect(replies[11]).toContain('not read: character 2,501 of line 1.');
    expect(replies[12]).toContain('not read: characters 2,001-5,000 of line 1.');
    expect(replies[14]).toContain('Replaced the content of long.txt');
  });

  it('of one turn behave as if they ran one after the other', async () => {
    const template = templateOf({ policies: [] });
    await using session = new Session();
    const names = Array.from({ length: 20 }, (_, index) => `f${index}.txt`);
    const calls = names.flatMap((name) => [
      { name: 'write_file', arguments: { file_path: 'shared.txt', content: name } },
      { name: 'write_file', arguments: { file_path: name, content: name } },
      { name: 'edit_file', arguments: { file_path: 'shared.txt', old_string: name, new_string: `${name}!` } },
      { name: 'ls', arguments: {} },
    ]);
    const run = scriptedAdapter([{ toolCalls: calls }, { text: 'done' }]);
    const { conversation } = await run.evaluate(template.bind(), { session });
    const replies = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
    names.forEach((name, index) => {
      const [, , edited, listed] = replies.slice(index * 4, index * 4 + 4);
      expect(edited).toContain('Edited shared.txt: 1 replacement');
      expect(listed?.split('\n')[0]).toBe(`. - ${index + 2} files, 0 directories`);
      expect(listed).toContain(name);
    });
    expect((await (await filesOf(session, template)).read('shared.txt')).text).toBe('f19.txt!');
  });

  it('answer wrong arguments by name and continue', async () => {
    await using session = new Session();
    const replies = await answers(templateOf(), session, [
      { name: 'read_file', arguments: { path: 'a.txt' } },
      { name: 'rm', arguments: { path: '.' } },
    ]);
    expect(replies[0]).toContain('Tool validation failed');
    expect(replies[0]).toContain('file_path');
    expect(replies[1]).toContain('The workspace root cannot be removed');
  });
});
