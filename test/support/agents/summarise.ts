// An agent for tests of the command: it finds out which kinds of files a folder holds and writes SUMMARY.md.
import { type AnyAgent, defineAgent, promptTemplate, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { vfsToolsSection } from 'weakincentives/tools';

const task = section({
  title: 'Task',
  key: 'task',
  template: () => 'Find all files with glob, then write SUMMARY.md: which kinds of files there are.',
});

export const agent: AnyAgent = defineAgent({
  name: 'summarise',
  template: promptTemplate({ ns: 'tests', key: 'summarise', sections: [task, vfsToolsSection()] }),
  input: 'Summarise this folder.',
  // A model without network access: it decides from the tool results so far.
  adapter: scriptedAdapter((conversation) => {
    const result = conversation.findLast((item) => item.type === 'tool-result');
    if (result === undefined) return { toolCalls: [{ name: 'glob', arguments: { pattern: '**' } }] };
    if (result.toolName !== 'glob') return { text: 'SUMMARY.md is written.' };
    const kinds = [...new Set(result.text.match(/\.\w+$/gm))].sort();
    const content = `# Summary\n\nKinds of files: ${kinds.join(', ')}\n`;
    return { toolCalls: [{ name: 'write_file', arguments: { file_path: 'SUMMARY.md', content } }] };
  }),
});
