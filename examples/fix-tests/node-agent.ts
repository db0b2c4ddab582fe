// The agent of agent.ts for a project whose tests run with Node: bubblewrap shows commands the Node that runs this program.
//
//   npm run build && node dist/entries/wink.js run examples/fix-tests/node-agent.ts examples/fix-tests/node-project
import type { AnyAgent } from 'weakincentives';
import { fixTestsAgent, shell } from './fix-tests-agent.ts';

export const agent: AnyAgent = fixTestsAgent({
  name: 'fix-node-tests',
  command: 'node --test',
  steps: [
    shell('node --test'),
    { name: 'read_file', arguments: { file_path: 'median.mjs' } },
    shell("sed -i 's/middle + 1/middle - 2/' median.mjs && node --test"),
    {
      name: 'edit_file',
      arguments: { file_path: 'median.mjs', old_string: 'middle + 1', new_string: 'middle - 1' },
    },
    shell('node --test'),
  ],
});
