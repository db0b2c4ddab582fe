/** The folder of the run that is stored with its command line, before it begins. */
export const folderFiles: Readonly<Record<string, string>> = {
  'notes.md': 'first\n',
  'run.sh': '#!/bin/sh\n',
};

/** What the folder holds after it. */
export const folderFilesAfter: Readonly<Record<string, string>> = {
  'a.md': 'a.md\n',
  'b.md': 'b.md\n',
  'bin/run.sh': '#!/bin/sh\n',
  'notes.md': 'first\nsecond\n',
};

/**
 * The agent of that run. The variable `END` says what ends the process in its third turn: `kill`, or nothing. A policy asks about `publish`, where the
 * variable `ASKS` is there.
 */
export const folderAgentText = `
import { defineAgent, PolicyDecision, promptTemplate, section, tool, ToolResult } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const files = (name, effects, execute) => tool({ name, description: 'Does ' + name + '.', effects, execute });
const write = (name, path) => files(name, 'state', async (_params, { filesystem }) => {
  await filesystem.write(path, path + '\\n');
  return ToolResult.ok(null, 'Wrote ' + path + '.');
});
const tidy = files('tidy', 'state', async (_params, { filesystem }) => {
  await filesystem.move('run.sh', 'bin/run.sh');
  const { text } = await filesystem.read('notes.md');
  await filesystem.write('notes.md', text + 'second\\n');
  return ToolResult.ok(null, 'Tidied.');
});
const pause = files('pause', 'read', () => {
  if (process.env.END === 'kill') process.kill(process.pid, 'SIGKILL');
  return ToolResult.ok(null, 'Waited.');
});
const publish = files('publish', 'external', () => ToolResult.ok(null, 'Published.'));
const asks = {
  name: 'asks',
  check: ({ tool: { name } }) => (name === 'publish' ? PolicyDecision.ask('Really publish?') : PolicyDecision.allow()),
};
const tools = [write('write_a', 'a.md'), write('write_b', 'b.md'), tidy, pause, publish];
const asked = process.env.ASKS === undefined ? 'pause' : 'publish';
export default defineAgent({
  name: 'keeper',
  template: promptTemplate({
    ns: 'stored',
    key: 'keeper',
    policies: [asks],
    sections: [section({ title: 'Task', key: 'task', template: () => 'Keep the folder.', tools })],
  }),
  adapter: scriptedAdapter([
    { toolCalls: [{ name: 'write_a' }] },
    { toolCalls: [{ name: 'tidy' }] },
    { toolCalls: [{ name: asked }] },
    { toolCalls: [{ name: 'write_b' }] },
    { text: 'All is kept.' },
  ]),
});
`;
