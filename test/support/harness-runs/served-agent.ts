// An agent for `wink serve` with tools that wait. The file that WINK_TEST_FLAG names appears when `hang` waits.
import { writeFileSync } from 'node:fs';
import { type AnyAgent, defineAgent, promptTemplate, section } from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { hangTool, replaceTogetherTool } from './waiting-tools.ts';

const hang = hangTool(() => writeFileSync(process.env['WINK_TEST_FLAG'] ?? '', 'waiting'));

export const agent: AnyAgent = defineAgent({
  template: promptTemplate({
    ns: 'test',
    key: 'waiting',
    sections: [
      section({ title: 'Task', key: 'task', template: 'Wait.', tools: [hang, replaceTogetherTool()] }),
      vfsToolsSection(),
    ],
  }),
});
