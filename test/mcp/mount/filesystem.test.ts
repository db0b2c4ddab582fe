import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { describe, expect, it } from 'vitest';
import {
  binding,
  Filesystem,
  type Prompt,
  promptTemplate,
  readBeforeWritePolicy,
  section,
} from 'weakincentives';
import { type McpSection, openMcpSection, openMcpServer } from 'weakincentives/mcp';
import { openHostFilesystem } from 'weakincentives/node';
import { childOf } from './peers.ts';

interface GuardedFolder extends AsyncDisposable {
  readonly root: string;
  readonly mounted: McpSection;
  readonly prompt: Prompt;
}

/** The server on a folder, under the rule "read before write", which looks at the folder itself. */
async function guardedFolder(): Promise<GuardedFolder> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mounted-')));
  writeFileSync(join(root, 'notes.txt'), 'first\n');
  const paths = (params: unknown): readonly string[] => {
    const { path, source } = Object(params);
    return [path, source].filter((each) => typeof each === 'string').map((each) => relative(root, each));
  };
  const mounted = await openMcpSection({
    title: 'Files',
    key: 'files',
    server: childOf('server-filesystem', [root]),
    prefix: 'fs_',
    trustAnnotations: true,
    policies: [
      readBeforeWritePolicy({
        readTools: ['fs_read_text_file'],
        writeTools: ['fs_write_file', 'fs_edit_file', 'fs_move_file'],
        pathsOf: paths,
      }),
    ],
  });
  const folder = await openHostFilesystem({ root, writeOn: 'never' });
  const task = section({ title: 'Task', key: 'task', template: 'Work on the files.' });
  const prompt = promptTemplate({ ns: 'test', key: 'files', sections: [task, mounted] }).bind(
    {},
    { resources: [binding(Filesystem, { instance: folder })] },
  );
  return {
    root,
    mounted,
    prompt,
    [Symbol.asyncDispose]: async () => {
      await mounted[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** A client of a server that serves the mounted tools again. */
async function reExposed(prompt: Prompt): Promise<{ client: Client } & AsyncDisposable> {
  const server = await openMcpServer(prompt, {
    name: 'guarded',
    version: '1.0.0',
    transport: { kind: 'http' },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  const headers = { authorization: `Bearer ${server.tokens[0]}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(server.url ?? ''), { requestInit: { headers } }),
  );
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('server-filesystem under read-before-write, served again', () => {
  it('may write what is new, and what was read and has not changed since', async () => {
    await using guarded = await guardedFolder();
    await using served = await reExposed(guarded.prompt);
    const notes = join(guarded.root, 'notes.txt');
    const call = async (
      name: string,
      params: Record<string, unknown>,
    ): Promise<readonly [boolean, string]> => {
      const { content, isError = false } = await served.client.callTool({ name, arguments: params });
      return [isError, content.map((each) => (each.type === 'text' ? each.text : each.type)).join('\n')];
    };
    const write = (content: string, path: string = notes) => call('fs_write_file', { path, content });

    const { tools } = await served.client.listTools();
    expect(tools.map(({ name }) => name)).toContain('fs_read_text_file');
    expect(tools.find(({ name }) => name === 'fs_write_file')?.annotations).toMatchObject({
      readOnlyHint: false,
      openWorldHint: true,
    });

    expect(await write('overwritten\n')).toEqual([
      true,
      expect.stringContaining('"notes.txt" exists and has not been read'),
    ]);
    expect(readFileSync(notes, 'utf8')).toBe('first\n');
    expect(await write('new\n', join(guarded.root, 'new.txt'))).toEqual([false, expect.any(String)]);
    expect(await call('fs_read_text_file', { path: notes })).toEqual([false, 'first\n']);
    expect(await write('second\n')).toEqual([false, expect.any(String)]);
    expect(readFileSync(notes, 'utf8')).toBe('second\n');

    await call('fs_read_text_file', { path: notes });
    writeFileSync(notes, 'by someone else\n');
    expect(await write('lost update\n')).toEqual([
      true,
      expect.stringContaining('has changed since it was read'),
    ]);
    const edits = [{ oldText: 'someone', newText: 'anyone' }];
    expect(await call('fs_edit_file', { path: notes, edits })).toEqual([
      true,
      expect.stringContaining('Read it first'),
    ]);
    expect(readFileSync(notes, 'utf8')).toBe('by someone else\n');
    await call('fs_read_text_file', { path: notes });
    expect((await call('fs_edit_file', { path: notes, edits }))[0]).toBe(false);
    expect(readFileSync(notes, 'utf8')).toBe('by anyone else\n');
  });

  it('fails as the server does, with its words', async () => {
    await using guarded = await guardedFolder();
    await using served = await reExposed(guarded.prompt);
    const outside = await served.client.callTool({
      name: 'fs_read_text_file',
      arguments: { path: '/etc/hostname' },
    });
    expect(outside).toMatchObject({
      isError: true,
      content: [
        { type: 'text', text: expect.stringContaining('Access denied - path outside allowed directories') },
      ],
    });
  });

  it('has tools that read and tools that change the world, as it says, where it is trusted', async () => {
    await using guarded = await guardedFolder();
    const effects = Object.fromEntries(
      (guarded.mounted.tools ?? []).map((tool) => [tool.name, tool.effects]),
    );
    expect(effects).toMatchObject({
      fs_read_text_file: 'read',
      fs_list_directory: 'read',
      fs_write_file: 'external',
      fs_move_file: 'external',
    });
    expect(Object.keys(effects)).toHaveLength(14);
  });
});
