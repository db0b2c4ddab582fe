import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  promptTemplate,
  type RunEvent,
  section,
  type ToolPolicy,
} from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { draws } from '../../../../support/draws.ts';
import { connectionName, connections, connectServer } from '../../../../support/mcp/clients.ts';

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 1, 2, 255]);

/** The files of a workspace of which those in `private` may not be read. */
async function workspace(
  files: Readonly<Record<string, string | Uint8Array>>,
  policies: readonly ToolPolicy[] = [],
) {
  const filesystem = new MemoryFilesystem();
  for (const [path, content] of Object.entries(files)) await filesystem.write(path, content);
  const prompt = promptTemplate({
    ns: 'test',
    key: 'files',
    sections: [vfsToolsSection()],
    policies: [
      {
        name: 'private',
        check: ({ params }) =>
          JSON.stringify(params).includes('private/')
            ? PolicyDecision.deny('Private files stay private.')
            : PolicyDecision.allow(),
      },
      ...policies,
    ],
  }).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });
  return { prompt, filesystem };
}

/** An observer of calls: the names of tools and how the calls ended. */
function seenCalls() {
  const calls: string[] = [];
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'tool-call-end')
      calls.push(`${event.invocation.toolName} ${event.invocation.outcome}`);
  };
  return { calls, observer: { onEvent } };
}

const offered = { resources: true } as const;

for (const connection of connections) {
  const named = connectionName(connection);

  test(`${named}: files are listed and read as they are, and each read is a call`, async () => {
    const { prompt } = await workspace({
      'a b.md': '\uFEFF# Über\r\n',
      'src/ü#?.ts': 'let x;\n',
      'icon.png': png,
      'zero.bin': 'a\u0000b',
      'empty.txt': '',
    });
    const { calls, observer } = seenCalls();
    await using served = await connectServer(prompt, connection, { ...offered, observers: [observer] });
    const { client } = served;
    expect(client.getServerCapabilities()).toMatchObject({ resources: {} });
    const { nextCursor, resources } = await client.listResources();
    expect(nextCursor).toBeUndefined();
    expect(resources.map(({ name, uri }) => [name, uri])).toEqual([
      ['a b.md', 'workspace:///a%20b.md'],
      ['empty.txt', 'workspace:///empty.txt'],
      ['icon.png', 'workspace:///icon.png'],
      ['src/ü#?.ts', 'workspace:///src/%C3%BC%23%3F.ts'],
      ['zero.bin', 'workspace:///zero.bin'],
    ]);
    const read = async (uri: string) => (await client.readResource({ uri })).contents;
    expect(await read('workspace:///a%20b.md')).toMatchObject([
      { uri: 'workspace:///a%20b.md', mimeType: 'text/plain', text: '\uFEFF# Über\r\n' },
    ]);
    expect(await read('workspace:///src/%C3%BC%23%3F.ts')).toMatchObject([{ text: 'let x;\n' }]);
    expect(await read('workspace:///empty.txt')).toMatchObject([{ text: '' }]);
    expect(await read('workspace:///icon.png')).toMatchObject([
      { mimeType: 'image/png', blob: Buffer.from(png).toString('base64') },
    ]);
    expect(await read('workspace:///zero.bin')).toMatchObject([{ mimeType: 'application/octet-stream' }]);
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual(['workspace:///{+path}']);
    expect(calls.filter((call) => call.startsWith('read_file'))).toHaveLength(5);
    expect(calls[0]).toBe('glob committed');
  });

  test(`${named}: what a policy denies is not read, and its reason is the answer`, async () => {
    const { prompt } = await workspace({ 'private/key.txt': 'secret', 'a.txt': 'alpha' });
    await using served = await connectServer(prompt, connection, offered);
    const uri = 'workspace:///private/key.txt';
    await expect(served.client.readResource({ uri })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('Private files stay private.'),
    });
    // Other ways to write the path are the same path.
    for (const other of [
      'workspace:///a/../private/key.txt',
      'workspace:///private%2Fkey.txt',
      'workspace:///./private/key.txt',
    ])
      await expect(served.client.readResource({ uri: other })).rejects.toMatchObject({ code: -32_602 });
  });

  test(`${named}: a directory is no resource`, async () => {
    const { prompt } = await workspace({ 'd/a.txt': 'alpha' });
    await using served = await connectServer(prompt, connection, offered);
    await expect(served.client.readResource({ uri: 'workspace:///d' })).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('"workspace:///d" is that of a directory. Read one of its files.'),
    });
  });

  test(`${named}: a search that a policy denies lists nothing`, async () => {
    const policy: ToolPolicy = {
      name: 'no-search',
      check: ({ tool }) =>
        tool.name === 'glob' ? PolicyDecision.deny('No search.') : PolicyDecision.allow(),
    };
    const { prompt } = await workspace({ 'a.txt': 'alpha' }, [policy]);
    await using served = await connectServer(prompt, connection, offered);
    await expect(served.client.listResources()).rejects.toMatchObject({
      message: expect.stringContaining('No search.'),
    });
  });

  test(`${named}: a file that was read as a resource counts as read, as by the tool`, async () => {
    const { filesystem, prompt } = await workspace({ 'a.txt': 'alpha\n' });
    await using served = await connectServer(prompt, connection, offered);
    const write = { file_path: 'a.txt', content: 'beta\n' };
    expect((await served.call('write_file', write)).isError).toBe(true);
    await served.client.readResource({ uri: 'workspace:///a.txt' });
    expect((await served.call('write_file', write)).isError ?? false).toBe(false);
    expect((await filesystem.read('a.txt')).text).toBe('beta\n');
  });

  test(`${named}: without the option there are neither resources nor prompts`, async () => {
    const { prompt } = await workspace({ 'a.txt': 'alpha' });
    await using served = await connectServer(prompt, connection);
    expect(served.client.getServerCapabilities()).not.toHaveProperty('resources');
    expect(served.client.getServerCapabilities()).not.toHaveProperty('prompts');
  });
}

describe('resources', () => {
  const [connection] = connections;
  if (connection === undefined) throw new Error('There is no connection.');

  test('are listed in pages, each path once', async () => {
    const paths = Array.from({ length: 1_201 }, (_, index) => `d${index % 7}/${index}.txt`);
    const { prompt } = await workspace(Object.fromEntries(paths.map((path) => [path, 'x'])));
    await using served = await connectServer(prompt, connection, offered);
    const request = (cursor?: string) =>
      served.client.request({ method: 'resources/list', params: cursor === undefined ? {} : { cursor } });
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const page = await request(cursor);
      names.push(...page.resources.map(({ name }) => name));
      cursor = page.nextCursor;
      pages += 1;
    } while (cursor !== undefined);
    expect(pages).toBe(3);
    expect(names).toEqual(paths.toSorted((one, other) => (one < other ? -1 : 1)));
    for (const wrong of ['', '!', 'ä', 'YQ=='])
      await expect(request(wrong)).rejects.toMatchObject({ code: -32_602 });
  });

  test('that are too large are named as that', async () => {
    const { prompt } = await workspace({
      'large.txt': 'x'.repeat(4_194_305),
      'limit.txt': 'x'.repeat(4_194_304),
    });
    await using served = await connectServer(prompt, connection, offered);
    await expect(served.client.readResource({ uri: 'workspace:///large.txt' })).rejects.toThrow(
      'It has more than 4194304 bytes',
    );
    const { contents } = await served.client.readResource({ uri: 'workspace:///limit.txt' });
    expect(contents).toMatchObject([{ text: expect.stringMatching(/^x+$/) }]);
  });

  test('have no address outside of the workspace', async () => {
    const { prompt } = await workspace({ 'a.txt': 'alpha', 'private/key.txt': 'secret' });
    await using served = await connectServer(prompt, connection, offered);
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.webUrl(),
          fc
            .array(
              fc.constantFrom(
                '..',
                '.',
                'a.txt',
                'private',
                'key.txt',
                '%2e%2e',
                '%00',
                '%',
                'etc',
                '~',
                'C:',
                '\\',
              ),
              { maxLength: 6 },
            )
            .map((parts) => `workspace:///${parts.join('/')}`),
          fc.constantFrom(
            '',
            'a.txt',
            'file:///etc/passwd',
            'workspace://a.txt',
            'workspace:/a.txt',
            'WORKSPACE:///a.txt',
          ),
        ),
        async (uri) => {
          const read = await served.client.readResource({ uri }).then(
            ({ contents }) => contents,
            ({ code }: { readonly code: number }) => code,
          );
          if (typeof read === 'number') expect(read).toBe(-32_602);
          else expect(read).toMatchObject([{ uri, text: 'alpha' }]);
        },
      ),
      { numRuns: draws(100) },
    );
  });

  test('are none of a prompt without tools to read files', async () => {
    const filesystem = new MemoryFilesystem({ files: { 'a.txt': 'alpha' } });
    const prompt = promptTemplate({
      ns: 'test',
      key: 'no-tools',
      sections: [section({ title: 'Task', key: 'task', template: 'Nothing.' })],
    }).bind({}, { resources: [binding(Filesystem, { instance: filesystem })] });
    await using served = await connectServer(prompt, connection, offered);
    expect((await served.client.listResources()).resources).toEqual([]);
    await expect(served.client.readResource({ uri: 'workspace:///a.txt' })).rejects.toThrow(
      'no tool "read_file"',
    );
  });
});
