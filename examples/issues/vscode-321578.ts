// A file has one long line, such as the JSON that a tool has stored: an agent reads its first 2,000 characters and never the rest.
// Thread: https://github.com/microsoft/vscode/issues/321578
// Group: Files
// Steps: A file is one line of JSON with 9,000 characters. The model reads it, and follows what the results say.
// Asserted: Each result says how to continue, and the parts together are the whole line.
import assert from 'node:assert/strict';
import { defineAgent, MemoryFilesystem, promptTemplate, runAgent } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

const items = Array.from({ length: 300 }, (_, index) => ({ id: index, text: `Requirement ${index}` }));
const line = JSON.stringify(items).slice(0, 9_000);
assert.ok(line.length === 9_000 && !line.includes('\n'));
const workspace = new MemoryFilesystem({ files: { 'story.json': line } });

const parts: string[] = [];
const agent = defineAgent({
  template: promptTemplate({ ns: 'issues', key: 'vscode-321578', sections: [vfsToolsSection()] }),
  adapter: scriptedAdapter((conversation) => {
    const result = conversation.findLast((item) => item.type === 'tool-result')?.text;
    const read = (more: object) => ({
      toolCalls: [{ name: 'read_file', arguments: { file_path: 'story.json', ...more } }],
    });
    if (result === undefined) return read({});
    parts.push(/^1 \| (.*?)(?:… \[[\d,]+ more characters\])?$/m.exec(result)?.[1] ?? '');
    // A model does what it reads.
    const [, offset, characterOffset] = /offset=(\d+), character_offset=(\d+)/.exec(result) ?? [];
    if (offset === undefined) return { text: 'Read.' };
    return read({ offset: Number(offset), character_offset: Number(characterOffset) });
  }),
});
await runAgent(agent, { workspace });

assert.ok(parts.join('') === line, 'The parts are not the whole line.');
assert.ok(parts.length > 1);
console.log('holds: a line of 9,000 characters is read to its end, in parts that say how to continue');
