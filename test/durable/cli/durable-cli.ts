import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Ending, ending, run, start } from '../../cli/wink.ts';

/** An agent that writes a.md and b.md, then calls a tool that waits until there is a gate, and then writes c.md. */
const agentText = (task: string): string => `
import fs, { existsSync, readFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { defineAgent, promptTemplate, section, tool, ToolResult } from 'weakincentives';
import { vfsToolsSection } from 'weakincentives/tools';
import { scriptedAdapter } from 'weakincentives/testing';

const killFile = process.env.GATE + '.kill';
if (existsSync(killFile)) {
  const ending = '/' + readFileSync(killFile, 'utf8');
  const { linkSync } = fs;
  fs.linkSync = (from, to) => {
    if (String(to).endsWith(ending)) process.kill(process.pid, 'SIGKILL');
    linkSync(from, to);
  };
  syncBuiltinESMExports();
}

const pause = tool({
  name: 'pause',
  description: 'Waits for the gate.',
  effects: 'read',
  execute: async (_params, { signal }) => {
    await new Promise((resolve) => {
      const timer = setInterval(() => (signal.aborted || existsSync(process.env.GATE)) && end(), 20);
      const end = () => (clearInterval(timer), resolve());
    });
    return ToolResult.ok(null, 'Waited.');
  },
});
const task = section({ title: 'Task', key: 'task', template: () => ${JSON.stringify(task)}, tools: [pause] });
const template = promptTemplate({ ns: 'tests', key: 'writer', sections: [task, vfsToolsSection()] });
const write = (path) => ({ name: 'write_file', arguments: { file_path: path, content: path + '\\n' } });
export default defineAgent({
  template,
  name: 'writer',
  adapter: scriptedAdapter([
    { toolCalls: [write('a.md')] },
    { toolCalls: [write('b.md')] },
    { toolCalls: [{ name: 'pause', arguments: {} }] },
    { toolCalls: [write('c.md')] },
    { text: 'All is written.' },
  ]),
});
`;

/** A folder, an agent that works on it, and a state folder of their own. */
export class DurableCli implements Disposable {
  readonly #root = mkdtempSync(join(tmpdir(), 'wink-durable-'));
  readonly folder: string = join(this.#root, 'work');
  readonly agent: string = join(this.#root, 'agent.ts');
  readonly #gate = join(this.#root, 'gate');
  /** Name of the state folder, beside the folder, of the processes that are started from now on. */
  state = 'state';
  /** Further environment variables of the processes that are started from now on. */
  further: Readonly<Record<string, string>> = {};

  constructor() {
    mkdirSync(this.folder);
    this.changeTask('Write three files.');
  }

  /** The path of a file beside the folder. */
  beside(name: string): string {
    return join(this.#root, name);
  }

  changeTask(task: string): void {
    writeFileSync(this.agent, agentText(task));
  }

  /** From now on the tool returns. */
  openGate(): void {
    writeFileSync(this.#gate, '');
  }

  /** From now on a process is killed when it puts a new file of this name in its place: the commit is decided then. Undefined: none is. */
  killAt(name: string | undefined): void {
    const file = `${this.#gate}.kill`;
    if (name === undefined) rmSync(file);
    else writeFileSync(file, name);
  }

  start(...args: readonly string[]): ChildProcessWithoutNullStreams {
    return start(args, { cwd: this.#root, variables: this.#variables });
  }

  run(...args: readonly string[]): Promise<Ending> {
    return run(args, { cwd: this.#root, variables: this.#variables });
  }

  /** Starts a run and stops it by a signal in its third turn, after two commits. */
  async interrupted(signal: NodeJS.Signals, ...args: readonly string[]): Promise<Ending> {
    const child = this.start('run', this.agent, this.folder, '--run-id', 'first', '--json', ...args);
    const end = ending(child);
    await untilPaused(child);
    child.kill(signal);
    return end;
  }

  [Symbol.dispose](): void {
    rmSync(this.#root, { recursive: true, force: true });
  }

  get #variables(): Readonly<Record<string, string>> {
    return {
      ...this.further,
      GATE: this.#gate,
      XDG_STATE_HOME: join(this.#root, this.state),
    };
  }
}

/** Resolves when the tool that waits for the gate was called. Rejects when the process ends before. */
export function untilPaused(child: ChildProcessWithoutNullStreams): Promise<void> {
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout.on('data', (data: Buffer) => {
      text += data.toString();
      if (/"type":"tool-call-start"[^\n]*"toolName":"pause"[^\n]*\n/.test(text)) resolve();
    });
    child.once('close', () => reject(new Error(`The process has ended before: ${text}`)));
  });
}
