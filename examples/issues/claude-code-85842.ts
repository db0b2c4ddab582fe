// An edit of one line destroys bytes of another line, because the file is not UTF-8.
// Thread: https://github.com/anthropics/claude-code/issues/85842
// Group: Files
// Steps: A file in Windows-1252 has the byte 0x99, a trademark sign, in its last line. The model edits the first line.
// Asserted: The edit is refused with the reason, and the file is byte for byte as before.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineAgent, promptTemplate, runAgent, Session, ToolCallLog } from 'weakincentives';
import { openWorkspace } from 'weakincentives/node';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

const bytes = Buffer.from([...Buffer.from('version = 1\nname = Tool'), 0x99, 0x0a]);
const folder = await mkdtemp(join(tmpdir(), 'claude-code-85842-'));
await writeFile(join(folder, 'legacy.ini'), bytes);
const file_path = 'legacy.ini';
const agent = defineAgent({
  template: promptTemplate({
    ns: 'issues',
    key: 'claude-code-85842',
    sections: [vfsToolsSection({ policies: [] })],
  }),
  adapter: scriptedAdapter([
    {
      toolCalls: [
        { name: 'edit_file', arguments: { file_path, old_string: 'version = 1', new_string: 'version = 2' } },
      ],
    },
    { text: 'Done.' },
  ]),
});
try {
  await using workspace = await openWorkspace({ agent, folder, apply: 'each' });
  await using session = new Session();
  await runAgent(agent, { workspace, session });

  const [edit] = session.slice(ToolCallLog).all();
  assert.deepEqual(await readFile(join(folder, file_path)), bytes);
  assert.equal(edit?.outcome, 'rolled-back');
  assert.match(edit.modelText, /UTF-8/);
} finally {
  await rm(folder, { recursive: true });
}
console.log('holds: the edit is refused, since the file is not UTF-8, and every byte is as before');
