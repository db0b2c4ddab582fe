// An agent for `wink serve` with one tool, which writes a file and then waits without an end. The file that WINK_TEST_FLAG names appears when it waits.
import { writeFileSync } from 'node:fs';
import { defineAgent, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/suite';

const hang = tool({
  name: 'hang',
  description: 'Writes a file and then waits without an end.',
  effects: 'state',
  execute: async (_params, { filesystem }) => {
    await filesystem.write('hung.md', 'half');
    writeFileSync(process.env['WINK_TEST_FLAG'] ?? '', 'waiting');
    await new Promise(() => undefined);
    return ToolResult.ok(null, 'Waited.');
  },
});

export const agent = defineAgent({
  template: promptTemplate({
    ns: 'test',
    key: 'hanging',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Wait.', tools: [hang] }),
      vfsToolsSection(),
    ],
  }),
});
