import { chmodSync, mkdtempSync, readFileSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  readBeforeWritePolicy,
  Session,
  section,
  ToolCallLog,
} from 'weakincentives';
import { anthropicDialect } from 'weakincentives/anthropic';
import { openHostFilesystem } from 'weakincentives/node';
import { openaiDialect } from 'weakincentives/openai';
import { projectSchema } from 'weakincentives/provider';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { createApplyPatchTool } from '../../../src/suite/vfs/apply-patch.ts';
import { runTool } from './run-tool.ts';

const applyPatch = createApplyPatchTool();

type Operation =
  | { readonly type: 'create_file' | 'update_file'; readonly path: string; readonly diff: string }
  | { readonly type: 'delete_file'; readonly path: string };

const update = (path: string, diff: string): Operation => ({ type: 'update_file', path, diff });

async function patch(files: Filesystem, operation: Operation) {
  return runTool(applyPatch, files, { operation });
}

const bytesOf = async (files: Filesystem, path: string): Promise<string> =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(await files.readBytes(path));

describe('apply_patch', () => {
  it('creates a file, with its directories', async () => {
    const files = new MemoryFilesystem();
    const answer = await patch(files, { type: 'create_file', path: './d/a.txt', diff: '+a\n+' });
    expect(answer.message).toBe('Created d/a.txt (2 bytes).');
    expect(answer.value).toEqual({ path: 'd/a.txt', change: 'created', bytes: 2 });
    expect(await bytesOf(files, 'd/a.txt')).toBe('a\n');
  });

  it('changes a file, and says how much', async () => {
    const files = new MemoryFilesystem({ files: { 'a.txt': '\uFEFFa\r\nb  \r\nc' } });
    const answer = await patch(files, update('a.txt', '-a\n+x\n@@\n b\n+y\n-c\n+z'));
    expect(answer.message).toBe(
      'Updated a.txt: 2 hunks, 3 lines added, 2 removed, now 15 bytes. Blanks at line ends differed in hunk 2.',
    );
    expect(answer.value).toEqual({
      path: 'a.txt',
      change: 'updated',
      bytes: 15,
      hunks: 2,
      addedLines: 3,
      removedLines: 2,
    });
    expect(await bytesOf(files, 'a.txt')).toBe('\uFEFFx\r\nb  \r\ny\r\nz');
    expect(JSON.stringify(answer.message)).not.toContain('+x');
  });

  it('deletes a file', async () => {
    const files = new MemoryFilesystem({ files: { 'a.txt': 'a', 'b.txt': '' } });
    const answer = await patch(files, { type: 'delete_file', path: 'a.txt' });
    expect(answer.message).toBe('Deleted a.txt.');
    expect(answer.value).toEqual({ path: 'a.txt', change: 'deleted' });
    expect((await files.glob('**')).paths).toEqual(['b.txt']);
  });

  it.each<readonly [string, Operation, string]>([
    [
      'to create what is there',
      { type: 'create_file', path: 'd/a', diff: '+x' },
      '"d/a" exists already. Use update_file',
    ],
    [
      'to create a directory that is there',
      { type: 'create_file', path: 'd', diff: '+x' },
      '"d" is a directory',
    ],
    [
      'to create a file with a bad line',
      { type: 'create_file', path: 'n', diff: '+x\ny' },
      'Line 2 of the diff is "y".',
    ],
    ['to change what is not there', update('n', '-a\n+x'), 'There is no "n"'],
    ['to change a directory', update('d', '-a\n+x'), '"d" is a directory'],
    ['to change what is not text', update('bin', '-a\n+x'), '"bin" is a binary file'],
    ['to change a path outside', update('../a', '-a\n+x'), '"../a" leaves the workspace'],
    [
      'with a hunk of two that fails',
      update('d/a', '-a\n+x\n@@\n-n\n+y'),
      'Hunk 2 (line 3 of the diff) is not in "d/a"',
    ],
    ['with an empty diff', update('d/a', ''), 'The diff is empty.'],
    ['to delete what is not there', { type: 'delete_file', path: 'n' }, 'There is no "n"'],
    [
      'to delete a directory',
      { type: 'delete_file', path: 'd' },
      '"d" is a directory, and delete_file deletes one file.',
    ],
    ['to delete an empty directory', { type: 'delete_file', path: 'empty' }, '"empty" is a directory'],
    ['to delete the root', { type: 'delete_file', path: '.' }, '"." is a directory'],
    ['to delete outside', { type: 'delete_file', path: '../a' }, '"../a" leaves the workspace'],
  ])('refuses %s and changes nothing', async (_what, operation, message) => {
    const files = new MemoryFilesystem({ files: { 'd/a': 'a\nb\n', bin: new Uint8Array([0, 255]) } });
    await files.mkdir('empty');
    const before = await files.snapshot();
    const answer = await patch(files, operation);
    expect(answer.success).toBe(false);
    expect(answer.message).toContain(message);
    expect(files.changesSince(before)).toEqual([]);
    expect(await files.stat('empty')).toBeDefined();
  });

  it.each([
    {},
    { operation: { type: 'move_file', path: 'a' } },
    { operation: { type: 'update_file', path: 'a' } },
    { operation: { type: 'delete_file', path: '' } },
    { operation: { type: 'delete_file', path: 'a', diff: '' } },
  ])('has a schema that refuses %j', async (params) => {
    await expect(runTool(applyPatch, new MemoryFilesystem(), params)).rejects.toThrow('invalid arguments');
  });

  it('has a schema that strict providers hold a model to', () => {
    const { inputSchema } = applyPatch;
    if (inputSchema === undefined) throw new Error('no schema');
    expect(projectSchema(inputSchema, openaiDialect)).toMatchObject({ strict: true });
    expect(projectSchema(inputSchema, anthropicDialect)).toMatchObject({ strict: true });
  });

  it('changes nothing when the change cannot be written', async () => {
    const files = new MemoryFilesystem({ maxFileBytes: 5, files: { a: 'a\nb\n' } });
    expect(await patch(files, update('a', '-a\n+long'))).toMatchObject({
      success: false,
      message: expect.stringContaining('Nothing was changed.'),
    });
    expect(await bytesOf(files, 'a')).toBe('a\nb\n');
    const { view } = files.fork({ readOnly: true });
    const answer = await patch(view, update('a', '-a\n+x'));
    expect(answer.message).toContain('can only be read here');
    const created = await patch(view, { type: 'create_file', path: 'n', diff: '+x' });
    expect(created.message).toContain('can only be read here');
    expect((await patch(view, { type: 'delete_file', path: 'a' })).message).toContain(
      'can only be read here',
    );
  });

  it('keeps the permissions of a file on the disk, and writes it once', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-patch-')));
    const path = join(folder, 'run.sh');
    writeFileSync(path, '#!/bin/sh\r\necho a\r\n');
    chmodSync(path, 0o750);
    await using files = await openHostFilesystem({ root: folder, writeOn: 'apply' });
    expect(await patch(files, update('run.sh', ' #!/bin/sh\n-echo a\n+echo b'))).toMatchObject({
      success: true,
    });
    expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\r\necho b\r\n');
    expect(statSync(path).mode & 0o777).toBe(0o750);
  });
});

/** The results of calls, each in a turn of its own. */
async function run(
  filesystem: Filesystem,
  calls: readonly (readonly [name: string, params: unknown])[],
  sections = [
    vfsToolsSection(),
    section({ title: 'Patches', key: 'patches', template: 'Patch.', tools: [applyPatch] }),
  ],
  subjects: unknown[] = [],
) {
  const prompt = promptTemplate({ ns: 'test', key: 'patch', sections });
  await using session = new Session();
  const turns = calls.map(([name, params]) => ({ toolCalls: [{ name, arguments: params }] }));
  await scriptedAdapter([...turns, { text: 'Done.' }]).evaluate(
    prompt.bind({}, { resources: [binding(Filesystem, { instance: filesystem })] }),
    {
      session,
      observers: [
        {
          onEvent: (event) => {
            if (event.type === 'tool-call-start') subjects.push(event.subject);
          },
        },
      ],
    },
  );
  return session.slice(ToolCallLog).all();
}

describe('apply_patch in a run', () => {
  const policed = [
    // The policy of the template covers the tools of both sections.
    vfsToolsSection({ policies: [] }),
    section({ title: 'Patches', key: 'patches', template: 'Patch.', tools: [applyPatch] }),
  ];
  const governed = async (calls: readonly (readonly [string, unknown])[]) => {
    const filesystem = new MemoryFilesystem({ files: { 'd/a': 'a\nb\nc\nd\n' } });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'patch',
      sections: policed,
      policies: [readBeforeWritePolicy()],
    });
    const turns = calls.map(([name, params]) => ({ toolCalls: [{ name, arguments: params }] }));
    await using session = new Session();
    await scriptedAdapter([...turns, { text: 'Done.' }]).evaluate(
      prompt.bind({}, { resources: [binding(Filesystem, { instance: filesystem })] }),
      { session },
    );
    return { log: session.slice(ToolCallLog).all(), filesystem };
  };

  it('does not change a file that was not read, and says nothing of what it holds', async () => {
    const { filesystem, log } = await governed([
      ['apply_patch', { operation: update('./d/../d/a', ' a\n-x\n+y') }],
      ['read_file', { file_path: 'd' }],
      ['apply_patch', { operation: update('d/a', '-a\n+x') }],
    ]);
    for (const call of [log[0], log[2]]) {
      expect(call).toMatchObject({ outcome: 'denied' });
      expect(call?.modelText).toContain('"d/a" exists and has not been read');
    }
    expect(await bytesOf(filesystem, 'd/a')).toBe('a\nb\nc\nd\n');
  });

  it('changes the lines that were read, and knows afterwards what it has written', async () => {
    const { filesystem, log } = await governed([
      ['read_file', { file_path: 'd/a', limit: 2 }],
      ['apply_patch', { operation: update('d/a', '-c\n+x') }],
      ['apply_patch', { operation: update('d/a', ' a\n-b\n+x\n+y') }],
      ['apply_patch', { operation: update('d/a', '-y\n+z') }],
    ]);
    expect(log.map(({ outcome }) => outcome)).toEqual(['committed', 'denied', 'committed', 'committed']);
    expect(log[1]?.modelText).toContain(
      'was read in part, and this call would replace what was not read: line 3',
    );
    expect(await bytesOf(filesystem, 'd/a')).toBe('a\nx\nz\nc\nd\n');
  });

  it('creates and deletes without reading, as write_file and rm do', async () => {
    const { filesystem, log } = await governed([
      ['apply_patch', { operation: { type: 'create_file', path: 'd/a', diff: '+x' } }],
      ['apply_patch', { operation: { type: 'create_file', path: 'n', diff: '+x' } }],
      ['apply_patch', { operation: update('n', '-x\n+y') }],
      ['apply_patch', { operation: { type: 'delete_file', path: 'd/a' } }],
    ]);
    expect(log.map(({ outcome }) => outcome)).toEqual(['rolled-back', 'committed', 'committed', 'committed']);
    expect(log[0]?.modelText).toContain('exists already');
    expect((await filesystem.glob('**')).paths).toEqual(['n']);
  });

  it('takes each call as a transaction: a failed one leaves the others', async () => {
    const filesystem = new MemoryFilesystem({ files: { a: 'a\nb\nc\n' } });
    const subjects: unknown[] = [];
    const log = await run(
      filesystem,
      [
        ['apply_patch', { operation: update('a', '-a\n+x') }],
        ['apply_patch', { operation: update('a', '-b\n+y\n@@\n-c\n+z\n@@\n-n') }],
        ['apply_patch', { operation: update('a', '-c') }],
      ],
      [
        vfsToolsSection({ policies: [] }),
        section({ title: 'P', key: 'p', template: 'P.', tools: [applyPatch] }),
      ],
      subjects,
    );
    expect(log.map(({ outcome }) => outcome)).toEqual(['committed', 'rolled-back', 'committed']);
    expect(subjects).toEqual(['update a', 'update a', 'update a']);
    expect(await bytesOf(filesystem, 'a')).toBe('x\nb\n');
  });

  it('rolls back when the write throws', async () => {
    const filesystem = new MemoryFilesystem({ files: { a: 'a\n' } });
    // A view whose write stores something and fails then.
    const failing = new Proxy(filesystem.fork().view, {
      get: (target, name) => {
        const member: unknown = Reflect.get(target, name, target);
        if (name === 'write')
          return async (path: string) => {
            await target.write(path, 'half');
            throw new Error('the disk is gone');
          };
        return typeof member === 'function' ? member.bind(target) : member;
      },
    });
    await expect(
      applyPatch.execute?.({ operation: update('a', '-a\n+x') } as never, { filesystem: failing } as never),
    ).rejects.toThrow('the disk is gone');
    expect(await bytesOf(filesystem, 'a')).toBe('a\n');
  });

  it('takes the path of the host for the one in the workspace, also within its operation', async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-patch-')));
    writeFileSync(join(folder, 'a.txt'), 'a\n');
    await using filesystem = await openHostFilesystem({ root: folder, writeOn: 'apply' });
    const [, call] = await run(filesystem, [
      ['read_file', { file_path: 'a.txt' }],
      ['apply_patch', { operation: update(join(folder, 'a.txt'), '-a\n+x') }],
    ]);
    expect(call).toMatchObject({
      outcome: 'committed',
      params: { operation: { type: 'update_file', path: 'a.txt', diff: '-a\n+x' } },
    });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('x\n');
  });
});
