// An agent that routes support tickets. Run it with `npm start`: it needs no key, because its model is a script.
import {
  defineAgent,
  defineSlice,
  PolicyDecision,
  promptTemplate,
  section,
  type ToolPolicy,
  ToolResult,
  tool,
} from 'weakincentives';
import { scriptedAdapter } from 'weakincentives/testing';
import { z } from 'zod';

const Assignment = z.object({
  id: z.string().describe('The ticket, such as T-1'),
  team: z.enum(['billing', 'ops']),
  priority: z.enum(['low', 'normal', 'high']),
});

/** What the agent works on. A call that fails or is denied leaves it as it was. */
export const Tickets = defineSlice({
  name: 'tickets',
  schema: z.object({ id: z.string(), text: z.string(), assigned: Assignment.optional() }),
  key: ({ id }) => id,
  initial: [
    { id: 'T-1', text: 'My invoice has the wrong address.' },
    { id: 'T-2', text: 'The shop answers with error 503.' },
  ],
});

export const readTicket = tool({
  name: 'read_ticket',
  description: 'Read a ticket.',
  inputSchema: Assignment.pick({ id: true }),
  effects: 'read',
  execute: ({ id }, { session }) => {
    const ticket = session.slice(Tickets).get(id);
    // The model reads this, and can correct itself.
    return ticket === undefined ? ToolResult.error(`There is no ticket "${id}".`) : ToolResult.ok(ticket);
  },
});

export const assignTicket = tool({
  name: 'assign_ticket',
  description: 'Assign a ticket to a team.',
  inputSchema: Assignment,
  effects: 'state',
  execute: (assigned, { session }) => {
    const tickets = session.slice(Tickets);
    const ticket = tickets.get(assigned.id);
    if (ticket === undefined) return ToolResult.error(`There is no ticket "${assigned.id}".`);
    tickets.append({ ...ticket, assigned });
    return ToolResult.ok(null, `${assigned.id} is with ${assigned.team}.`);
  },
});

/** A rule that holds whatever the model does; the model reads the reason. */
export const opsNeverLow: ToolPolicy = {
  name: 'ops-never-low',
  check: ({ tool: { name }, params }) => {
    const assigned = name === 'assign_ticket' ? Assignment.parse(params) : undefined;
    return assigned?.team === 'ops' && assigned.priority === 'low'
      ? PolicyDecision.deny('What goes to ops is never of low priority. Use normal or high.')
      : PolicyDecision.allow();
  },
};

/** What the model is told, with the tools and the rule that belong to it. */
const routing = section({
  title: 'Routing',
  key: 'routing',
  template: 'Read the tickets T-1 and T-2, assign each to a team, and answer with what you assigned.',
  tools: [readTicket, assignTicket],
  policies: [opsNeverLow],
  slices: [Tickets],
});

export const agent = defineAgent({
  template: promptTemplate({
    ns: 'support',
    key: 'router',
    sections: [routing],
    output: z.object({ assigned: z.array(Assignment) }),
  }),
  input: 'Route the open tickets.',
  workspace: false,
  limits: { maxTurns: 10 },
  // A language model in its place: `npm install openai`, set OPENAI_API_KEY, and
  //   import { openai } from 'weakincentives/openai';
  //   adapter: openai({ model: 'gpt-5' }),
  // or, for one run: `npx wink run agent.ts --model openai:gpt-5`.
  adapter: scriptedAdapter([
    {
      toolCalls: [
        { name: 'read_ticket', arguments: { id: 'T-1' } },
        { name: 'read_ticket', arguments: { id: 'T-2' } },
      ],
    },
    {
      toolCalls: [
        { name: 'assign_ticket', arguments: { id: 'T-1', team: 'billing', priority: 'normal' } },
        { name: 'assign_ticket', arguments: { id: 'T-2', team: 'ops', priority: 'low' } },
      ],
    },
    // The call of T-2 was denied, so the model corrects it.
    { toolCalls: [{ name: 'assign_ticket', arguments: { id: 'T-2', team: 'ops', priority: 'high' } }] },
    {
      text: JSON.stringify({
        assigned: [
          { id: 'T-1', team: 'billing', priority: 'normal' },
          { id: 'T-2', team: 'ops', priority: 'high' },
        ],
      }),
    },
  ]),
});
