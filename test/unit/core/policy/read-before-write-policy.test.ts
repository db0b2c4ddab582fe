import { describe, expect, it } from 'vitest';
import {
  binding,
  type FileContent,
  Filesystem,
  FilesystemError,
  MemoryFilesystem,
  openToolRuntime,
  PolicyState,
  promptTemplate,
  readBeforeWritePolicy,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { fileContent } from '../../../../src/core/filesystem/index.ts';
import { callOf, contextOf, PolicyStage } from './policy-fixtures.ts';

const policy = readBeforeWritePolicy();
const path = 'notes.txt';
const digest = Object.getOwnPropertyDescriptor(MemoryFilesystem.prototype, 'digest') ?? {};

function read(stage: PolicyStage, name: string, rule: typeof policy = policy): Promise<string | undefined> {
  return stage.call(rule, 'read_file', { path: name }, ({ view }) => view.read(name));
}
function write(stage: PolicyStage, name: string, rule: typeof policy = policy): Promise<string | undefined> {
  return stage.call(rule, 'write_file', { path: name }, ({ view }) => view.write(name, 'new'));
}

describe('readBeforeWritePolicy', () => {
  it('denies overwriting an existing file until it was read, and says what to do', async () => {
    const stage = new PolicyStage({ [path]: 'old' });
    expect(await write(stage, path)).toBe(
      '"notes.txt" exists and has not been read. Read it first with "read_file", in a call of its own.',
    );
    expect(await read(stage, path)).toBeUndefined();
    expect(await write(stage, path)).toBeUndefined();
  });

  it('denies early, before the handler', async () => {
    const stage = new PolicyStage({ [path]: 'old' });
    let ran = false;
    await stage.call(policy, 'edit_file', { file_path: path }, () => {
      ran = true;
    });
    expect(ran).toBe(false);
  });

  it('lets new files be made, and knows what calls have written', async () => {
    const stage = new PolicyStage();
    expect(await write(stage, 'a/new.txt')).toBeUndefined();
    expect(await write(stage, 'a/new.txt')).toBeUndefined();
    const byOther = new PolicyStage();
    await byOther.call(policy, 'generate', {}, ({ view }) => view.write(path, 'made'));
    expect(await write(byOther, path)).toBeUndefined();
  });

  it.each(['dir//file', './dir/file', '/dir/file', 'dir/x/../file', 'dir/./file'])(
    'takes %s for the same file',
    async (spelling) => {
      const stage = new PolicyStage({ 'dir/file': 'old' });
      expect(await write(stage, spelling)).toMatch(/^"dir\/file" exists/);
      await read(stage, spelling);
      expect(await write(stage, 'dir/file')).toBeUndefined();
    },
  );

  it('leaves a path that cannot be normalised, or is missing, to the tool', async () => {
    const stage = new PolicyStage({ [path]: 'old' });
    for (const params of [
      { path: '../x' },
      { path: '' },
      { path: 'a\0b' },
      { path: 7 },
      {},
      undefined,
      null,
      'text',
    ]) {
      expect(await stage.call(policy, 'write_file', params)).toBeUndefined();
      expect(await stage.call(policy, 'read_file', params)).toBeUndefined();
    }
    expect(stage.session.slice(PolicyState).all()).toEqual([]);
  });

  it('leaves directories and files that are not there to the tool', async () => {
    const stage = new PolicyStage({ 'dir/file': 'old' });
    expect(await stage.call(policy, 'write_file', { path: 'dir' })).toBeUndefined();
    await stage.call(policy, 'read_file', { path: 'absent' });
    await stage.call(policy, 'read_file', { path: 'dir' });
    expect(stage.session.slice(PolicyState).all()).toEqual([]);
  });

  it('judges what any other tool has really overwritten, before its commit', async () => {
    const stage = new PolicyStage({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' });
    await read(stage, 'b.txt');
    const denial = await stage.call(policy, 'format_all', {}, async ({ view }) => {
      for (const name of ['a.txt', 'b.txt', 'c.txt']) await view.write(name, 'formatted');
    });
    expect(denial).toMatch(/"a\.txt" exists and has not been read; "c\.txt" exists/);
    expect(denial).not.toMatch(/b\.txt/);
    expect((await stage.files.read('a.txt')).text).toBe('a');
  });

  it('judges appending, editing, replacing, and rewriting the same text', async () => {
    for (const change of [
      (view: PolicyStage['files']) => view.write(path, '!', { mode: 'append' }),
      (view: PolicyStage['files']) => view.edit(path, [{ oldText: 'old', newText: 'new' }]),
      (view: PolicyStage['files']) => view.write(path, 'old'),
      async (view: PolicyStage['files']) => {
        await view.remove(path);
        await view.write(path, 'other');
      },
    ]) {
      const stage = new PolicyStage({ [path]: 'old' });
      const denial = await stage.call(policy, 'other', {}, ({ view }) => change(view));
      expect(denial).toMatch(/notes\.txt/);
    }
  });

  it('does not count reading in the same call', async () => {
    const stage = new PolicyStage({ [path]: 'old' });
    const denial = await stage.call(policy, 'rewrite', {}, async ({ view }) => {
      await view.read(path);
      await view.write(path, 'new');
    });
    expect(denial).toMatch(/in a call of its own/);
  });

  it('lets exempt tools write, and knows afterwards what they wrote', async () => {
    const rule = readBeforeWritePolicy({ exempt: ['write_file'] });
    const stage = new PolicyStage({ [path]: 'old' });
    expect(await write(stage, path, rule)).toBeUndefined();
    expect(await stage.call(rule, 'edit_file', { path })).toBeUndefined();
  });

  it('governs removal and moving away only when asked to', async () => {
    const strict = readBeforeWritePolicy({ governRemoval: true });
    for (const [rule, expected] of [
      [policy, undefined],
      [strict, expect.stringContaining('notes.txt')],
    ] as const) {
      const stage = new PolicyStage({ [path]: 'old' });
      expect(await stage.call(rule, 'move', {}, ({ view }) => view.move(path, 'else.txt'))).toEqual(expected);
      const other = new PolicyStage({ [path]: 'old' });
      expect(await other.call(rule, 'rm', {}, ({ view }) => view.remove(path))).toEqual(expected);
    }
    const stage = new PolicyStage({ [path]: 'old' });
    await read(stage, path, strict);
    expect(await stage.call(strict, 'rm', {}, ({ view }) => view.remove(path))).toBeUndefined();
  });

  it('takes its tools and params from its options', async () => {
    const rule = readBeforeWritePolicy({
      name: 'mine',
      readTools: ['look', 'peek'],
      writeTools: ['put'],
      pathParams: ['target'],
    });
    const stage = new PolicyStage({ [path]: 'old' });
    expect(await stage.call(rule, 'put', { target: path })).toMatch(/with "look"/);
    await stage.call(rule, 'peek', { target: path });
    expect(await stage.call(rule, 'put', { target: path })).toBeUndefined();
    expect(stage.session.slice(PolicyState).all()).toEqual([
      { policyName: 'mine', invokedTools: [], invokedKeys: [['look', path]] },
    ]);
    expect(() => readBeforeWritePolicy({ readTools: [] })).toThrow(
      expect.objectContaining({ code: 'prompt-invalid' }),
    );
  });

  it('takes several paths of a call, and paths that are named otherwise', async () => {
    const rule = readBeforeWritePolicy({
      readTools: ['look'],
      writeTools: ['put'],
      pathsOf: (params, toolName) =>
        Object.values(Object(params)).flatMap((each) => `${each}`.replace(`/srv/${toolName}/`, '')),
    });
    const stage = new PolicyStage({ a: 'old', b: 'old' });
    const put = (...paths: readonly string[]): Promise<string | undefined> =>
      stage.call(
        rule,
        'put',
        paths.map((each) => `/srv/put/${each}`),
      );
    expect(await put('a', 'new', 'b')).toMatch(
      /^"a" exists and has not been read; "b" exists and has not been read\. Read each of them first with "look"/,
    );
    await stage.call(rule, 'look', ['/srv/look/a', '/srv/look/b']);
    expect(await put('a', 'new', 'b')).toBeUndefined();
    expect(() => readBeforeWritePolicy({ pathsOf: () => [], pathParams: ['a'] })).toThrow(/not both/);
  });

  it('wants a file read again that a tool has written past the files of the call, as a server does', async () => {
    const files = new MemoryFilesystem({ files: { a: 'old' } });
    const names = z.object({ path: z.string() });
    const put = tool({
      name: 'write_file',
      description: 'Writes to the folder itself.',
      inputSchema: names,
      execute: async ({ path: name }, { callId }) => {
        await files.write(name, `by ${callId}`);
        return ToolResult.ok('Written.', '');
      },
    });
    const look = tool({
      name: 'read_file',
      description: 'Reads from the folder itself.',
      inputSchema: names,
      effects: 'read',
      execute: async ({ path: name }) => ToolResult.ok((await files.read(name)).text),
    });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'outside',
      sections: [section({ title: 'Files', key: 'files', tools: [look, put] })],
      policies: [readBeforeWritePolicy()],
    }).bind({}, { resources: [binding(Filesystem, { instance: files })] });
    await using runtime = await openToolRuntime(prompt);
    let count = 0;
    const call = async (name: string, file: string): Promise<string> => {
      count += 1;
      const arguments_ = JSON.stringify({ path: file });
      return (await runtime.call({ callId: `c${count}`, name, arguments: arguments_ })).text;
    };
    expect(await call('write_file', 'a')).toMatch(/has not been read/);
    await call('read_file', 'a');
    expect(await call('write_file', 'a')).toBe('Written.');
    expect(await call('write_file', 'a')).toMatch(/has changed since it was read/);
    await call('read_file', 'a');
    expect(await call('write_file', 'a')).toBe('Written.');
    expect(await call('write_file', 'new')).toBe('Written.');
    expect(await call('write_file', 'new')).toMatch(/has not been read/);
  });

  it('shows only some of very many files', async () => {
    const files = Object.fromEntries(Array.from({ length: 15 }, (_, index) => [`f${index}`, 'x']));
    const stage = new PolicyStage(files);
    const denial = await stage.call(policy, 'all', {}, async ({ view }) => {
      for (const name of Object.keys(files)) await view.write(name, 'y');
    });
    expect(denial).toMatch(/; and 5 more\. Read each of them first/);
  });

  it('notices files that changed since they were read, unless configured not to', async () => {
    const careful = readBeforeWritePolicy();
    const stage = new PolicyStage({ [path]: 'old' });
    await read(stage, path, careful);
    await stage.files.write(path, 'from outside');
    expect(await write(stage, path, careful)).toMatch(/has changed since it was read\. Read it first/);
    expect(await stage.call(careful, 'other', {}, ({ view }) => view.write(path, 'x'))).toMatch(
      /has changed/,
    );
    await read(stage, path, careful);
    expect(await write(stage, path, careful)).toBeUndefined();
    expect(await write(stage, path, careful)).toBeUndefined();
    const careless = readBeforeWritePolicy({ detectStale: false });
    const other = new PolicyStage({ [path]: 'old' });
    await read(other, path, careless);
    await other.files.write(path, 'from outside');
    expect(await write(other, path, careless)).toBeUndefined();
  });

  it('takes a file for unchanged that holds the same again', async () => {
    const stage = new PolicyStage({ [path]: 'old' });
    await read(stage, path);
    await stage.files.write(path, 'from outside');
    await stage.files.write(path, 'old');
    expect(await write(stage, path)).toBeUndefined();
  });

  it('asks the bytes of a file system that has no digests', async () => {
    const stage = new PolicyStage({ [path]: 'old' });
    Object.defineProperty(MemoryFilesystem.prototype, 'digest', { ...digest, value: undefined });
    try {
      await read(stage, path);
    } finally {
      Object.defineProperty(MemoryFilesystem.prototype, 'digest', digest);
    }
    expect(await write(stage, path)).toBeUndefined();
  });

  it.each(['move', 'copy'] as const)('knows a file after a %s only if its source was known', async (how) => {
    for (const rule of [policy, readBeforeWritePolicy({ detectStale: false })]) {
      const stage = new PolicyStage({ 'src/seen': 'seen', 'src/unseen': 'unseen' });
      await read(stage, 'src/seen', rule);
      expect(await stage.call(rule, how, {}, ({ view }) => view[how]('src', 'lib'))).toBeUndefined();
      expect(await write(stage, 'lib/seen', rule)).toBeUndefined();
      expect(await write(stage, 'lib/unseen', rule)).toMatch(/^"lib\/unseen" exists and has not been read/);
      expect(await stage.call(rule, 'other', {}, ({ view }) => view.write('lib/unseen', 'x'))).toMatch(
        /unseen/,
      );
      await read(stage, 'lib/unseen', rule);
      expect(await write(stage, 'lib/unseen', rule)).toBeUndefined();
    }
  });

  it('forgets what was known of a path that an unread file was moved to', async () => {
    for (const rule of [policy, readBeforeWritePolicy({ detectStale: false })]) {
      const stage = new PolicyStage({ known: 'known', unseen: 'unseen' });
      await read(stage, 'known', rule);
      await stage.call(rule, 'replace', {}, async ({ view }) => {
        await view.remove('known');
        await view.move('unseen', 'known');
      });
      expect(await write(stage, 'known', rule)).toMatch(/has not been read/);
      expect(stage.session.slice(PolicyState).all()).toEqual([]);
    }
  });

  it('knows two files that changed places as before', async () => {
    const stage = new PolicyStage({ a: 'a', b: 'b' });
    await read(stage, 'a');
    await read(stage, 'b');
    await stage.call(policy, 'swap', {}, async ({ view }) => {
      await view.move('a', 'c');
      await view.move('b', 'a');
      await view.move('c', 'b');
    });
    expect([await write(stage, 'a'), await write(stage, 'b')]).toEqual([undefined, undefined]);
  });

  it('takes a stale file for stale at its new path', async () => {
    const stage = new PolicyStage({ [path]: 'old' });
    await read(stage, path);
    await stage.files.write(path, 'from outside');
    await stage.call(policy, 'move', {}, ({ view }) => view.move(path, 'moved'));
    expect(await write(stage, 'moved')).toMatch(/"moved" has changed since it was read/);
  });

  it('lets a call remove what cannot be read', async () => {
    const stage = new PolicyStage();
    const fork = stage.session.fork();
    const unreadable: FileContent = {
      bytes: 3,
      text: () => undefined,
      data: () => {
        throw new FilesystemError('path-not-found', 'It leads nowhere.');
      },
    };
    await policy.onResult?.(
      callOf('rename'),
      { success: true, message: '', value: null },
      {
        ...contextOf(fork),
        readPaths: [],
        innerChanges: [],
        changes: [
          { path: 'link', kind: 'removed', entry: 'file', before: unreadable },
          { path: 'new', kind: 'created', entry: 'file', after: fileContent(new Uint8Array(3)) },
        ],
      },
    );
    stage.session.apply(fork.patch());
    expect(stage.session.slice(PolicyState).all()).toMatchObject([{ invokedKeys: [['read_file', 'new']] }]);
  });

  it('sees through a move that is a read, a write and a removal', async () => {
    const stage = new PolicyStage({ unseen: 'unseen', seen: 'seen', empty: '' });
    await read(stage, 'seen');
    await stage.call(policy, 'rename', {}, async ({ view }) => {
      for (const name of ['unseen', 'seen', 'empty']) {
        await view.write(`${name}.moved`, await view.readBytes(name));
        await view.remove(name);
      }
      await view.write('new', 'new');
    });
    expect(await write(stage, 'unseen.moved')).toMatch(/has not been read/);
    for (const name of ['seen.moved', 'empty.moved', 'new']) expect(await write(stage, name)).toBeUndefined();
  });

  it('says nothing without files', async () => {
    const stage = new PolicyStage();
    const fork = stage.session.fork();
    const decision = await policy.check?.(callOf('write_file', { path }), contextOf(fork));
    expect(decision).toEqual({ outcome: 'allow' });
  });

  it('lets two calls on different files run in parallel', async () => {
    const stage = new PolicyStage({ a: 'a', b: 'b' });
    const [one, two] = [stage.session.fork(), stage.session.fork()];
    for (const [fork, name] of [
      [one, 'a'],
      [two, 'b'],
    ] as const) {
      const context = {
        ...contextOf(fork),
        filesystem: stage.files,
        changes: [],
        readPaths: [],
        innerChanges: [],
      };
      await policy.check?.(callOf('write_file', { path: name }), context);
      await policy.onResult?.(
        callOf('read_file', { path: name }),
        { success: true, message: '', value: null },
        context,
      );
    }
    stage.session.apply(one.patch());
    expect(two.conflicts()).toEqual([]);
  });
});
