import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ending, run, start } from '../../cli/wink.ts';

/** An agent that reads notes.md and appends a line to it, and then publishes twice. A policy asks about changes and about publishing. */
const agentText = `
import { appendFileSync } from 'node:fs';
import { defineAgent, PolicyDecision, promptTemplate, section, tool, ToolResult } from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { scriptedAdapter } from 'weakincentives/testing';

const append = tool({
  name: 'append',
  description: 'Appends a line.',
  effects: 'state',
  execute: async (_params, { filesystem }) => {
    appendFileSync(process.env.RAN, 'append\\n');
    const { text } = await filesystem.read('notes.md');
    await filesystem.write('notes.md', text + 'approved\\n');
    return ToolResult.ok(null, 'Appended.');
  },
});
const publish = (name) => tool({
  name,
  description: 'Publishes.',
  effects: 'external',
  execute: async () => {
    appendFileSync(process.env.RAN, name + '\\n');
    return ToolResult.ok(null, 'Published.');
  },
});
const template = promptTemplate({
  ns: 'tests',
  key: 'editor',
  policies: [{
    name: 'reviews',
    check: ({ tool }) => tool.name.startsWith('publish') ? PolicyDecision.ask('Really publish?') : PolicyDecision.allow(),
    checkChanges: () => PolicyDecision.ask('Is this right?'),
  }],
  sections: [
    section({ title: 'Task', key: 'task', template: () => 'Edit.', tools: [append, publish('publish_a'), publish('publish_b')] }),
    vfsToolsSection(),
  ],
});
export default defineAgent({
  template,
  name: 'editor',
  adapter: scriptedAdapter(process.env.PUBLISHES === '1'
    ? [{ toolCalls: [{ name: 'publish_a', arguments: {} }, { name: 'publish_b', arguments: {} }] }, { text: 'All is done.' }]
    : [{ toolCalls: [{ name: 'append', arguments: {} }] }, { text: 'All is done.' }]),
});
`;

/** A folder, an agent that works on it and asks, and a state folder of their own. */
export class ApprovingCli implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'wink-approvals-'));
  readonly folder: string = join(this.#root, 'work');
  readonly agent: string = join(this.#root, 'agent.ts');
  /** Whether the agent publishes, in the place of changing a file. */
  publishes = false;

  constructor() {
    mkdirSync(this.folder);
    writeFileSync(this.agent, agentText);
    this.notes = 'first\n';
    writeFileSync(this.beside('ran'), '');
  }

  /** The path of a file beside the folder. */
  beside(name: string): string {
    return join(this.#root, name);
  }

  /** The names of the tools that ran. */
  get ran(): readonly string[] {
    return readFileSync(this.beside('ran'), 'utf8').split('\n').slice(0, -1);
  }

  /** The file that the agent changes. */
  get notes(): string {
    return readFileSync(join(this.folder, 'notes.md'), 'utf8');
  }

  set notes(text: string) {
    writeFileSync(join(this.folder, 'notes.md'), text);
  }

  get files(): readonly string[] {
    return readdirSync(this.folder).sort();
  }

  start(...args: readonly string[]): ChildProcessWithoutNullStreams {
    return start(args, { cwd: this.#root, variables: this.#variables });
  }

  run(...args: readonly string[]): Promise<Ending> {
    return run(args, { cwd: this.#root, variables: this.#variables });
  }

  /** Begins the run `first`, which is suspended. */
  suspended(...args: readonly string[]): Promise<Ending> {
    return this.run('run', this.agent, this.folder, '--durable', '--run-id', 'first', ...args);
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  get #variables(): Readonly<Record<string, string>> {
    return {
      RAN: this.beside('ran'),
      PUBLISHES: this.publishes ? '1' : '0',
      XDG_STATE_HOME: join(this.#root, 'state'),
    };
  }
}
