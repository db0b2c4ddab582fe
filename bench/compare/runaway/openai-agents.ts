import { Agent, Runner, tool } from '@openai/agents';
import { z } from 'zod';
import { by, cell } from '../harness/cell.ts';
import type { Script } from '../harness/script.ts';
import { openaiAgentsModel } from '../systems/openai-agents.ts';
import { check, failingScript, fetchPage, maxTokens, spendingScript } from './case.ts';

const fetchTool = tool({
  name: 'fetch_page',
  description: 'Fetch a page.',
  parameters: z.object({ page: z.number() }),
  execute: async ({ page }) => fetchPage(page),
});
// A run ends after ten turns. Hooks read what it has used (documentation: Agents, "Lifecycle hooks"; Results, "Usage"), and a signal ends it.
const runOf = (script: Script) => {
  const agent = new Agent({
    name: 'reader',
    instructions: 'Read it all.',
    model: openaiAgentsModel(script),
    tools: [fetchTool],
  });
  const runner = new Runner({ tracingDisabled: true });
  const stop = new AbortController();
  runner.on('agent_tool_end', ({ usage }) => {
    if (usage.totalTokens >= maxTokens) stop.abort();
  });
  return runner.run(agent, 'Begin.', { signal: stop.signal });
};

await cell(async () =>
  by(
    'maxTurns, a hook',
    await check(
      () => runOf(failingScript),
      () => runOf(spendingScript),
    ),
  ),
);
