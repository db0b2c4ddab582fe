import { expectTypeOf, test } from 'vitest';
import { promptTemplate, section } from 'weakincentives';
import { type McpSection, type McpToolsChange, openMcpSection } from 'weakincentives/mcp';
import { z } from 'zod';

declare const mounted: McpSection;

test('a mounted section needs no params, and leaves those of others as they are', () => {
  const task = section({
    title: 'Task',
    key: 'task',
    params: z.object({ name: z.string() }),
    template: 'Hi ${name}.',
  });
  const template = promptTemplate({ ns: 'a', key: 'b', sections: [task, mounted] });
  template.bind({ name: 'Ada' });
  // @ts-expect-error -- The param of the other section is required.
  template.bind();
  // @ts-expect-error -- There is no such param.
  template.bind({ name: 'Ada', path: '/' });
  promptTemplate({ ns: 'a', key: 'b', sections: [mounted] }).bind();
});

test('a server is a program or an address, and its tools are read or external', () => {
  const base = { title: 'T', key: 'k' } as const;
  const command = { command: 'x', args: ['a'], env: { A: 'b' }, cwd: '/' };
  expectTypeOf(openMcpSection({ ...base, server: command })).resolves.toEqualTypeOf<McpSection>();
  void openMcpSection({ ...base, server: { url: 'https://a', headers: { A: 'b' } }, effects: { a: 'read' } });
  // @ts-expect-error -- No change of a server can be taken back.
  void openMcpSection({ ...base, server: command, effects: { a: 'state' } });
  // @ts-expect-error -- Neither of both.
  void openMcpSection({ ...base, server: { args: [] } });
  void openMcpSection({ ...base, server: command, onListChanged: async ({ added }) => added.length === 0 });
  void openMcpSection({
    ...base,
    server: command,
    onListChanged: (change) => {
      expectTypeOf(change).toEqualTypeOf<McpToolsChange>();
      return true;
    },
  });
});
