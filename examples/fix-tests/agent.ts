// An agent for `wink run` that makes the tests of a folder pass. In a clone, offline:
//
//   npm run build && node dist/entries/wink.js run examples/fix-tests/agent.ts examples/fix-tests/project
//
// It runs `sh test.sh` under bubblewrap; `--sandbox podman:IMAGE` takes a container instead, `--sandbox virtual` an interpreter. Nothing on disk changes without `--apply`. Its
// default model is a script that makes a mistake on the way; with `--model openai:NAME` a language model does the work.
import type { AnyAgent } from 'weakincentives';
import { fixTestsAgent, shell } from './fix-tests-agent.ts';

export const agent: AnyAgent = fixTestsAgent({
  name: 'fix-tests',
  command: 'sh test.sh',
  steps: [
    shell('sh test.sh'),
    { name: 'read_file', arguments: { file_path: 'slug.sh' } },
    // It edits and tests in one command. The edit is wrong, so it is rolled back with the command.
    shell("sed -i 's/A-Z/A-M/' slug.sh && sh test.sh"),
    {
      name: 'edit_file',
      arguments: { file_path: 'slug.sh', old_string: 's/[ _]/-/g', new_string: 's/[ _][ _]*/-/g' },
    },
    shell('sh test.sh'),
  ],
});
