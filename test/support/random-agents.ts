import fc from 'fast-check';
import {
  type AnyTool,
  defineEvent,
  defineSlice,
  PolicyDecision,
  type Prompt,
  promptTemplate,
  reducers,
  section,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { agentTool } from 'weakincentives/tools';
import { z } from 'zod';

/** A call of a random agent: an act, or another agent. */
export type AgentCall =
  | { readonly kind: 'count' | 'look' | 'fail' | 'ask' }
  | { readonly kind: 'agent' | 'handler'; readonly agent: RandomAgent };

/** What an agent does in its turns, and whether its answer can be read. */
export interface RandomAgent {
  readonly turns: readonly (readonly AgentCall[])[];
  readonly answers: boolean;
}

/** A tree of agents. */
export interface AgentTree {
  readonly root: RandomAgent;
  /** Effects of the calls of agents: `external` ones run alone. */
  readonly effects: 'state' | 'external';
  /** Tokens that one agent may take, of those of the run. */
  readonly ownLimit: number | undefined;
}

function agentOf(depth: number): fc.Arbitrary<RandomAgent> {
  const act = fc.record({ kind: fc.constantFrom('count', 'count', 'look', 'fail', 'ask') });
  const call: fc.Arbitrary<AgentCall> =
    depth === 0
      ? act
      : fc.oneof(
          act,
          fc.record({ kind: fc.constant('agent' as const), agent: agentOf(depth - 1) }),
          fc.record({ kind: fc.constantFrom('agent', 'handler'), agent: agentOf(depth - 1) }),
        );
  return fc.record({
    turns: fc.array(fc.array(call, { minLength: 1, maxLength: 3 }), {
      minLength: depth > 1 ? 1 : 0,
      maxLength: 2,
    }),
    answers: fc.constantFrom(true, true, true, false),
  });
}

/** Trees of agents up to three deep, with calls that conflict, fail and ask. */
export const agentTrees: fc.Arbitrary<AgentTree> = fc.record({
  root: agentOf(3).map((agent) => ({ ...agent, answers: true })),
  effects: fc.constantFrom('state', 'state', 'external'),
  ownLimit: fc.constantFrom(undefined, undefined, 4),
});

const Counted = defineEvent({ name: 'counted', schema: z.object({ at: z.string() }) });
const Counts = defineSlice({
  name: 'counts',
  schema: z.object({ at: z.string() }),
  reducers: (on) => [on(Counted, reducers.append())],
});
const at = z.object({ at: z.string() });

/** The prompt of a tree. Its policy asks about acts of all agents. */
export function treePrompt({ effects, ownLimit }: AgentTree): Prompt {
  const acts = (['count', 'look', 'fail', 'ask'] as const).map((name) =>
    tool({
      name,
      description: `Does ${name}.`,
      effects: 'state',
      inputSchema: at,
      execute: (params, { session }): ToolResult<unknown> => {
        if (name === 'fail') return ToolResult.error('It fails.');
        // What is read differs when it is done again after others.
        const text = `It is ${name === 'look' ? 'there' : session.slice(Counts).all().length}.`;
        session.dispatch(Counted, params);
        return ToolResult.ok(null, text);
      },
    }),
  );
  const toolsOf = (depth: number): readonly AnyTool[] => {
    if (depth === 0) return acts;
    const template = promptTemplate({
      ns: 'test',
      key: `agent-${depth}`,
      output: at,
      sections: [
        section({
          title: 'Task',
          key: 'task',
          params: at,
          slices: [Counts],
          tools: toolsOf(depth - 1),
          template: (params) => `Agent ${params.at}!`,
        }),
      ],
    });
    const agent = agentTool({
      name: 'agent',
      description: 'Asks an agent.',
      inputSchema: at,
      effects,
      template,
      ...(ownLimit === undefined ? {} : { limits: { budget: { maxInputTokens: ownLimit } } }),
    });
    const handler = tool({
      name: 'handler',
      description: 'Asks an agent itself.',
      inputSchema: at,
      effects,
      execute: async (params, { adapter }) =>
        ToolResult.ok((await adapter.evaluate(template.bind(params))).output),
    });
    return [...acts, agent, handler];
  };
  return promptTemplate({
    ns: 'test',
    key: 'tree',
    policies: [
      {
        name: 'asks',
        check: ({ tool: { name } }) =>
          name === 'ask' ? PolicyDecision.ask('May it?') : PolicyDecision.allow(),
      },
    ],
    sections: [
      section({ title: 'Task', key: 'task', template: 'Agent !', slices: [Counts], tools: toolsOf(3) }),
    ],
  }).bind();
}

/** The model of all agents of a tree: each answer takes one token of input. */
export function treeModel({ root }: AgentTree): ReturnType<typeof scriptedAdapter> {
  return scriptedAdapter((_conversation, { instructions, turn }) => {
    const place = /Agent ([\d.]*)!/u.exec(instructions)?.[1] ?? '';
    const agent = agentAt(root, place);
    const usage = { inputTokens: 1, outputTokens: 1 };
    const calls = agent.turns[turn - 1];
    if (calls === undefined) return { text: agent.answers ? JSON.stringify({ at: place }) : 'Never.', usage };
    return {
      toolCalls: calls.map(({ kind }, index) => ({
        name: kind,
        arguments: { at: `${place}${turn - 1}.${index}.` },
      })),
      usage,
    };
  });
}

/** The agent at a place: index of the turn and of the call, for each agent on the way. */
function agentAt(root: RandomAgent, place: string): RandomAgent {
  const steps = place
    .split('.')
    .filter((step) => step !== '')
    .map(Number);
  let agent = root;
  for (let index = 0; index < steps.length; index += 2) {
    const call = agent.turns[steps[index] ?? 0]?.[steps[index + 1] ?? 0];
    if (call === undefined || !('agent' in call)) throw new RangeError(`There is no agent at ${place}.`);
    agent = call.agent;
  }
  return agent;
}
