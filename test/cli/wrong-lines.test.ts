import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { run } from './wink.ts';

let folder = '';
beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = mkdtempSync(join(tmpdir(), 'wink-wrong-'));
  writeFileSync(join(folder, 'broken.ts'), 'export const agent = ;');
  writeFileSync(join(folder, 'throwing.ts'), 'throw new Error("no luck\\n    at secret (/place.ts:1:1)");');
  writeFileSync(join(folder, 'other.ts'), 'export const agents = 1;');
  writeFileSync(
    join(folder, 'agent.ts'),
    `import { defineAgent, promptTemplate, section } from 'weakincentives';
     import { scriptedAdapter } from 'weakincentives/testing';
     const task = section({ title: 'Task', key: 'task', template: 'Work.' });
     const template = promptTemplate({ ns: 'tests', key: 'wrong', sections: [task] });
     export default defineAgent({ template, adapter: scriptedAdapter([]) });`,
  );
  writeFileSync(join(folder, 'record.jsonl'), 'no record');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// One of each kind; all lines are in test/unit/cli/commands/wrong-lines.test.ts.
describe('a wrong line of the built command', () => {
  it.each<[kind: string, argv: readonly string[], message: string]>([
    ['a command that there is not', ['rum'], 'unknown command "rum". Did you mean "run"?'],
    ['an agent without a command', ['agent.ts'], 'Did you mean "wink run agent.ts"?'],
    ['an action that there is not', ['approvals', 'anwser'], 'Did you mean "answer"?'],
    ['an option that there is not', ['run', 'agent.ts', '--aply'], 'unknown option "--aply".'],
    ['an option without its value', ['run', 'agent.ts', '--max-turns'], 'option "--max-turns" needs a value'],
    ['a value that is not taken', ['run', 'agent.ts', '--quiet=1'], 'option "--quiet" takes no value'],
    ['another choice', ['run', 'agent.ts', '--effort', 'hihg'], 'Did you mean "high"?'],
    ['a number out of range', ['run', 'agent.ts', '--max-turns', '0'], '--max-turns is "0"'],
    ['a model without its vendor', ['run', 'agent.ts', '--model', 'gpt-5'], 'Did you mean openai:gpt-5?'],
    ['too many words', ['run', 'agent.ts', 'b', 'c'], 'wink run takes AGENT, DIR: 2 at most, not 3.'],
    ['a word that is missing', ['resume'], 'no run given: wink resume RUN'],
    ['options that exclude each other', ['view', 'one', '--out', 'a', '--follow'], 'choose one.'],
    ['an option that needs another one', ['serve', '--port', '80'], '--port requires --http.'],
    ['control characters', ['run', 'agent.ts', '--params', '\u001b[31m{'], '--params is not JSON'],
    ['an agent that is not there', ['run', 'agnet.ts'], 'Did you mean "agent.ts"?'],
    ['an agent that is not TypeScript', ['run', 'broken.ts'], 'the agent "broken.ts" cannot be loaded'],
    ['an agent that throws', ['run', 'throwing.ts'], 'the agent "throwing.ts" cannot be loaded: no luck.'],
    ['a module without an agent', ['doctor', '--agent', 'other.ts'], 'exports no agent: it exports "agents"'],
    ['a folder that is not there', ['run', 'agent.ts', 'absent'], 'absent'],
    ['a file that is not there', ['run', 'agent.ts', '--input', '@absent.md'], 'absent.md'],
    ['an option that a file does not fit', ['run', 'agent.ts', '--mcp', 'record.jsonl'], 'record.jsonl'],
    ['a record that is none', ['query', 'record.jsonl'], 'record.jsonl'],
    ['a run that there is not', ['view', 'absent.jsonl'], 'absent.jsonl'],
  ])('with %s is refused in one line', async (_kind, argv, message) => {
    const { code, stdout, stderr } = await run(argv, { cwd: folder });
    expect({ code, stdout }, stderr).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^wink: [^\n]+\n$/);
    expect(stderr).toContain(message);
    // Neither a stack nor a path that nobody has typed.
    expect(stderr).not.toMatch(/\bat .*:\d+:\d+/);
    expect(stderr).not.toContain('\u001b');
    expect(stderr).not.toContain(folder);
  });

  it('without a command is answered with the help on the error output', async () => {
    const { code, stdout, stderr } = await run([]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^Usage: wink COMMAND \[options\]\n/);
  });
});
