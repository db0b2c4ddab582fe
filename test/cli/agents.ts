import { spawnSync } from 'node:child_process';
import { TerminalScreen } from '../unit/cli/report/progress/terminal-screen.ts';
import { command } from './wink.ts';

/** The lines of `--json`. */
export const eventsOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line): Record<string, unknown> => JSON.parse(line));

/** A module with an agent that counts words; `parts` are further options. */
export const agentText = (parts: string, more = ''): string => `
import { defineAgent, jsonSchema, promptTemplate, section, tool, ToolResult } from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { scriptedAdapter } from 'weakincentives/testing';
${more}
interface Params { readonly topic: string }
const task = section({
  title: 'Task',
  key: 'task',
  params: jsonSchema<Params>({
    type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'], additionalProperties: false,
  }),
  template: (p) => \`Write about \${p.topic}.\`,
});
const template = promptTemplate({ ns: 'tests', key: 'about', sections: [task, vfsToolsSection()] });
export default defineAgent({ template, params: { topic: 'cats' }, ${parts} });
`;
/** A model of its own that writes a file. */
export const writing: string = `adapter: scriptedAdapter([
  { toolCalls: [{ name: 'write_file', arguments: { file_path: 'out/about.md', content: 'About.\\n' } }] },
  { text: 'Written.' },
])`;

/** Whether there is a `script` that runs a command in a pseudo terminal. */
export const hasScript: boolean =
  spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') ?? false;

/** What `script` is to be given to run the command in a pseudo terminal. */
export function onTerminal(args: readonly string[]): readonly string[] {
  const words = [process.execPath, command, ...args];
  return ['-qec', words.map((word) => `'${word}'`).join(' '), '/dev/null'];
}

/** What stays on a terminal after this was written to it: what is shown only while a run works is gone, however often a slow machine showed it. */
export function leftOnTerminal(written: string): string {
  const screen = new TerminalScreen(80);
  screen.write(written);
  return screen.text;
}
