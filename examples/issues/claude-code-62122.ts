// Sub-agents that work at the same time delete and overwrite the files of each other.
// Thread: https://github.com/anthropics/claude-code/issues/62122
// Group: Sub-agents
// Steps: Three agents start in one turn. Each writes a file of a feature, and adds a line to the index, which all three have read before.
// Asserted: All three files are there, and the index has the line of each agent.
// Compared: issues/claude-code-62122
import assert from 'node:assert/strict';
import { defineAgent, MemoryFilesystem, promptTemplate, runAgent, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool, vfsToolsSection } from 'weakincentives/tools';
import { z } from 'zod';

const params = z.object({ feature: z.string() });
const build = agentTool({
  name: 'build',
  description: 'Has a feature built.',
  inputSchema: params,
  template: promptTemplate({
    ns: 'issues',
    key: 'claude-code-62122-inner',
    sections: [
      section({ title: 'Inner', key: 'inner', params, template: (p) => `Build feature ${p.feature}.` }),
      vfsToolsSection(),
    ],
  }),
  effects: 'state',
});
const features = ['A', 'B', 'C'];
let reading = 0;
let allHaveRead: () => void = () => undefined;
const together = new Promise<void>((resolve) => (allHaveRead = resolve));

const adapter = scriptedAdapter(async (_conversation, { instructions, turn }) => {
  const feature = features.find((name) => instructions.includes(`Build feature ${name}.`));
  if (feature === undefined) {
    const toolCalls = features.map((name) => ({ name: 'build', arguments: { feature: name } }));
    return turn === 1 ? { toolCalls } : { text: 'Done.' };
  }
  if (turn === 1) return { toolCalls: [{ name: 'read_file', arguments: { file_path: 'index.md' } }] };
  if (turn > 2) return { text: 'Built.' };
  reading += 1;
  if (reading === features.length) allHaveRead();
  await together; // Each has read the index before the first of them changes it.
  return {
    toolCalls: [
      { name: 'write_file', arguments: { file_path: `${feature}.md`, content: `Feature ${feature}\n` } },
      {
        name: 'edit_file',
        arguments: { file_path: 'index.md', old_string: `${feature}:`, new_string: `${feature}: done` },
      },
    ],
  };
});
const lead = section({ title: 'Lead', key: 'lead', template: 'Have it built.', tools: [build] });
const agent = defineAgent({
  template: promptTemplate({ ns: 'issues', key: 'claude-code-62122', sections: [lead] }),
  workspace: {},
  adapter,
});
const workspace = new MemoryFilesystem({ files: { 'index.md': 'A:\nB:\nC:\n' } });
await runAgent(agent, { workspace });

assert.deepEqual((await workspace.glob('**')).paths.toSorted(), ['A.md', 'B.md', 'C.md', 'index.md']);
assert.equal((await workspace.read('index.md')).text, 'A: done\nB: done\nC: done\n');
console.log('holds: three agents at once, and the work of each is there, in the shared file too');
