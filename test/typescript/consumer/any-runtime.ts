import {
  defineAgent,
  MemoryFilesystem,
  openToolRuntime,
  promptTemplate,
  runAgent,
  Session,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { anthropic } from 'weakincentives/anthropic';
import { openai } from 'weakincentives/openai';
import { scriptedAdapter } from 'weakincentives/testing';

// A program for any runtime, compiled where the project has the types of none: neither those of Node nor those of the DOM.
const stamp = tool({
  name: 'stamp',
  description: 'Stamps a page.',
  effects: 'state',
  execute: (_params, { signal }) => ToolResult.ok({ pages: ['a'], signals: [typeof signal] }),
});
const template = promptTemplate({
  ns: 'examples',
  key: 'any-runtime',
  sections: [section({ title: 'Task', key: 'task', template: 'Stamp the page.', tools: [stamp] })],
});
const agent = defineAgent({
  template,
  adapter: scriptedAdapter([{ toolCalls: [{ name: 'stamp', arguments: {} }] }, { text: 'Done.' }]),
});
const files = new MemoryFilesystem({ files: { 'a.txt': 'a' } });
const adapters = [openai({ model: 'm', apiKey: 'none' }), anthropic({ model: 'm', apiKey: 'none' })];

const run = await runAgent(agent);
if (run.text !== 'Done.' || adapters.length !== 2) throw new Error('another answer');
await using session = new Session();
await using tools = await openToolRuntime(template.bind(), { session });
if (tools.tools.length !== 1 || (await files.stat('a.txt')) === undefined) throw new Error('another tool');
