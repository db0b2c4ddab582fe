// An agent that makes the test of a folder pass. Run it with `npm start`: it needs no key, because its model is a script,
// and the folder "project" stays as it is: `npx wink run agent.ts project --apply` writes what you are shown.
import { defineAgent, PolicyDecision, promptTemplate, section, type ToolPolicy } from 'weakincentives';
import { shellSection, virtualSandbox } from 'weakincentives/sandbox';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

/** A rule about files, whichever tool changes them. Without a terminal to ask at, the answer is no. */
export const protectPackage: ToolPolicy = {
  name: 'protect-package',
  checkChanges: (_call, changes) =>
    changes.some(({ path }) => path === 'package.json')
      ? PolicyDecision.ask('It changes package.json.')
      : PolicyDecision.allow(),
};

const task = section({
  title: 'Task',
  key: 'task',
  template:
    'Make `sh test.sh` pass: run it, read what fails, change the code and not the test, run it again.',
});

export const agent = defineAgent({
  template: promptTemplate({
    ns: 'fixer',
    key: 'fixer',
    // Tools to read and edit files, and a shell that sees nothing but these files.
    sections: [task, vfsToolsSection(), shellSection({ backend: virtualSandbox() })],
    policies: [protectPackage],
  }),
  input: 'Make the test pass.',
  workspace: {},
  limits: { maxTurns: 20 },
  // A language model in its place: `npm install openai`, set OPENAI_API_KEY, and
  //   import { openai } from 'weakincentives/openai';
  //   adapter: openai({ model: 'gpt-5' }),
  // or, for one run: `npx wink run agent.ts project --model openai:gpt-5`.
  adapter: scriptedAdapter([
    { toolCalls: [{ name: 'shell_execute', arguments: { command: 'sh test.sh' } }] },
    { toolCalls: [{ name: 'read_file', arguments: { file_path: 'sum.sh' } }] },
    {
      toolCalls: [
        {
          name: 'edit_file',
          arguments: { file_path: 'sum.sh', old_string: '$1 - $2', new_string: '$1 + $2' },
        },
        { name: 'read_file', arguments: { file_path: 'package.json' } },
      ],
    },
    // Nobody asked for this one, so the rule asks you.
    {
      toolCalls: [
        {
          name: 'edit_file',
          arguments: { file_path: 'package.json', old_string: '1.0.0', new_string: '1.0.1' },
        },
      ],
    },
    { toolCalls: [{ name: 'shell_execute', arguments: { command: 'sh test.sh' } }] },
    { text: 'The test passes: sum.sh subtracted.' },
  ]),
});
