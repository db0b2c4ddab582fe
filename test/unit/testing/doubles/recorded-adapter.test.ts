import { describe, expect, it } from 'vitest';
import { type Prompt, promptTemplate, section, ToolResult, tool } from 'weakincentives';
import { recordedAdapter, type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { winkMatchers } from 'weakincentives/vitest';
import { z } from 'zod';
import { recordOf } from '../../../support/replays.ts';

expect.extend(winkMatchers);

function promptOf(
  options: { readonly text?: string; readonly description?: string; readonly answer?: string } = {},
): Prompt {
  const { text = 'Do it.', description = 'Echo a text.', answer = 'Echoed.' } = options;
  const echo = tool({
    name: 'echo',
    description,
    inputSchema: z.object({ text: z.string() }),
    effects: 'read',
    execute: ({ text: echoed }) => ToolResult.ok({ echoed }, answer),
  });
  const inner = promptTemplate({
    ns: 'test',
    key: 'inner',
    sections: [section({ title: 'Inner', key: 'inner', template: 'Inner.', tools: [echo] })],
  });
  const ask = tool({
    name: 'ask',
    description: 'Ask another one.',
    effects: 'read',
    execute: async (_params, { adapter }) =>
      ToolResult.ok({ text: (await adapter.evaluate(inner.bind(), { input: 'inner' })).text }),
  });
  return promptTemplate({
    ns: 'test',
    key: 'outer',
    sections: [section({ title: 'Task', key: 'task', template: text, tools: [echo, ask] })],
  }).bind();
}

const outer: readonly ScriptedTurn[] = [
  { toolCalls: [{ name: 'echo', arguments: { text: 'a' } }, { name: 'ask' }] },
  { text: 'Done.', usage: { inputTokens: 5, outputTokens: 1 } },
];
const inside: readonly ScriptedTurn[] = [
  { toolCalls: [{ name: 'echo', arguments: { text: 'b' } }] },
  { text: 'From inside.' },
];
const model = scriptedAdapter(
  (conversation, { turn }) =>
    (JSON.stringify(conversation[0]).includes('inner') ? inside : outer)[turn - 1] ?? { text: 'Too far.' },
);
const record = () => recordOf(model, promptOf(), { input: 'outer' });

/** The message of what an evaluation rejects with. */
async function failureOf(prompt: Prompt, input = 'outer'): Promise<string> {
  const adapter = recordedAdapter({ record: await record() });
  const error: unknown = await adapter.evaluate(prompt, { input }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message : String(error);
}

describe('recordedAdapter', () => {
  it('gives the recorded answers, also inside calls, again and again', async () => {
    const adapter = recordedAdapter({ record: await record() });
    for (let round = 0; round < 2; round += 1) {
      const { text, usage } = await adapter.evaluate(promptOf(), { input: 'outer' });
      expect([text, usage]).toEqual(['Done.', { inputTokens: 5, outputTokens: 1 }]);
    }
    adapter.assertComplete();
  });

  it('names the first difference of a request that it does not have', async () => {
    expect(await failureOf(promptOf({ text: 'Do that.' }))).toContain(
      'Most like it is turn 1. The instructions differ',
    );
    expect(await failureOf(promptOf({ description: 'Echo texts.' }))).toContain(
      'The tool "echo" differs at description',
    );
    expect(await failureOf(promptOf(), 'other')).toContain(
      'Message 0 (user) differs at content[0].text from character 2: recorded "outer", now "other".',
    );
  });

  it('names the result that a changed tool gives', async () => {
    const failure = await failureOf(promptOf({ answer: 'Said.' }));
    expect(failure).toContain('The record does not have the request of turn 2.');
    expect(failure).toContain('(tool-result of "echo", call-1-1) differs at text from character 1');
  });

  it('says which answers were not asked for', async () => {
    const adapter = recordedAdapter({ record: await record() });
    expect(() => adapter.assertComplete()).toThrow(
      '4 of 4 recorded answers were not asked for, the first one that of turn 1.',
    );
  });
});

describe('matchers on a record', () => {
  it('find calls inside calls, commits and usage', async () => {
    const run = await record();
    expect(run).toHaveCalled('echo', { text: 'b' });
    expect(run).toHaveCommitted('ask');
    expect(run).not.toHaveCalled('echo', { text: 'c' });
    expect(run).not.toHaveChangedFiles();
    expect(run).toStayWithin({ turns: 2, tokens: 6 });
    expect(() => expect(run).toStayWithin({ turns: 1 })).toThrow('turns: 2, which is 1 over 1');
  });
});
