import {
  binding,
  defineAgent,
  Filesystem,
  MemoryFilesystem,
  promptTemplate,
  runAgent,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { winkModel } from '../systems/wink.ts';
import { filesOf } from '../systems/wink-files.ts';
import { addNumbers, check, startFiles } from './case.ts';

const add = tool({
  name: 'add',
  description: 'Add the number of a file to that of another.',
  inputSchema: z.object({ from: z.string(), to: z.string() }),
  effects: 'state',
  execute: async (input, { filesystem }) => ToolResult.ok(null, await addNumbers(filesOf(filesystem), input)),
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'compare',
    key: 'order',
    sections: [section({ title: 'Task', key: 'task', template: 'Add.', tools: [add] })],
  }),
});

await cell(() =>
  check(async (script) => {
    const files = new MemoryFilesystem({ files: Object.fromEntries(startFiles()) });
    await runAgent(agent, {
      adapter: winkModel(script),
      resources: [binding(Filesystem, { instance: files })],
    });
    const texts = [...startFiles().keys()].map(
      async (name) => [name, (await files.read(name)).text] as const,
    );
    return new Map(await Promise.all(texts));
  }),
);
