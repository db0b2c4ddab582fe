// An agent for `wink run` that makes the tests of a folder pass. In a clone, offline:
//
//   npm run build && node dist/cli/main.js run examples/fix-tests/agent.ts examples/fix-tests/project
//
// It runs `sh test.sh` under bubblewrap; `--sandbox podman:IMAGE` takes a container instead. Nothing on disk changes without `--apply`. Its
// default model is a script that makes a mistake on the way; with `--model openai:NAME` a language model does the work.
import { type AnyAgent, defineAgent, lastCallCompletion, promptTemplate, section } from 'weakincentives';
import { bubblewrapSandbox, shellSection } from 'weakincentives/sandbox';
import { vfsToolsSection } from 'weakincentives/suite';
import { type ScriptedToolCall, scriptedAdapter } from 'weakincentives/testing';

const task = section({
  title: 'Task',
  key: 'task',
  template: () =>
    'Make the tests pass: `sh test.sh`. Run them first, read what fails, change the code and not the tests, and run them again. Answer when they pass.',
});

const runTests = { name: 'shell_execute', arguments: { command: 'sh test.sh' } };
const broken = "tr ' _' '--'";

/** What the script does, one call a turn. The third one edits and tests in one command: the edit is wrong, so it is rolled back. */
const steps: readonly ScriptedToolCall[] = [
  runTests,
  { name: 'read_file', arguments: { file_path: 'slug.sh' } },
  { name: 'shell_execute', arguments: { command: "sed -i 's/tr .A-Z. .a-z. | //' slug.sh && sh test.sh" } },
  {
    name: 'edit_file',
    arguments: { file_path: 'slug.sh', old_string: broken, new_string: "tr -s ' _' '--'" },
  },
  runTests,
];

export const agent: AnyAgent = defineAgent({
  name: 'fix-tests',
  description: 'Makes the tests of a folder pass.',
  template: promptTemplate({
    ns: 'examples',
    key: 'fix-tests',
    sections: [task, vfsToolsSection(), shellSection({ backend: bubblewrapSandbox() })],
  }),
  input: 'Make the tests pass.',
  // The model may answer only when the last command has succeeded.
  completion: lastCallCompletion({ toolName: 'shell_execute' }),
  limits: { maxTurns: 50 },
  adapter: scriptedAdapter((conversation) => {
    const results = conversation.filter((item) => item.type === 'tool-result');
    const step = steps[results.length];
    return step === undefined ? { text: 'The tests pass.' } : { toolCalls: [step] };
  }),
});
