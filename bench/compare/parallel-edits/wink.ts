import { defineAgent, promptTemplate, runAgent, section, ToolResult, tool } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { z } from 'zod';
import { cell } from '../harness/cell.ts';
import { winkModel } from '../systems/wink.ts';
import { filesOf } from '../systems/wink-files.ts';
import { check, editFile, prepare, script } from './case.ts';

const edit = tool({
  name: 'edit_file',
  description: 'Change a text in a file.',
  inputSchema: z.object({ path: z.string(), before: z.string(), after: z.string() }),
  effects: 'state',
  execute: async (input, { filesystem }) => ToolResult.ok(null, await editFile(filesOf(filesystem), input)),
});
const agent = defineAgent({
  template: promptTemplate({
    ns: 'compare',
    key: 'parallel-edits',
    sections: [section({ title: 'Task', key: 'task', template: 'Raise the rates.', tools: [edit] })],
  }),
  workspace: {},
});

await cell(async () => {
  await prepare();
  await using workspace = await openWorkspace({ agent, folder: '.', apply: 'end' });
  await runAgent(agent, { adapter: winkModel(script), workspace });
  return await check();
});
