import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { run } from './wink.ts';

/** An agent whose calls meet everything that a call can meet. */
const agentText = `
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  defineAgent, defineSlice, jsonSchema, PolicyDecision, promptTemplate, section, tool, ToolResult,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';

const outbox = join(import.meta.dirname, 'outbox.txt');
const Count = defineSlice({
  name: 'count',
  schema: jsonSchema<{ total: number }>({
    type: 'object', properties: { total: { type: 'number' } }, required: ['total'], additionalProperties: false,
  }),
});

const add = tool({
  name: 'add', description: 'Adds one.', effects: 'state',
  execute: (_params, { session }) => {
    const total = (session.slice(Count).latest()?.total ?? 0) + 1;
    session.slice(Count).seed([{ total }]);
    return ToolResult.ok(null, 'Added.');
  },
});
const send = tool({
  name: 'send', description: 'Sends a letter.', effects: 'external',
  execute: () => {
    appendFileSync(outbox, 'a letter\\n');
    throw new Error('\\u001b[2Jlost ' + outbox);
  },
});
const pay = tool({
  name: 'pay', description: 'Pays.', effects: 'state', execute: () => ToolResult.ok(null, 'Paid.'),
});
const careful = {
  name: 'careful',
  check: ({ tool }: { readonly tool: { readonly name: string } }) =>
    tool.name === 'pay' ? PolicyDecision.ask('Pay from the account?') : PolicyDecision.allow(),
};
const prompt = (key: string, tools: readonly (typeof add)[]) => promptTemplate({
  ns: 'tests', key, policies: [careful],
  sections: [section({ title: key, key, template: () => 'This is ' + key + '.', tools, slices: [Count] })],
});
const delegate = (name: string, inner: ReturnType<typeof prompt>, isGood: boolean) => tool({
  name, description: 'Delegates.', effects: 'state',
  execute: async (_params, { adapter }) => {
    await adapter.evaluate(inner.bind());
    return isGood ? ToolResult.ok(null, 'Done.') : ToolResult.error('Not sure enough.');
  },
});
const dig = delegate('dig', prompt('deep', [add]), true);
const team = prompt('team', [dig, add, pay]);
const template = prompt('lead', [add, send, pay, delegate('trust', team, true), delegate('doubt', team, false)]);
const scripts: Readonly<Record<string, readonly (readonly string[])[]>> = {
  lead: [['add', 'add'], ['send'], ['trust'], ['doubt', 'pay']],
  team: [['dig', 'add']],
  deep: [['add']],
};
export default defineAgent({
  template,
  workspace: false,
  approve: async () => true,
  adapter: scriptedAdapter((_conversation, { instructions, turn }) => {
    const key = /This is (\\w+)/.exec(instructions)?.[1] ?? '';
    const names = scripts[key]?.[turn - 1];
    return names === undefined ? { text: key + ' is done' } : { toolCalls: names.map((name) => ({ name })) };
  }),
});
`;

let folder = '';
let agent = '';

beforeAll(() => {
  expect(inject('buildProblem')).toBe('');
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'wink-calls-')));
  agent = join(folder, 'agent.ts');
  writeFileSync(agent, agentText);
  mkdirSync(join(folder, 'elsewhere'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const runAgent = (...options: readonly string[]): ReturnType<typeof run> =>
  run(['run', agent, ...options], { cwd: join(folder, 'elsewhere') });

/** Rows of the table, without times and with one bar for each gap between columns. */
const rowsOf = (stdout: string): readonly string[] =>
  stdout
    .split('\n')
    .filter((line) => /^ *(?:\d+ +)?\d+(?:\.\d+)* +[\d.]+ m?s /.test(line))
    .map((line) =>
      line
        .replace(/[\d.]+ m?s /, '')
        .trim()
        .replace(/ {2,}/g, ' | '),
    );

describe('wink run shows of each call', () => {
  it('conflicts, questions with their answers, what is inside of it, and what it left standing', async () => {
    const { code, stdout, stderr } = await runAgent('--full');
    expect(code, stderr).toBe(0);
    const again = 'slice count had changed';
    expect(readFileSync(join(folder, 'outbox.txt'), 'utf8')).toBe('a letter\n');
    expect(rowsOf(stdout)).toEqual([
      '1 | 1 | add | committed',
      `1 | 2 | add | committed, on new state: ${again}`,
      '2 | 3 | send | rolled back: <U+001B>[2Jlost <agent>/outbox.txt',
      '3 | 4 | trust | committed',
      '4.1 | dig | committed',
      '4.1.1 | add | committed',
      `4.2 | add | committed, on new state: ${again}`,
      '4 | 5 | doubt | rolled back: Not sure enough.',
      '5.1 | dig | committed, then undone with call 5',
      '5.1.1 | add | committed, then undone with call 5',
      `5.2 | add | committed, then undone with call 5, on new state: ${again}`,
      '4 | 6 | pay | committed; approved for careful: Pay from the account?',
    ]);
    expect(stdout).toMatch(/call 3 in turn \d+\..* An external tool: what it did outside stays\.\n/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      '5 turns, 6 calls: 4 committed (1 of them re-run), 2 rolled back, 1 left effects; 6 calls inside them: 3 committed (1 of them re-run), 3 undone with the enclosing call.',
    );
    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining([
        'wink: turn 2, call 3: send rolled back: <U+001B>[2Jlost <agent>/outbox.txt',
        'wink: turn 4, call 5: doubt rolled back: Not sure enough.',
      ]),
    );
    expect(`${stdout}${stderr}`).not.toContain(folder);
    expect(`${stdout}${stderr}`).not.toMatch(/[^\P{Cc}\n]/u);
  });

  it('what policies would have done, with --no-enforce', async () => {
    const { code, stdout, stderr } = await runAgent('--no-enforce');
    expect(code, stderr).toBe(0);
    expect(rowsOf(stdout).at(-1)).toBe(
      '4 | 6 | pay | committed; would have been asked about by careful: Pay from the account?',
    );
    expect(stderr).toContain('turn 4, call 6: careful would have asked about pay: Pay from the account?\n');
    expect(stdout).toContain('1 would have been denied or asked about');
  });

  it('the same in events, each with the calls around it', async () => {
    const { stdout } = await runAgent('--json');
    const ends = stdout
      .trimEnd()
      .split('\n')
      .flatMap((line) => endOf(JSON.parse(line)));
    expect(ends).toContainEqual(
      expect.objectContaining({
        toolName: 'send',
        residualEffects: ['effects outside session, files and resources'],
      }),
    );
    expect(ends).toContainEqual(expect.objectContaining({ toolName: 'add', conflicts: ['slice count'] }));
    expect(ends).toContainEqual(
      expect.objectContaining({
        toolName: 'pay',
        approvals: [{ policy: 'careful', reason: 'Pay from the account?', about: 'call', approved: true }],
      }),
    );
    const deep = ends.filter(
      ({ parentCallIds }) => Array.isArray(parentCallIds) && parentCallIds.length === 2,
    );
    expect(deep.map(({ toolName }) => toolName)).toEqual(['add', 'add']);
    expect(stdout).not.toContain(folder);
  });
});

interface Told {
  readonly type: string;
  readonly event?: Told;
  readonly invocation?: Readonly<Record<string, unknown>>;
}

/** The record in the end of a call, whatever is around it. */
function endOf({ event, invocation }: Told): readonly Readonly<Record<string, unknown>>[] {
  if (event !== undefined) return endOf(event);
  return invocation === undefined ? [] : [invocation];
}
