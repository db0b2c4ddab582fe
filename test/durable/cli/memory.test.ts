import { writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { DurableCli } from './durable-cli.ts';

/** An agent that writes a note when it is first spoken to, and later says what notes there are. */
const agentText = `
import { defineAgent, promptTemplate, section } from 'weakincentives';
import { memorySection } from 'weakincentives/tools';
import { scriptedAdapter } from 'weakincentives/testing';

const task = section({ title: 'Task', key: 'task', template: 'Work.' });
const note = { command: 'create', path: '/memories/progress.md', file_text: 'Half of it is done.\\n' };
const look = { command: 'view', path: '/memories/progress.md' };
export default defineAgent({
  name: 'noter',
  template: promptTemplate({ ns: 'tests', key: 'noter', sections: [task, memorySection()] }),
  adapter: scriptedAdapter((conversation) => {
    const last = conversation.at(-1);
    if (last?.type === 'tool-result') return { text: last.text };
    const isFirst = conversation.filter(({ type }) => type === 'user').length === 1;
    return { toolCalls: [{ name: 'memory', arguments: isFirst ? note : look }] };
  }),
});
`;

let cli: DurableCli;

beforeEach(() => {
  expect(inject('buildProblem')).toBe('');
  cli = new DurableCli();
  writeFileSync(cli.agent, agentText);
});
afterEach(() => {
  cli[Symbol.dispose]();
});

describe.runIf(isBuiltin('node:sqlite'))('the memory of an agent', () => {
  it('is there when another process continues its run', async () => {
    const first = await cli.run('run', cli.agent, '--durable', '--run-id', 'noted', '--input', 'Begin.');
    expect(first.code, first.stderr).toBe(0);
    const second = await cli.run('resume', 'noted', '--input', 'Go on.');
    expect(second.code, second.stderr).toBe(0);
    expect(second.stdout).toContain('     1\tHalf of it is done.');
    // A run of its own has a memory of its own.
    const other = await cli.run('run', cli.agent, '--input', 'Begin.');
    expect(other.stdout).toContain('Created "/memories/progress.md": 20 bytes.');
  });
});
