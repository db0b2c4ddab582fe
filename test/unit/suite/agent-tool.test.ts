import { describe, expect, it } from 'vitest';
import {
  type AnyTool,
  BudgetTracker,
  binding,
  Filesystem,
  MemoryFilesystem,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  Session,
  section,
  ToolCallLog,
  type ToolInvokedPayload,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { type ScriptedTurn, scriptedAdapter } from 'weakincentives/testing';
import { type AgentToolOptions, agentTool } from 'weakincentives/tools';
import { z } from 'zod';

const topic = z.object({ topic: z.string() });
const report = z.object({ lines: z.number() });
type Research = AgentToolOptions<typeof topic, { topic: string }, { lines: number }>;

const note = tool({
  name: 'note',
  description: 'Writes a note.',
  effects: 'state',
  inputSchema: z.object({ text: z.string() }),
  execute: async ({ text }, { filesystem }) => {
    await filesystem.write('note.md', text);
    return ToolResult.ok(null, 'Noted.');
  },
});

/** An agent that answers with a number of lines. */
function research(options: Partial<Research> = {}, policies: readonly ToolPolicy[] = []): AnyTool {
  const template = promptTemplate({
    ns: 'test',
    key: 'research',
    output: report,
    policies,
    sections: [
      section({
        title: 'Task',
        key: 'task',
        params: topic,
        tools: [note],
        template: (params) => `Research ${params.topic}.`,
      }),
    ],
  });
  return agentTool({
    name: 'research',
    description: 'Researches.',
    inputSchema: topic,
    template,
    effects: 'state',
    ...options,
  });
}

function leadOf(
  tools: readonly AnyTool[],
  filesystem?: MemoryFilesystem,
  policies: readonly ToolPolicy[] = [],
): Prompt {
  return promptTemplate({
    ns: 'test',
    key: 'lead',
    policies,
    ...(filesystem === undefined ? {} : { resources: [binding(Filesystem, { instance: filesystem })] }),
    sections: [section({ title: 'Task', key: 'task', template: 'Lead.', tools })],
  }).bind();
}

const asksFor = (name: string, args: object): ScriptedTurn => ({
  toolCalls: [{ name, arguments: { ...args } }],
  usage: { inputTokens: 1, outputTokens: 1 },
});
const says = (text: string): ScriptedTurn => ({ text, usage: { inputTokens: 1, outputTokens: 1 } });

/** A model whose lead has the topic of cats researched, and which answers as the agent by these turns. */
function modelOf(...inner: readonly ScriptedTurn[]): {
  readonly adapter: ReturnType<typeof scriptedAdapter>;
  readonly requests: {
    readonly isInner: boolean;
    readonly settings: unknown;
    readonly conversation: unknown;
  }[];
} {
  const requests: { isInner: boolean; settings: unknown; conversation: unknown }[] = [];
  const left = [...inner];
  const adapter = scriptedAdapter((conversation, { instructions, settings, turn }) => {
    const isInner = instructions.includes('Research');
    requests.push({ isInner, settings, conversation: structuredClone(conversation) });
    if (!isInner) return turn === 1 ? asksFor('research', { topic: 'cats' }) : says('done');
    return left.shift() ?? says('{"lines":0}');
  });
  return { adapter, requests };
}

/** Runs the lead. @returns what is recorded of the call of the agent. */
async function run(
  agent: AnyTool,
  inner: readonly ScriptedTurn[],
  {
    filesystem,
    policies,
    budget,
  }: { filesystem?: MemoryFilesystem; policies?: readonly ToolPolicy[]; budget?: BudgetTracker } = {},
): Promise<{ readonly call: ToolInvokedPayload; readonly requests: ReturnType<typeof modelOf>['requests'] }> {
  const session = new Session();
  const { adapter, requests } = modelOf(...inner);
  await adapter.evaluate(leadOf([agent], filesystem, policies), {
    session,
    ...(budget === undefined ? {} : { limits: { budget } }),
  });
  const call = session
    .slice(ToolCallLog)
    .all()
    .find(({ toolName }) => toolName === 'research');
  if (call === undefined) throw new Error('The agent was not called.');
  return { call, requests };
}

describe('the call of an agent', () => {
  it('has the answer of the template as its value', async () => {
    const { call } = await run(research(), [says('{"lines":3}')]);
    expect(call).toMatchObject({ success: true, value: { lines: 3 } });
  });

  it('is a text where the template has no output schema', async () => {
    const template = promptTemplate({
      ns: 'test',
      key: 'plain',
      sections: [
        section({ title: 'T', key: 't', params: topic, template: (params) => `Research ${params.topic}.` }),
      ],
    });
    const agent = agentTool({
      name: 'research',
      description: 'Researches.',
      inputSchema: topic,
      template,
    });
    const { call } = await run(agent, [says('Cats sleep.')]);
    expect(call).toMatchObject({ success: true, modelText: 'Cats sleep.' });
    expect(call.value).toBeUndefined();
  });

  it('fails when the answer is not of that type, and leaves nothing', async () => {
    const filesystem = new MemoryFilesystem();
    const never = Array.from({ length: 9 }, () => says('{"lines":"three"}'));
    const { call } = await run(research(), [asksFor('note', { text: 'a' }), ...never], { filesystem });
    expect(call.success).toBe(false);
    expect((await filesystem.glob('**/*')).paths).toEqual([]);
  });

  it('works on the files of the call', async () => {
    const filesystem = new MemoryFilesystem();
    const inner = [asksFor('note', { text: 'Cats sleep.' }), says('{"lines":1}')];
    const { call } = await run(research(), inner, { filesystem });
    expect(call.changes).toMatchObject([{ path: 'note.md', kind: 'created' }]);
    expect((await filesystem.read('note.md')).text).toBe('Cats sleep.');
  });

  it('asks with the input and the settings of the agent', async () => {
    const agent = research({
      input: ({ topic: about }) => `What of ${about}?`,
      settings: { temperature: 0.25 },
    });
    const { requests } = await run(agent, []);
    const [lead, inner] = requests;
    expect(inner).toMatchObject({
      isInner: true,
      settings: { temperature: 0.25 },
      conversation: [{ type: 'user', content: [{ type: 'text', text: 'What of cats?' }] }],
    });
    expect(lead?.settings).not.toMatchObject({ temperature: 0.25 });
  });

  it('continues until its completion says that it is done', async () => {
    const texts: string[] = [];
    const agent = research({
      completion: {
        name: 'three-lines',
        check: ({ text }) => {
          texts.push(text);
          return text.includes('3') ? { outcome: 'complete' } : { outcome: 'incomplete', feedback: 'More.' };
        },
      },
    });
    const { call } = await run(agent, [says('{"lines":1}'), says('{"lines":3}')]);
    expect(texts).toEqual(['{"lines":1}', '{"lines":3}']);
    expect(call.value).toEqual({ lines: 3 });
  });

  it('is under the policies around it, and its calls under those and its own', async () => {
    const asked: string[] = [];
    const watching = (name: string, denied?: string): ToolPolicy => ({
      name,
      check: ({ tool: { name: toolName } }) => {
        asked.push(`${name} ${toolName}`);
        return toolName === denied ? PolicyDecision.deny('Not that.') : PolicyDecision.allow();
      },
    });
    const filesystem = new MemoryFilesystem();
    const { call, requests } = await run(
      research({}, [watching('inner')]),
      [asksFor('note', { text: 'a' }), says('{"lines":1}')],
      { filesystem, policies: [watching('outer', 'note')] },
    );
    expect(asked).toContain('outer research');
    expect(asked).toContain('outer note');
    expect(asked).not.toContain('inner research');
    expect(call.value).toEqual({ lines: 1 });
    expect(JSON.stringify(requests[2]?.conversation)).toContain('Not that.');
    expect((await filesystem.glob('**/*')).paths).toEqual([]);
  });
});

describe('the limits of an agent', () => {
  const looping = Array.from({ length: 9 }, (_, index) => asksFor('note', { text: String(index) }));

  it('end its call alone, and count for the run', async () => {
    const filesystem = new MemoryFilesystem();
    const budget = new BudgetTracker({ maxInputTokens: 100 });
    const { call } = await run(research({ limits: { budget: { maxInputTokens: 2 } } }), looping, {
      filesystem,
      budget,
    });
    expect(call).toMatchObject({ success: false, usage: { inputTokens: 2 } });
    expect(call.message).toContain('budget');
    expect(budget.usage.inputTokens).toBe(4);
    expect((await filesystem.glob('**/*')).paths).toEqual([]);
  });

  it('are within those of the run', async () => {
    const budget = new BudgetTracker({ maxInputTokens: 3 });
    const agent = research({ limits: { budget: { maxInputTokens: 100 } } });
    const running = run(agent, looping, { filesystem: new MemoryFilesystem(), budget });
    await expect(running).rejects.toMatchObject({ code: 'evaluation-budget-exceeded' });
    expect(budget.usage.inputTokens).toBe(3);
  });

  it('bound its turns', async () => {
    const filesystem = new MemoryFilesystem();
    const { call, requests } = await run(research({ limits: { maxTurns: 2 } }), looping, { filesystem });
    expect(call.success).toBe(false);
    expect(requests.filter(({ isInner }) => isInner)).toHaveLength(2);
  });
});

it('agents run at most eight deep', async () => {
  const deepest = research();
  let agent = deepest;
  for (let depth = 0; depth < 9; depth += 1) {
    const template = promptTemplate({
      ns: 'test',
      key: `level-${depth}`,
      sections: [
        section({
          title: 'Task',
          key: 'task',
          params: topic,
          tools: [agent],
          template: 'Delegate.',
        }),
      ],
    });
    agent = agentTool({
      name: 'research',
      description: 'Delegates.',
      inputSchema: topic,
      template,
      effects: 'state',
    });
  }
  const session = new Session();
  const asked: string[] = [];
  const adapter = scriptedAdapter((_conversation, { instructions, turn }) => {
    if (turn === 1) asked.push(instructions);
    return turn === 1 ? asksFor('research', { topic: 'cats' }) : says('done');
  });
  await adapter.evaluate(leadOf([agent]), { session });
  const calls = session.slice(ToolCallLog).all();
  // The lead, and eight inside one another; the ninth is refused, and only its call fails.
  expect(asked).toHaveLength(9);
  expect(calls.filter(({ success }) => !success)).toMatchObject([
    { toolName: 'research', error: { code: 'evaluation-depth-exceeded' } },
  ]);
  expect(calls).toHaveLength(9);
});

it('an agent without a template is refused', () => {
  // @ts-expect-error The template is missing.
  expect(() => agentTool({ name: 'a', description: 'A.', inputSchema: topic })).toThrow(/template/);
});
