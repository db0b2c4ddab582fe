import { Agent, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import { by, cell } from '../../harness/cell.ts';
import { openaiAgentsModel } from '../../systems/openai-agents.ts';
import { check, innerScript, lookAround, maxTokens, outerScript } from './case.ts';

const look = tool({
  name: 'look',
  description: 'Look around.',
  parameters: z.object({}),
  execute: async () => lookAround(),
});
const inner = new Agent({
  name: 'inner',
  instructions: 'Look everywhere.',
  model: openaiAgentsModel(innerScript),
  tools: [look],
});
const outerModel = outerScript('delegate', { input: 'Look.' });
const outer = new Agent({
  name: 'outer',
  instructions: 'Lead.',
  model: openaiAgentsModel(outerModel),
  // An agent as a tool (documentation: Tools, "Agents as tools"); it ends after ten turns where nothing is said.
  tools: [
    look,
    inner.asTool({ toolName: 'delegate', toolDescription: 'Delegate.', runOptions: { maxTurns: 1_000 } }),
  ],
});

// Hooks read what the run has used, with what agents in it have (documentation: Agents, "Lifecycle hooks"; Context Management, "Local
// context"), and a signal ends it.
const stop = new AbortController();
for (const agent of [outer, inner]) {
  agent.on('agent_tool_end', ({ usage }) => {
    if (usage.totalTokens >= maxTokens) stop.abort();
  });
}

await cell(async () =>
  by(
    'a hook in each agent',
    await check(outerModel, () =>
      new Runner({ tracingDisabled: true }).run(outer, 'Begin.', { signal: stop.signal, maxTurns: 100 }),
    ),
  ),
);
