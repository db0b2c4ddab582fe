import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { binding, Filesystem, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';
import { openHost, testFolders } from './host-workspace.ts';

describe('tool calls on a folder of the disk', () => {
  it('commit in order when they run in parallel, and leave nothing when they fail', async () => {
    const folders = testFolders({ counter: '0', 'list.txt': 'a\n' });
    const filesystem = await openHost(folders);
    const increment = tool({
      name: 'increment',
      description: 'Add one.',
      effects: 'state',
      execute: async (_params, context) => {
        const count = Number((await context.filesystem.read('counter')).text) + 1;
        await context.filesystem.write('counter', String(count));
        await context.filesystem.write(`by/${context.callId}`, '');
        return count === 3 ? ToolResult.error('Not three.') : ToolResult.ok(null, `Now ${count}.`);
      },
    });
    const template = promptTemplate({
      ns: 'test',
      key: 'folder',
      sections: [
        section({ title: 'Task', key: 'task', template: 'Count.', tools: [increment] }),
        vfsToolsSection(),
      ],
    });
    const call = { name: 'increment' };
    const adapter = scriptedAdapter([
      {
        toolCalls: [
          call,
          call,
          call,
          { name: 'write_file', arguments: { file_path: 'new.txt', content: 'new' } },
        ],
      },
      { text: 'Counted.' },
    ]);
    const { conversation } = await adapter.evaluate(
      template.bind({}, { resources: [binding(Filesystem, { instance: filesystem })] }),
    );
    const answers = conversation.flatMap((item) => (item.type === 'tool-result' ? [item.text] : []));
    expect(answers).toEqual(['Now 1.', 'Now 2.', 'Not three.', 'Created new.txt (3 bytes).']);
    expect(readFileSync(join(folders.root, 'counter'), 'utf8')).toBe('2');
    expect(readdirSync(join(folders.root, 'by'))).toHaveLength(2);
    expect(readFileSync(join(folders.root, 'new.txt'), 'utf8')).toBe('new');
  });

  it('conflict when a write would have to make directories again and there is no room for them', async () => {
    const filesystem = await openHost({ ...testFolders({ 'a/b/c': '1' }), maxFiles: 3 });
    const [first, second] = [filesystem.fork(), filesystem.fork()];
    await first.view.move('a', 'd');
    await second.view.mkdir('a/b/new');
    filesystem.apply(first.patch());
    // One after the other, it would make a and a/b as well: five directories.
    expect(second.conflicts()).toEqual(['quota']);
    expect(second.refusals()).toHaveLength(1);
  });

  it('run again on what another process has written while they ran', async () => {
    const folders = testFolders({ 'list.txt': 'mine\n' });
    const filesystem = await openHost(folders);
    let attempts = 0;
    const append = tool({
      name: 'append',
      description: 'Add a line.',
      effects: 'state',
      execute: async (_params, { filesystem: files }) => {
        attempts += 1;
        const { text } = await files.read('list.txt');
        if (attempts === 1) writeFileSync(join(folders.root, 'list.txt'), 'theirs\n');
        await files.write('list.txt', `${text}added\n`);
        return ToolResult.ok(null, 'Added.');
      },
    });
    const template = promptTemplate({
      ns: 'test',
      key: 'rerun',
      sections: [section({ title: 'Task', key: 'task', template: 'Append.', tools: [append] })],
    });
    const adapter = scriptedAdapter([{ toolCalls: [{ name: 'append' }] }, { text: 'Done.' }]);
    await adapter.evaluate(template.bind({}, { resources: [binding(Filesystem, { instance: filesystem })] }));
    expect(attempts).toBe(2);
    expect(readFileSync(join(folders.root, 'list.txt'), 'utf8')).toBe('theirs\nadded\n');
  });
});
