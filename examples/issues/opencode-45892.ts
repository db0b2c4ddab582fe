// An edit whose new text has "$&" or "$1" in it writes something else, and reports success.
// Thread: https://github.com/anomalyco/opencode/issues/45892
// Group: Files
// Steps: A file has the line print("ready"); and the new text has a dollar form. Fifteen forms, each once by a single edit and once by one that replaces all.
// Asserted: The bytes of the file are the new text, exactly.
import assert from 'node:assert/strict';
import { defineAgent, MemoryFilesystem, promptTemplate, runAgent } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

const forms = [
  '$&',
  '$`',
  "$'",
  '$$',
  '$1',
  '$2',
  '$10',
  '$0',
  '$<name>',
  '$',
  '$$$',
  '$$&',
  '\\$&',
  '$\n',
  '${x}',
];
assert.equal(new Set(forms).size, 15);
const old_string = 'print("ready");';
const template = promptTemplate({ ns: 'issues', key: 'opencode-45892', sections: [vfsToolsSection()] });
for (const form of forms) {
  for (const all of [false, true]) {
    const file_path = 'run.js';
    const new_string = `print("${form} now");`;
    const edit = { file_path, old_string, new_string, ...(all ? { replace_all: true } : {}) };
    const adapter = scriptedAdapter([
      { toolCalls: [{ name: 'read_file', arguments: { file_path } }] },
      { toolCalls: [{ name: 'edit_file', arguments: edit }] },
      { text: 'Done.' },
    ]);
    const workspace = new MemoryFilesystem({ files: { [file_path]: `begin();\n${old_string}\nend();\n` } });
    await runAgent(defineAgent({ template, adapter }), { workspace });
    assert.equal((await workspace.read(file_path)).text, `begin();\n${new_string}\nend();\n`);
  }
}
console.log(
  'holds: fifteen dollar forms are written as they are, by single edits and by those that replace all',
);
