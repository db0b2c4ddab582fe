import { expect, test } from 'vitest';
import { connectionName, connections, connectServer } from '../../../../support/mcp/clients.ts';
import { servedPrompt } from '../../../../support/mcp/served-prompt.ts';

for (const connection of connections) {
  const named = connectionName(connection);

  test(`${named}: lists the tools with schemas and all annotations, and the prompt as instructions`, async () => {
    const { prompt } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    expect(served.client.getServerVersion()).toMatchObject({ name: 'served', version: '1.2.3' });
    expect(served.client.getInstructions()).toContain('Count and publish.');
    const { tools } = await served.client.listTools();
    const add = tools.find(({ name }) => name === 'add');
    expect(add).toMatchObject({
      description: 'Adds to the count.',
      inputSchema: { type: 'object', properties: { by: { type: 'number' } }, required: ['by'] },
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
      },
    });
    expect(add).not.toHaveProperty('outputSchema');
    const hints = Object.fromEntries(tools.map(({ annotations, name }) => [name, annotations]));
    expect(hints['picture']).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    });
    expect(hints['publish']).toMatchObject({
      readOnlyHint: false,
      destructiveHint: true,
      openWorldHint: true,
    });
  });

  test(`${named}: a result is the text that the tool renders; state lasts from call to call`, async () => {
    const { prompt } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    expect(await served.call('add', { by: 2 })).toMatchObject({
      content: [{ type: 'text', text: expect.stringContaining('The count is 2.') }],
    });
    const second = await served.call('add', { by: 3 });
    expect(second.content).toMatchObject([{ text: expect.stringContaining('The count is 5.') }]);
    expect(second).not.toHaveProperty('structuredContent');
    expect(second.isError ?? false).toBe(false);
  });

  test(`${named}: structured results are for those who ask for them`, async () => {
    const { prompt } = servedPrompt();
    await using served = await connectServer(prompt, connection, { structured: true });
    const { tools } = await served.client.listTools();
    expect(tools.find(({ name }) => name === 'add')?.outputSchema).toMatchObject({
      type: 'object',
      anyOf: [{ properties: { total: { type: 'number' } } }, { properties: { message: { type: 'string' } } }],
    });
    expect(tools.find(({ name }) => name === 'picture')).not.toHaveProperty('outputSchema');
    const added = await served.call('add', { by: 2 });
    expect(added).toMatchObject({ structuredContent: { total: 2 } });
    expect(added.content).toMatchObject([{ text: expect.stringContaining('The count is 2.') }]);
    expect(await served.call('add', { by: 'two' })).not.toHaveProperty('structuredContent');
  });

  test(`${named}: a value that the handler keeps from the model is not in structured results, which still fit their schema`, async () => {
    const { prompt } = servedPrompt();
    await using served = await connectServer(prompt, connection, { structured: (name) => name === 'secret' });
    // The client checks results with the schemas of the list.
    const { tools } = await served.client.listTools();
    expect(tools.filter(({ outputSchema }) => outputSchema !== undefined).map(({ name }) => name)).toEqual([
      'secret',
    ]);
    const kept = await served.call('secret', { isKept: true });
    expect(kept).toMatchObject({
      content: [{ type: 'text', text: 'It is safe.' }],
      structuredContent: { message: 'It is safe.' },
    });
    expect(JSON.stringify(kept)).not.toContain('hunter2');
    const shown = await served.call('secret', { isKept: false });
    expect(shown.structuredContent).toEqual({ password: 'hunter2' });
  });

  test(`${named}: attachments follow the text`, async () => {
    const { prompt } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    const { content } = await served.call('picture');
    expect(content).toMatchObject([
      { type: 'text', text: expect.stringContaining('Here it is.') },
      { type: 'image', data: 'aWNvbg==', mimeType: 'image/png' },
      {
        type: 'resource',
        resource: { uri: 'attachment:///paper.pdf', blob: 'cGRm', mimeType: 'application/pdf' },
      },
      { type: 'audio', data: 'd2F2', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'https://example.com/a.png', mimeType: 'image/png' },
    ]);
  });

  test(`${named}: a policy denies, and the call goes through once its condition holds`, async () => {
    const { filesystem, prompt } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    const write = { file_path: 'a.txt', content: 'beta' };
    const denied = await served.call('write_file', write);
    expect(denied).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('a.txt') }] });
    expect((await filesystem.read('a.txt')).text).toBe('alpha');
    await served.call('read_file', { file_path: 'a.txt' });
    expect((await served.call('write_file', write)).isError ?? false).toBe(false);
    expect((await filesystem.read('a.txt')).text).toBe('beta');
  });

  test(`${named}: a handler that throws leaves nothing, and its message stays inside unless the library says it`, async () => {
    const { filesystem, prompt } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    const failed = await served.call('fails');
    expect(failed.isError).toBe(true);
    expect(await filesystem.stat('left.txt')).toBeUndefined();
    expect((await served.call('add', { by: 1 })).content).toMatchObject([
      { text: expect.stringContaining('The count is 1.') },
    ]);
  });

  test(`${named}: wrong arguments are a failed result, an unknown tool an error of the protocol`, async () => {
    const { prompt } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    expect(await served.call('add', { by: 'two' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('by') }],
    });
    await expect(served.call('nothing')).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('There is no tool "nothing". The tools are: '),
    });
  });

  test(`${named}: a client that cancels a call rolls it back`, async () => {
    const { aborted, filesystem, prompt, slow } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    const cancel = new AbortController();
    const call = served.client.callTool({ name: 'slow', arguments: {} }, { signal: cancel.signal });
    await slow.reached;
    cancel.abort('no longer needed');
    await expect(call).rejects.toThrow();
    await aborted;
    slow.open();
    expect((await served.call('add', { by: 1 })).isError ?? false).toBe(false);
    expect(await filesystem.stat('slow.txt')).toBeUndefined();
  });

  test(`${named}: a call is answered while another one runs`, async () => {
    const { filesystem, prompt, slow } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    const running = served.call('slow');
    await slow.reached;
    expect((await served.call('read_file', { file_path: 'a.txt' })).content).toMatchObject([
      { text: expect.stringContaining('alpha') },
    ]);
    expect((await served.call('add', { by: 1 })).content).toMatchObject([
      { text: expect.stringContaining('The count is 1.') },
    ]);
    slow.open();
    expect((await running).content).toMatchObject([{ text: expect.stringContaining('Slow is done.') }]);
    expect(await filesystem.stat('slow.txt')).toBeDefined();
  });

  test(`${named}: progress of a handler reaches a client that asks for it`, async () => {
    const { prompt, slow } = servedPrompt();
    await using served = await connectServer(prompt, connection);
    const seen: unknown[] = [];
    const call = served.client.callTool(
      { name: 'slow', arguments: {} },
      {
        onprogress: (progress) => {
          seen.push(progress);
          slow.open();
        },
      },
    );
    await call;
    expect(seen[0]).toMatchObject({ progress: 1, message: 'half of it' });
  });

  test(`${named}: sections that are opened add their tools, and the client is notified`, async () => {
    const { prompt } = servedPrompt();
    let changed: () => void = () => undefined;
    const notified = new Promise<void>((resolve) => {
      changed = resolve;
    });
    await using served = await connectServer(
      prompt,
      connection,
      {},
      { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changed() } } },
    );
    const names = async (): Promise<readonly string[]> =>
      (await served.client.listTools()).tools.map(({ name }) => name);
    expect(await names()).not.toContain('extra');
    await served.call('open_sections', { section_keys: ['more'], reason: 'It is needed.' });
    await notified;
    expect(await names()).toContain('extra');
    expect((await served.call('extra')).content).toMatchObject([{ text: expect.stringContaining('Extra.') }]);
  });
}
