import { describe, expect, it } from 'vitest';
import { type AnyAgent, type Budget, defineAgent, promptTemplate, section } from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { readArguments } from '../../../src/cli/commands/read-arguments.ts';
import type { RunRequest } from '../../../src/cli/options/run-task.ts';
import { UsageError } from '../../../src/cli/process/errors.ts';
import { runCommand } from '../../../src/cli/run-command.ts';
import { fakeEnvironment, ofAgent } from './support.ts';

const template = promptTemplate({
  ns: 'tests',
  key: 'demo',
  name: 'demo',
  sections: [section({ title: 'Task', key: 'task', template: () => 'Do it.' })],
});
const usage = { inputTokens: 12_000, cachedInputTokens: 10_000, outputTokens: 345 };
const prices = { inputPerMillion: 1, cachedInputPerMillion: 0.1, outputPerMillion: 10 };

const agentWith = (budget?: Budget): AnyAgent =>
  defineAgent({
    template,
    adapter: scriptedAdapter([
      { toolCalls: [{ name: 'none' }], usage },
      { text: 'Done.', usage },
    ]),
    ...(budget === undefined ? {} : { limits: { budget } }),
  });

const run = async (agent: AnyAgent, ...options: readonly string[]) => {
  const request = readArguments(['run', 'a.ts', ...options]);
  if (request.kind !== 'run') throw new Error('The arguments must be right.');
  const environment = fakeEnvironment();
  const code = await runCommand(request satisfies RunRequest, environment, {
    load: async () => ofAgent(agent),
  });
  return { code, out: environment.stdout.text(), err: environment.stderr.text() };
};

describe('wink run', () => {
  it('tells what a run took, with its cost when prices are known', async () => {
    const spent = 'Spent 24,000 input tokens (20,000 of them cached), 690 output tokens';
    expect((await run(agentWith())).out).toContain(`${spent}.\n`);
    expect((await run(agentWith({ prices }))).out).toContain(`${spent}, cost 0.0129.\n`);
    expect((await run(agentWith(), '--prices', '1/0.1/10')).out).toContain(', cost 0.0129.\n');
  });

  it('ends a run that does not fit in the budget, and tells what it took until then', async () => {
    const { code, out } = await run(agentWith(), '--max-tokens', '20000');
    expect(code).toBe(1);
    expect(out).toContain('The budget was used up before the run was finished');
    expect(out).toContain('phase budget');
    expect(out).toContain('Spent 12,000 input tokens');
  });

  it('keeps an answer that passed the budget, and says so', async () => {
    const { code, out } = await run(agentWith({ maxOutputTokens: 400 }));
    expect(code).toBe(0);
    expect(out).toContain('The budget was exceeded: maxOutputTokens is 400.');
  });

  it('takes the option over what the agent says', async () => {
    expect((await run(agentWith({ maxTotalTokens: 100 }), '--max-tokens', '1000000')).code).toBe(0);
    expect((await run(agentWith({ maxTotalTokens: 1_000_000 }), '--max-tokens', '100')).code).toBe(1);
  });

  it('does not begin when it cannot know the cost', async () => {
    const refused = run(agentWith(), '--max-cost', '1');
    await expect(refused).rejects.toBeInstanceOf(UsageError);
    await expect(refused).rejects.toThrow('Here: --prices INPUT/OUTPUT.');
  });

  it('writes what a run took into its last line of JSON, also of a run that failed', async () => {
    const last = (text: string): unknown => JSON.parse(text.trim().split('\n').at(-1) ?? '');
    const done = await run(agentWith({ prices, maxOutputTokens: 400 }), '--json');
    expect(last(done.out)).toMatchObject({
      outcome: 'done',
      cost: 0.0129,
      budgetExceeded: { limit: 'maxOutputTokens', value: 690, maximum: 400 },
    });
    const failed = await run(agentWith(), '--json', '--max-tokens', '100');
    expect(last(failed.out)).toMatchObject({ outcome: 'failed', usage });
  });
});
