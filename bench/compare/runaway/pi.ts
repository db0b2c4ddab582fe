import { Agent, type AgentTool } from '@earendil-works/pi-agent-core';
import { num, obj } from '@earendil-works/pi-schema';
import { by, cell } from '../harness/cell.ts';
import type { Script } from '../harness/script.ts';
import { piModel, piStream } from '../systems/pi.ts';
import { check, failingScript, fetchPage, maxTokens, spendingScript } from './case.ts';

const parameters = obj({ page: num() });
const fetchTool: AgentTool<typeof parameters> = {
  name: 'fetch_page',
  label: 'Fetch a page',
  description: 'Fetch a page.',
  parameters,
  execute: async (_callId, { page }) => ({
    content: [{ type: 'text', text: fetchPage(page) }],
    details: undefined,
  }),
};
// The loop has no limit; finishTurn ends a run (README, "Request preparation and turn finalization").
const runOf = (script: Script) => {
  let turns = 0;
  let tokens = 0;
  const agent = new Agent({
    initialState: { systemPrompt: 'Read it all.', model: piModel, tools: [fetchTool] },
    streamFn: piStream(script),
    finishTurn: async ({ message }) => {
      turns += 1;
      tokens += message.role === 'assistant' ? message.usage.totalTokens : 0;
      return turns >= 20 || tokens >= maxTokens ? { action: 'end' } : undefined;
    },
  });
  return agent.prompt('Begin.');
};

await cell(async () =>
  by(
    'finishTurn',
    await check(
      () => runOf(failingScript),
      () => runOf(spendingScript),
    ),
  ),
);
