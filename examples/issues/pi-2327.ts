// Two edits of the same file in one turn: both report success, and one of them is lost.
// Thread: https://github.com/earendil-works/pi/issues/2327
// Group: Parallel calls
// Steps: A file has the lines 1 to 100. The model replaces 50 and 75 by words, with two calls of one turn.
// Asserted: Both words are in the file. The second call ran again on the file that the first had changed, and no other line differs.
// Compared: parallel-edits
import assert from 'node:assert/strict';
import {
  defineAgent,
  MemoryFilesystem,
  promptTemplate,
  runAgent,
  Session,
  ToolCallLog,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

const file_path = 'numbers.txt';
const lines = Array.from({ length: 100 }, (_, index) => `${index + 1}`);
const edit = (old_string: string, new_string: string) => ({
  name: 'edit_file',
  arguments: { file_path, old_string, new_string },
});
const agent = defineAgent({
  template: promptTemplate({ ns: 'issues', key: 'pi-2327', sections: [vfsToolsSection()] }),
  adapter: scriptedAdapter([
    { toolCalls: [{ name: 'read_file', arguments: { file_path } }] },
    { toolCalls: [edit('50', 'fifty'), edit('75', 'seventy-five')] },
    { text: 'Both are replaced.' },
  ]),
});
const workspace = new MemoryFilesystem({ files: { [file_path]: `${lines.join('\n')}\n` } });
await using session = new Session();
await runAgent(agent, { workspace, session });

const expected = lines.with(49, 'fifty').with(74, 'seventy-five');
assert.equal((await workspace.read(file_path)).text, `${expected.join('\n')}\n`);
const [, first, second] = session.slice(ToolCallLog).all();
assert.deepEqual([first?.outcome, first?.attempts], ['committed', 1]);
assert.deepEqual([second?.outcome, second?.attempts], ['committed', 2]);
assert.ok(second?.conflicts.includes('file numbers.txt'));
console.log('holds: lines 50 and 75 are both new; the second edit ran again after the first');
